"""`tasks.csv`: one row per task, appended and flushed as the task ends."""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO
from pathlib import Path

import numpy as np

from plasticity.files import replace
from plasticity.record import Record

LAST = "seconds"  # the one column that differs between two runs of the same numbers


def columns(rows: Iterable[Record], more: Iterable[str] = ()) -> tuple[str, ...]:
    """Every column that a row has, and `more`, in order of appearance; seconds last."""
    found = dict.fromkeys([*(name for row in rows for name in row), *more])
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
    header, *lines = csv.reader(StringIO(whole)) if whole else [[]]
    found: list[Record] = []
    if "task" not in header:
        return found
    for values in lines:
        try:
            pairs = zip(header, values, strict=True)
            row = Record({name: _number(value) for name, value in pairs if value})
        except ValueError:
            break
        if row["task"] != len(found):
            break
        found.append(row)
    return found


def _number(value: str) -> float:
    return int(value) if value.lstrip("-").isdigit() else float(value)


def read(path: Path) -> list[Record]:
    try:
        return parse(path.read_text(errors="replace"))
    except FileNotFoundError:
        return []


def write(path: Path, rows: Sequence[Record], names: Sequence[str] | None = None) -> None:
    replace(path, text(rows, columns(rows) if names is None else names).encode())
