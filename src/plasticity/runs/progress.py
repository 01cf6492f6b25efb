"""What a person sees of a run: a live bar on a terminal, a plain line now and then in a file."""

from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from plasticity import terminal
from plasticity.record import Record
from plasticity.runs.summary import Summary

PLAIN_SECONDS = 20.0  # a few lines per minute


class View(Protocol):
    def say(self, line: str) -> None: ...
    def begin(self, name: str, rows: Sequence[Record], tasks: int) -> None: ...
    def record(self, record: Record) -> None: ...
    def stop(self) -> None: ...  # no more records, for whatever reason
    def end(self, folder: Path, rows: Sequence[Record]) -> None: ...


class Quiet:
    """For runs that somebody else shows."""

    def say(self, line: str) -> None: ...
    def begin(self, name: str, rows: Sequence[Record], tasks: int) -> None: ...
    def record(self, record: Record) -> None: ...
    def stop(self) -> None: ...  # no more records, for whatever reason
    def end(self, folder: Path, rows: Sequence[Record]) -> None: ...


class Plain(Quiet):
    def __init__(self) -> None:
        self._shown = monotonic()

    def say(self, line: str) -> None:
        print(line, flush=True)

    def begin(self, name: str, rows: Sequence[Record], tasks: int) -> None:
        self._tasks, self._shown = tasks, monotonic()
        self.say(f"{name}: {tasks} tasks" + (f", resumed after {len(rows)}" if rows else ""))

    def record(self, record: Record) -> None:
        if monotonic() - self._shown >= PLAIN_SECONDS:
            self.say(f"  {record['task'] + 1} of {self._tasks} tasks: {brief(record)}")
            self._shown = monotonic()

    def end(self, folder: Path, rows: Sequence[Record]) -> None:
        self.say("\n".join(Summary.of(rows).lines()))
        self.say(f"{folder}")


class Live(Plain):
    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console

    def say(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)  # above the bar, if there is one

    def begin(self, name: str, rows: Sequence[Record], tasks: int) -> None:
        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
        self._bar = Progress(*columns, console=self._console, transient=True)
        self.say(name + (f", resumed after {len(rows)} tasks" if rows else ""))
        self._id = self._bar.add_task("", total=tasks, completed=len(rows))
        self._bar.start()

    def record(self, record: Record) -> None:
        self._bar.update(self._id, advance=1, description=brief(record))

    def stop(self) -> None:
        self._bar.stop()


def brief(record: Record) -> str:
    return f"accuracy {record['accuracy']:.3f}  dormancy {record['dormancy']:.1%}  units {record['units']}"


def view() -> View:
    console = terminal.console()
    return Live(console) if terminal.lively(console) else Plain()
