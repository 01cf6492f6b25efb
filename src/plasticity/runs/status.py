"""`status.json`: what a run is doing, for anyone who looks at its folder."""

import json
import os
import socket
from dataclasses import asdict, dataclass, field, fields
from dataclasses import replace as replaced
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any, get_args

from plasticity.ground.errors import printable, reason
from plasticity.ground.files import replace
from plasticity.runs import machine

NAME = "status.json"
EVERY_SECONDS = 2.0  # often enough to watch, rare enough to cost nothing
CLOCKS_SECONDS = 60.0  # by which two clocks may differ


@dataclass
class Status:
    state: str  # running, finished, interrupted, failed; died is what a reader finds
    tasks_done: int
    tasks: int
    started: str
    updated: str
    host: str
    pid: int
    job: str | None
    error: str | None
    computed_on: list = field(default_factory=list)  # by the first task of each: which vectors and CPU

    def __post_init__(self) -> None:
        """What is in the file may be anything."""
        for name, kinds in KINDS.items():
            if not isinstance(value := getattr(self, name), kinds) or isinstance(value, bool):
                raise TypeError(f"{name} is {value!r}")
        if self.pid <= 0:
            raise ValueError(f"pid is {self.pid}")
        self.error = self.error and printable(self.error)

    @property
    def heard(self) -> float:
        """Seconds since it was written, by the clocks of both machines."""
        try:
            return max(0.0, (datetime.now(UTC) - datetime.fromisoformat(self.updated)).total_seconds())
        except (ValueError, TypeError):
            return 0.0


KINDS: dict[str, Any] = {each.name: get_args(each.type) or each.type for each in fields(Status)}


def read(folder: Path) -> Status | None:
    """None, too, if it cannot be read: `problem` says why."""
    try:
        return _as_it_is(_read(folder))
    except UNREADABLE:
        return None


def _as_it_is(said: Status | None) -> Status | None:
    """A process that was killed could not say so."""
    if said and said.state == "running" and said.host == socket.gethostname() and not _alive(said):
        return replaced(said, state="died", error=f"process {said.pid} was killed before it could report an error")
    return said


def _alive(said: Status) -> bool:
    try:
        os.kill(said.pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    age = _age(said.pid)
    return age is None or age > said.heard - CLOCKS_SECONDS  # a younger process only has its number


def _age(pid: int) -> float | None:
    """Seconds since a process began; None where the system does not say."""
    try:
        ticks = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
        return float(Path("/proc/uptime").read_text().split()[0]) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None


def problem(folder: Path) -> str | None:
    try:
        _read(folder)
    except UNREADABLE as error:
        return printable(f"{folder / NAME} cannot be read ({reason(error)}); running it again writes it anew")
    return None


UNREADABLE = (OSError, ValueError, TypeError, KeyError, RecursionError)


def _read(folder: Path) -> Status | None:
    try:
        found = json.loads((folder / NAME).read_text())
    except FileNotFoundError:
        return None
    return Status(**{name: found[name] for name in KINDS if name in found})


class Reporter:
    def __init__(self, folder: Path, tasks: int):
        self._path = folder / NAME
        now = _now()
        job = os.environ.get("SLURM_JOB_ID")
        self._status = Status("running", 0, tasks, now, now, socket.gethostname(), os.getpid(), job, None)
        if before := read(folder):
            self._status.computed_on = before.computed_on
        self._written = -EVERY_SECONDS

    def goes_on(self, task: int) -> str | None:
        """With this task, here: a warning, if the run was computed by another kind of CPU so far."""
        self._status.computed_on, warning = machine.went_on(self._status.computed_on, task)
        return warning

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
