"""Publishing run folders after the fact: for each, the rows that the server does not have."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from wandb.errors import UsageError

from plasticity.errors import Mistake
from plasticity.runs.folder import Folder, find
from plasticity.tracking.server import unreachable
from plasticity.tracking.session import Session, Target, discard
from plasticity.tracking.tracker import Wandb, sentence

PATIENCE = 60.0  # seconds for the server to take one run's rows


@dataclass(frozen=True)
class Published:
    folder: Path
    rows: int  # that were new to the server


@dataclass(frozen=True)
class Unpublished:
    folder: Path
    reason: str


def runs(outputs: Path) -> list[Path]:
    """The folders of runs that have a row to publish: one that is young may have none that is certain."""
    if not outputs.is_dir():
        raise Mistake(f"{outputs} is not a folder; name the one that holds the runs, as outputs=… did")
    return [folder.path for folder in find(outputs) if folder.certain_rows]


def publish(
    folders: Sequence[Path], defaults: dict[str, Any], chosen: dict[str, Any]
) -> Iterator[Published | Unpublished]:
    """Where to: `chosen`, else as the run was configured, else the `defaults`."""
    Wandb(mode="online", **{**defaults, **chosen})  # a name that is impossible is so for every run
    for folder in folders:
        try:
            yield Published(folder, _publish(folder, _target(folder, defaults, chosen)))
        except UsageError as error:  # no API key, or one that is not taken: as true for the next run
            raise Mistake(f"wandb: {sentence(error)}") from error
        except Timeout:
            yield Unpublished(folder, "it is being published by the run itself")
        except Exception as error:  # wandb has many kinds; the other runs may do better
            discard()
            if reason := unreachable():
                raise Mistake(f"{reason}; nothing is lost, publish again later") from error
            yield Unpublished(folder, sentence(error))


def _publish(folder: Path, target: Target) -> int:
    run = Folder(folder)
    code, rows = 0 if run.said_finished else 1, run.certain_rows  # in this order, should it finish just now
    (folder / "wandb").mkdir(exist_ok=True)
    with (
        FileLock(folder / "wandb" / ".online.lock", timeout=0),
        Session(folder, target, lambda _: None) as session,
    ):
        new = max(0, len(rows) - session.sent)
        session.send(rows)
        session.finish(code)
    return new


def _target(folder: Path, defaults: dict[str, Any], chosen: dict[str, Any]) -> Target:
    tracker = Folder(folder).config["tracker"]
    own = {key: tracker[key] for key in ("project", "entity", "group") if tracker.get(key)}
    place = Wandb(mode="online", **{**defaults, **own, **chosen})
    return Target(place.mode, place.project, place.entity, place.group, PATIENCE)
