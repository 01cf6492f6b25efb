"""What is known of a task, and `tasks.csv`: one row a task, appended and flushed as the task ends."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from io import StringIO
from pathlib import Path
from typing import Any

from plasticity.files import replace


@dataclass(frozen=True)
class Record:
    """One task. Sizes, dormancy and rank are those at the task's start, after pruning."""

    task: int
    accuracy: float
    dormancy: float
    dormancy_before_pruning: float
    units: int
    connections: int
    pruned: int
    added: int
    effective_rank: float
    weight_magnitude: float
    seconds: float

    def row(self) -> dict[str, float]:
        return asdict(self)


COLUMNS = tuple(field.name for field in fields(Record))
HEADER = ",".join(COLUMNS) + "\n"
KINDS = tuple(int if field.type in (int, "int") else float for field in fields(Record))


def line(record: Record) -> str:
    """`repr` of a float reads back as the same float, to the last bit."""
    return ",".join(repr(value) for value in record.row().values()) + "\n"


def record(values: Sequence[float | str]) -> Record:
    typed: list[Any] = [kind(value) for kind, value in zip(KINDS, values, strict=True)]
    return Record(*typed)


def read(path: Path) -> list[Record]:
    """The rows up to the first one that is torn, damaged or out of turn."""
    try:
        text = path.read_text(errors="replace")
    except FileNotFoundError:
        return []
    whole = text[: text.rfind("\n") + 1]  # a line without its end was torn
    if not whole.startswith(HEADER):
        return []
    found: list[Record] = []
    for values in csv.reader(StringIO(whole[len(HEADER) :])):
        try:
            row = record(values)
        except ValueError:
            break
        if row.task != len(found):
            break
        found.append(row)
    return found


def write(path: Path, rows: Iterable[Record]) -> None:
    replace(path, (HEADER + "".join(map(line, rows))).encode())
