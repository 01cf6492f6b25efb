"""What can be seen of a grid: one line per run, from the run folders alone."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from plasticity.ground.errors import Mistake
from plasticity.runs import folder as folders
from plasticity.runs import identity
from plasticity.runs.folder import Folder
from plasticity.runs.run import Run
from plasticity.runs.summary import Summary

STATES = ("finished", "running", "silent", "waiting", "interrupted", "cancelled", "failed", "died")
SILENT_SECONDS, SILENT_TASKS = 600.0, 10  # without a word, before a run is called silent


@dataclass(frozen=True)
class Seen:
    folder: Path
    what: identity.What
    tasks: int  # that it is to have
    state: str
    summary: Summary | None  # None: it has no task yet
    error: str | None
    host: str | None
    heard: float | None = None  # seconds ago, of one that is running

    @property
    def done(self) -> int:
        """Tasks."""
        return self.summary.tasks if self.summary else 0


def of(run: Run) -> Seen:
    try:
        return look(Folder(run.folder), run.what, run.config.tasks)
    except Mistake as problem:
        return Seen(run.folder, run.what, run.config.tasks, "failed", None, str(problem), None)


def look(folder: Folder, what: identity.What, tasks: int) -> Seen:
    summary, said = folder.summary, folder.status
    if said is None:
        return Seen(folder.path, what, tasks, "waiting", summary, None, None)
    state, error = said.state, said.error
    if state == "finished" and not folder.finished(tasks, summary.tasks if summary else 0):
        state = "waiting"  # to be extended, or done again
    if state == "running" and said.heard > long_ago(summary):  # on another machine, or stopped
        state, error = "silent", f"process {said.pid} on {said.host} was last heard of {readable(said.heard)} ago"
    return Seen(folder.path, what, tasks, state, summary, error, said.host, said.heard if state == "running" else None)


def long_ago(summary: Summary | None) -> float:
    """Seconds: a run is heard of after each task, and some tasks take long."""
    return max(SILENT_SECONDS, SILENT_TASKS * summary.longest if summary else 0.0)


def readable(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def find(outputs: Path) -> tuple[list[Seen], list[str]]:
    """The runs below a folder, and a sentence for each folder that cannot be read."""
    found, problems = [], []
    for folder in folders.find(outputs):
        try:
            found.append(look(folder, folder.what, folder.config["tasks"]))
            problems += folder.problems(found[-1].done)
        except Mistake as problem:
            problems.append(str(problem))
    return sorted(found, key=lambda seen: (seen.folder.parent, seen.what["seed"])), problems


def count(states: Iterable[str]) -> str:
    counted = Counter(states)
    return ", ".join(f"{counted[state]} {state}" for state in STATES if counted[state]) or "no runs"
