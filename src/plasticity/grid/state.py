"""What can be seen of a grid: one line per run, from the run folders alone."""

import os
import socket
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from plasticity.errors import Mistake
from plasticity.record import Record
from plasticity.runs import folder as folders
from plasticity.runs import identity
from plasticity.runs.folder import Folder
from plasticity.runs.run import Run

STATES = ("finished", "running", "waiting", "interrupted", "failed", "died")


@dataclass(frozen=True)
class Seen:
    folder: Path
    what: identity.What
    tasks: int  # that it is to have
    state: str
    rows: Sequence[Record]
    error: str | None
    host: str | None


def of(run: Run) -> Seen:
    return look(Folder(run.folder), run.what, run.config.tasks)


def look(folder: Folder, what: identity.What, tasks: int) -> Seen:
    rows, said = folder.rows, folder.status
    if said is None:
        return Seen(folder.path, what, tasks, "waiting", rows, None, None)
    state, error = said.state, said.error
    if state == "finished" and len(rows) < tasks:
        state = "waiting"  # to be extended
    if state == "running" and said.host == socket.gethostname() and not _alive(said.pid):
        state, error = "died", f"process {said.pid} was killed before it could report an error"
    return Seen(folder.path, what, tasks, state, rows, error, said.host)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def find(outputs: Path) -> tuple[list[Seen], list[str]]:
    """The runs below a folder, and a sentence for each folder that cannot be read."""
    found, problems = [], []
    for folder in folders.find(outputs):
        try:
            found.append(look(folder, folder.what, folder.config["tasks"]))
        except Mistake as problem:
            problems.append(str(problem))
    return sorted(found, key=lambda seen: (seen.folder.parent, seen.what["seed"])), problems


def count(states: Iterable[str]) -> str:
    counted = Counter(states)
    return ", ".join(f"{counted[state]} {state}" for state in STATES if counted[state]) or "no runs"
