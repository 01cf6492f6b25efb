"""`status.json`: what a run is doing, for anyone who looks at its folder."""

import json
import os
import socket
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

from plasticity.files import replace

NAME = "status.json"
EVERY_SECONDS = 2.0  # often enough to watch, rare enough to cost nothing


@dataclass
class Status:
    state: str  # running, finished, interrupted, failed
    tasks_done: int
    tasks: int
    started: str
    updated: str
    host: str
    pid: int
    job: str | None
    error: str | None


def read(folder: Path) -> Status | None:
    try:
        return Status(**json.loads((folder / NAME).read_text()))
    except (OSError, ValueError, TypeError):
        return None


class Reporter:
    def __init__(self, folder: Path, tasks: int):
        self._path = folder / NAME
        now = _now()
        job = os.environ.get("SLURM_JOB_ID")
        self._status = Status("running", 0, tasks, now, now, socket.gethostname(), os.getpid(), job, None)
        self._written = -EVERY_SECONDS

    def progress(self, tasks_done: int) -> None:
        self._status.tasks_done = tasks_done
        if monotonic() - self._written >= EVERY_SECONDS:
            self._write()

    def end(self, state: str, error: str | None = None) -> None:
        self._status.state, self._status.error = state, error
        self._write()

    def _write(self) -> None:
        self._status.updated = _now()
        replace(self._path, (json.dumps(asdict(self._status), indent=1) + "\n").encode())
        self._written = monotonic()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
