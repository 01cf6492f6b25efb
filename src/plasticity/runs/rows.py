"""`tasks.csv`: one row per task, appended and flushed as the task ends."""

import csv
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from io import StringIO
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from plasticity.ground.arrays import Floats
from plasticity.ground.errors import Mistake, printable, reason
from plasticity.ground.files import replace
from plasticity.record import Record

QUOTES = ('"', "\r", "\0")  # what csv makes something else of
MARKS = (*QUOTES, " ", "\t", "\v", "\f", "_")  # and what Python's numbers may have, too
LAST = "seconds"  # the one column that differs between two runs of the same numbers


def columns(rows: Iterable[Record], more: Iterable[str] = ()) -> tuple[str, ...]:
    """Every column that a row has, and `more`, in order of appearance; seconds last."""
    named = rows.names if isinstance(rows, Table) else (name for row in rows for name in row)
    found = dict.fromkeys([*named, *more])
    return (*(name for name in found if name != LAST), *([LAST] if LAST in found else []))


def line(row: Record, names: Sequence[str]) -> str:
    """`repr` of a float reads back as the same float, to the last bit; what the row does not have stays empty."""
    return ",".join(_text(row[name]) if name in row.columns else "" for name in names) + "\n"


def _text(value: float | np.number) -> str:
    """A measure may give one of numpy's numbers, whose `repr` is no number."""
    return repr(value.item() if isinstance(value, np.number) else value)


def text(rows: Sequence[Record], names: Sequence[str]) -> str:
    return ",".join(names) + "\n" + "".join(line(row, names) for row in rows)


def parse(content: str) -> list[Record]:
    """The rows up to the first one that is torn, damaged or out of turn."""
    whole = content[: content.rfind("\n") + 1]  # a line without its end was torn
    lines, found = csv.reader(StringIO(whole)), []
    try:
        header = next(lines, [])
        for values in lines if "task" in header else ():
            pairs = zip(header, values, strict=True)
            row = Record({name: _number(value) for name, value in pairs if value})
            if row["task"] != len(found):
                break
            found.append(row)
    except (ValueError, csv.Error):  # no number, too few or too many of them, or a field that never ends
        pass
    return found


class Table(Sequence[Record]):
    """Rows as one array, of which each is made when it is asked for: thousands of runs fit into memory."""

    def __init__(self, names: Sequence[str], values: Floats, whole: Sequence[bool]):
        self.names, self.values, self.whole = names, values, whole  # values: (rows, names); whole: which are integers

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return Table(self.names, self.values[at], self.whole)
        cells = zip(self.names, self.values[at].tolist(), self.whole, strict=True)
        return Record({name: int(value) if whole else value for name, value, whole in cells})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)


def series(rows: Sequence[Record], name: str) -> Floats:
    """A column; nan where a row does not have it."""
    if isinstance(rows, Table):
        place = {own: place for place, own in enumerate(rows.names)}.get(name)
        return np.full(len(rows), nan) if place is None else np.array(rows.values[:, place])
    return np.array([row[name] for row in rows], np.float64)


@lru_cache(1)  # a run that has ended has the same rows in its checkpoint
def tabulated(content: str) -> Sequence[Record]:
    """As `parse`. A file in which nothing is missing, torn or quoted is read much faster, into a Table."""
    header, _, body = content.partition("\n")
    names, lines = header.split(","), body.split("\n")
    odd = not content.isascii() or any(mark in header for mark in QUOTES) or any(mark in body for mark in MARKS)
    if odd or len(set(names)) < len(names) or "task" not in names:
        return parse(content)
    if lines.pop() or any(line.count(",") != len(names) - 1 for line in lines):
        return parse(content)
    cells = ",".join(lines).split(",") if lines else []
    columns = [cells[place :: len(names)] for place in range(len(names))]
    whole = ["".join(column).replace("-", "").isdigit() for column in columns]
    decimals = [column for column, ints in zip(columns, whole, strict=True) if not ints]
    mixed = any(any(map(str.isdigit if "-" not in body else is_whole, column)) for column in decimals)
    try:
        values = np.fromiter(map(float, cells), np.float64, len(cells)).reshape(len(lines), len(names))
    except ValueError:
        return parse(content)
    in_turn = np.array_equal(values[:, names.index("task")], np.arange(len(lines)))
    exact = np.abs(values[:, whole]).max(initial=0) < 2**53
    return Table(names, values, whole) if in_turn and exact and not mixed else parse(content)


def _number(value: str) -> float:
    return int(value) if is_whole(value) else float(value)


def is_whole(value: str) -> bool:
    return value.lstrip("-").isdigit()


def read(path: Path) -> list[Record]:
    return list(_read(path, parse))


def _read(path: Path, parsed: Callable[[str], Sequence[Record]]) -> Sequence[Record]:
    try:
        return parsed(path.read_text(errors="replace"))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise Mistake(f"{path} cannot be read ({reason(error)})") from error


def table(path: Path) -> Sequence[Record]:
    """The same for whoever reads many."""
    return _read(path, tabulated)


def problem(path: Path, known: int = 0) -> str | None:
    """One sentence on rows that are there and cannot be read, which so many could be just now; a last line that is torn
    is being written."""
    lines = path.read_bytes().count(b"\n") - 1 if path.exists() else 0
    if lines <= known or lines <= (whole := len(table(path))):
        return None
    return printable(f"{path} is damaged: {whole} of its {lines} rows can be read; running it again mends it")


def write(path: Path, rows: Sequence[Record], names: Sequence[str] | None = None) -> None:
    replace(path, text(rows, columns(rows) if names is None else names).encode())
