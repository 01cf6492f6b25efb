"""What a table has no room for: why SLURM lets runs wait, and when runs were last heard of."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from plasticity.grid import found
from plasticity.grid.slurm import NotNow
from plasticity.grid.state import SILENT_SECONDS, Seen, readable
from plasticity.grid.tracked import Tracked


def of_tracked(runs: Sequence[Tracked]) -> str:
    """` (2 wait: Resources)`, and the run that was silent longest, if that is long."""
    said = reasons(tracked.waits_for for tracked in runs if tracked.state == "waiting")
    silent = max((tracked for tracked in runs if tracked.state == "running"), key=lambda one: one.heard, default=None)
    if silent and silent.heard > SILENT_SECONDS:
        said.append(f"{silent.run.name} last heard of {readable(silent.heard)} ago")
    return f" ({'; '.join(said)})" if said else ""


def of_seen(outputs: Path, runs: Sequence[Seen]) -> list[str]:
    """Lines on runs that wait in a queue of SLURM's that can be asked from here, and on those that run."""
    problems: list[str] = []
    why: dict[str, str] = {}
    try:
        for _, _, jobs, states in found.alive(outputs, None, problems):
            why |= {name: states[id].why for id, names in jobs.items() for name in names}
    except NotNow as trouble:
        problems.append(f"SLURM does not say why runs wait: {trouble}")
    waiting = [seen for seen in runs if seen.state in ("waiting", "interrupted")]
    said = reasons(why.get(seen.folder.relative_to(outputs).as_posix(), "") for seen in waiting)
    heard = [seen.heard for seen in runs if seen.heard is not None]
    if heard:
        said.append(f"{len(heard)} running were last heard of {readable(min(heard))} to {readable(max(heard))} ago")
    return said + problems


def reasons(words: Iterable[str]) -> list[str]:
    return [f"{number} waiting: {word}" for word, number in Counter(filter(None, words)).items()]
