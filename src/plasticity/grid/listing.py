"""The table of a grid's runs, and what went wrong in those that failed."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from plasticity.grid.state import Seen
from plasticity.runs.identity import grows_every
from plasticity.runs.summary import Summary

COLUMNS = ("model", "dataset", "N", "K", "seed", "first", "last", "units", "tasks", "state", "folder")
TEXT = ("model", "dataset", "state", "folder")
WIDTH = 1000  # a folder is to be copied: let a narrow terminal wrap it, never cut it
COLOURS = {"finished": "green", "running": "cyan", "failed": "red", "died": "red", "interrupted": "yellow"}


def cells(seen: Seen) -> tuple[str, ...]:
    what, rows = seen.what, seen.rows
    ends = Summary.of(rows) if rows else None
    measured = (f"{ends.first:.3f}", f"{ends.last:.3f}", f"{ends.units:.0f}") if ends else ("", "", "")
    model = " ".join([what["model"]["name"], *([what["method"]] if "method" in what else [])])
    plain = (model, what["dataset"]["name"], what["N"], grows_every(what) or "–", what["seed"])
    return (*map(str, plain), *measured, f"{len(rows)}/{seen.tasks}", seen.state, str(seen.folder))


def listing(runs: Sequence[Seen], console: Console) -> None:
    """First and last: accuracy, the mean of ten tasks at either end."""
    whole = Table(box=None, pad_edge=False)
    for column in COLUMNS:
        justify = "left" if column in TEXT else "right"
        whole.add_column(column, justify=justify, no_wrap=True, overflow="fold")
    for seen in runs:
        colour = COLOURS.get(seen.state, "")
        *before, state, folder = cells(seen)
        whole.add_row(*before, f"[{colour}]{state}[/]" if colour else state, folder)
    terminal, console.width = console.width, WIDTH
    console.print(whole, soft_wrap=True)
    console.width = terminal


def complaints(runs: Sequence[Seen], console: Console) -> None:
    for seen in runs:
        if seen.state in ("failed", "died"):
            console.print(f"[red]{seen.state}[/] {seen.folder}", soft_wrap=True)
            console.print(f"  {seen.error}\n  {seen.folder / 'run.log'}", markup=False, soft_wrap=True)
