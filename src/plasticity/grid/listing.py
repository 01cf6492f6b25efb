"""The table of a grid's runs or of its curves, and what went wrong in those that failed."""

from collections.abc import Callable, Sequence
from statistics import fmean

from rich.console import Console
from rich.text import Text

from plasticity import terminal
from plasticity.grid.state import Seen, count
from plasticity.ground.errors import printable
from plasticity.runs import keys
from plasticity.runs.identity import What, curve, curve_key
from plasticity.runs.summary import Summary
from plasticity.terminal.tables import Column, fits, table

COLOURS = {"finished": "green", "running": "cyan", "failed": "red", "died": "red", "interrupted": "yellow"}
WORST = ("failed", "died", "cancelled", "silent", "interrupted", "running")
COLOURS |= {"cancelled": "yellow", "silent": "yellow"}
# First and last: accuracy, as runs/summary.py has it.
FOUND = (Column("first"), Column("last"), Column("units"), Column("tasks"), Column("state", left=True))
FOLDER = Column("folder", left=True, spare=True)


def of_runs(runs: Sequence[Seen], console: Console) -> None:
    """A row per run, with a column for each key in which they are not all alike."""
    rows = [[*_found([seen]), _state(seen.state), str(seen.folder)] for seen in runs]
    _show([seen.what for seen in runs], (), (*FOUND, FOLDER), rows, console)


def of_curves(runs: Sequence[Seen], console: Console) -> None:
    """A row per curve: means over its runs."""
    together: dict[str, list[Seen]] = {}
    for seen in runs:
        together.setdefault(curve_key(seen.what), []).append(seen)
    groups = list(together.values())
    states = [{seen.state for seen in group} for group in groups]
    rows = [
        [_seeds(group), *_found(group), _state(count(seen.state for seen in group), *there)]
        for group, there in zip(groups, states, strict=True)
    ]
    whats = [curve(group[0].what) for group in groups]
    _show(whats, (Column("seeds", what=True),), FOUND, rows, console)


def _show(
    whats: Sequence[What],
    about: Sequence[Column],
    found: Sequence[Column],
    rows: Sequence[Sequence[str | Text]],
    console: Console,
) -> None:
    """What all runs share is a column, too, or stands above the table if there is no room."""
    if not whats:
        return
    alike, unlike, width = keys.alike(whats), keys.apart(whats), terminal.room(console)
    whole = [alike | each for each in unlike]
    if not fits(*_cells(whole, about, found, rows), width):
        terminal.show(console, [Text(printable(keys.said(alike)), "bold")])
        whole = unlike
    terminal.show(console, table(*_cells(whole, about, found, rows), width))


def _cells(
    settings: Sequence[dict[str, str]],
    about: Sequence[Column],
    found: Sequence[Column],
    rows: Sequence[Sequence[str | Text]],
) -> tuple[list[Column], list[list[str | Text]]]:
    names = keys.columns(settings)
    columns = [Column(name, left=not _numbers(name, settings), what=True) for name in names]
    cells = [[*(each.get(name, "") for name in names), *row] for each, row in zip(settings, rows, strict=True)]
    return [*columns, *about, *found], cells


def _numbers(name: str, rows: Sequence[dict[str, str]]) -> bool:
    return all(row[name][:1] in "+-.0123456789" for row in rows if row.get(name))


def _found(group: Sequence[Seen]) -> list[str]:
    """Means over the runs that have begun, and the tasks of all of them."""
    ends = [seen.summary for seen in group if seen.summary]
    tasks = f"{sum(seen.done for seen in group)}/{sum(seen.tasks for seen in group)}"

    def mean(form: str, of: Callable[[Summary], float]) -> str:
        return format(fmean(map(of, ends)), form) if ends else ""

    return [
        mean(".3f", lambda end: end.first),
        mean(".3f", lambda end: end.last),
        mean(",.0f", lambda end: end.units),
        tasks,
    ]


def _seeds(group: Sequence[Seen]) -> str:
    """`0–4` for five in a row, `0,2` for two."""
    seeds = sorted({seen.what["seed"] for seen in group})
    if len(seeds) > 2 and seeds[-1] - seeds[0] == len(seeds) - 1:
        return f"{seeds[0]}–{seeds[-1]}"
    return ",".join(map(str, seeds)) if len(seeds) < 6 else f"{len(seeds)} from {seeds[0]} to {seeds[-1]}"


def _state(words: str, *states: str) -> Text:
    there = states or (words,)
    worst = next((state for state in WORST if state in there), "finished")
    return Text(words, COLOURS[worst] if worst in there else "")


def complaints(runs: Sequence[Seen], console: Console) -> None:
    for seen in runs:
        if seen.state in ("failed", "died", "cancelled", "silent"):
            folder = printable(str(seen.folder))
            head = Text.assemble((seen.state, "red"), f" {folder}")
            terminal.show(console, [head, f"  {printable(seen.error or '')}", f"  {folder}/run.log"])
