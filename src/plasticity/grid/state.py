"""What can be seen of a grid: a line a run, from the run folders alone."""

import os
import socket
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

from plasticity.runs import records, status
from plasticity.runs.records import Record
from plasticity.runs.run import Run

STATES = ("finished", "running", "waiting", "interrupted", "failed", "died")
PARTS = ("model", "dataset", "N", "seed", "tasks")


@dataclass(frozen=True)
class Seen:
    folder: Path
    config: dict[str, Any]
    state: str
    rows: Sequence[Record]
    error: str | None
    host: str | None

    @property
    def K(self) -> int | None:
        return self.config["model"]["grow"].get("K")


def of(run: Run) -> Seen:
    return look(run.folder, asdict(run.config))


def look(folder: Path, config: dict[str, Any]) -> Seen:
    rows, said = records.read(folder / "tasks.csv"), status.read(folder)
    if said is None:
        return Seen(folder, config, "waiting", rows, None, None)
    state, error = said.state, said.error
    if state == "finished" and len(rows) < config["tasks"]:
        state = "waiting"  # to be extended
    if state == "running" and said.host == socket.gethostname() and not _alive(said.pid):
        state, error = "died", f"process {said.pid} ended without a word"
    return Seen(folder, config, state, rows, error, said.host)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def find(outputs: Path) -> list[Seen]:
    found = [look(path.parent, config) for path in outputs.rglob("config.yaml") if (config := _read(path))]
    return sorted(found, key=lambda seen: (seen.folder.parent, seen.config["seed"]))


def _read(path: Path) -> dict[str, Any] | None:
    """None for a yaml that is no run's: outputs may hold other things."""
    try:
        config = yaml.load(path.read_bytes(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        return config if all(part in config for part in PARTS) and "grow" in config["model"] else None
    except (OSError, yaml.YAMLError, TypeError):
        return None


def count(states: Iterable[str]) -> str:
    counted = Counter(states)
    return ", ".join(f"{counted[state]} {state}" for state in STATES if counted[state]) or "no runs"
