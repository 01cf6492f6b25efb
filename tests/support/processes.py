"""The processes of a grid: whoever has its outputs on the command line."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROLES = {"plasticity.runs.worker": "a worker", "plasticity.grid.job": "a job", "launch/main.py": "the launcher"}


def processes(outputs: Path) -> Iterator[tuple[int, str, str]]:
    """Number, role and command line."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if f"{outputs}" in words and path.parent.name != str(os.getpid()):
            yield int(path.parent.name), next((name for word, name in ROLES.items() if word in words), "another"), words


def kill_job(outputs: Path, place: str = "") -> None:
    """Its processes, so that SLURM calls it FAILED; scancel would be a person's wish. `place`: in its array."""
    _signal_job(outputs, place, signal.SIGKILL)


@contextmanager
def held_job(outputs: Path, place: str) -> Iterator[None]:
    """A job that does not leave the queue meanwhile, however soon its run ends."""
    _signal_job(outputs, place, signal.SIGSTOP)
    yield
    _signal_job(outputs, place, signal.SIGCONT)


def _signal_job(outputs: Path, place: str, number: signal.Signals) -> None:
    for pid, role, words in processes(outputs):
        if role == "a job" and words.strip().endswith(f"{place}.pkl"):
            os.kill(pid, number)
