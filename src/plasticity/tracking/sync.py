"""Publishing run folders after the fact: for each, the rows that the server does not have."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any

from filelock import Timeout
from wandb.errors import UsageError

from plasticity.ground.errors import Mistake
from plasticity.ground.locks import Lock
from plasticity.runs.folder import Folder, find
from plasticity.tracking.server import Unreachable, unreachable
from plasticity.tracking.session import Session, Target, discard
from plasticity.tracking.tracker import Wandb, sentence

PATIENCE = 8.0  # seconds for the server to take one run's rows
HURRY = 3.0  # the same, after it did not take the run before
OTHERS = 60.0  # and for another command, or the run itself, to have published it
BACK_OFF = (1.0,)  # seconds to leave a server alone that did not take a run; after one more, it is left for today


@dataclass(frozen=True)
class Published:
    folder: Path
    rows: int  # that were new to the server


@dataclass(frozen=True)
class Unpublished:
    folder: Path
    reason: str


def runs(outputs: Path) -> tuple[list[Path], list[Unpublished]]:
    """The folders of runs that have a row to publish, for one that is young may have none that is certain; and those
    that cannot be read."""
    if not outputs.is_dir():
        raise Mistake(f"{outputs} is not a folder; name the one that holds the runs, as outputs=… did")
    found, unreadable = [], []
    for folder in find(outputs):
        try:
            _ = folder.config
            found += [folder.path] if folder.certain else []
        except Mistake as problem:
            unreadable.append(Unpublished(folder.path, str(problem)))
    return found, unreadable


def publish(
    folders: Sequence[Path], defaults: dict[str, Any], chosen: dict[str, Any]
) -> Iterator[Published | Unpublished]:
    """Where to: `chosen`, else as the run was configured, else the `defaults`."""
    Wandb(mode="online", **{**defaults, **chosen})  # a name that is impossible is so for every run
    # What somebody else is publishing comes last: two commands at once divide the work.
    waiting, failures = deque((folder, 0.0) for folder in folders), 0
    while waiting:
        folder, patience = waiting.popleft()
        try:
            target = _target(folder, defaults, chosen, HURRY if failures else PATIENCE)
            yield Published(folder, _publish(folder, target, patience))
            failures = 0
        except UsageError as error:  # no API key, or one that is not taken: as true for the next run
            raise Mistake(f"wandb: {sentence(error)}") from error
        except Timeout:
            if patience:
                yield Unpublished(folder, "it is being published by the run itself")
            else:
                waiting.append((folder, OTHERS))
        except Mistake as error:  # the run's own; the server is well
            discard()
            yield Unpublished(folder, str(error))
        except Unreachable as error:
            raise Mistake(f"{error}; nothing is lost, publish again later") from error
        except Exception as error:  # wandb has many kinds; the other runs may do better
            discard()
            if (reason := unreachable()) or failures == len(BACK_OFF):
                raise Mistake(f"{reason or sentence(error)}; nothing is lost, publish again later") from error
            yield Unpublished(folder, sentence(error))
            sleep(BACK_OFF[failures])
            failures += 1


def _publish(folder: Path, target: Target, patience: float) -> int:
    run = Folder(folder)
    code, rows = 0 if run.said_finished else 1, run.certain_rows  # in this order, should it finish just now
    (folder / "wandb").mkdir(exist_ok=True)
    with (
        Lock(folder / "wandb" / ".online.lock", timeout=patience),
        Session(folder, target, lambda _: None) as session,
    ):
        new = max(0, len(rows) - session.sent)
        session.send(rows)
        session.finish(code)
    return new


def _target(folder: Path, defaults: dict[str, Any], chosen: dict[str, Any], seconds: float) -> Target:
    tracker = Folder(folder).config["tracker"]
    own = {key: tracker[key] for key in ("project", "entity", "group") if tracker.get(key)}
    place = Wandb(mode="online", **{**defaults, **own, **chosen})
    return Target(place.mode, place.project, place.entity, place.group, seconds)
