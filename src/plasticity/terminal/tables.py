"""A table of text as lines that fit a width, none of which cuts a number or a word."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from rich.cells import cell_len
from rich.text import Text

from plasticity.ground.errors import printable

GAP = 2  # blanks between columns


@dataclass(frozen=True)
class Column:
    name: str
    left: bool = False  # words, not numbers
    what: bool = False  # what a row is about, not what was found
    spare: bool = False  # only where there is room


def table(columns: Sequence[Column], rows: Sequence[Sequence[str | Text]], width: int | None) -> list[Text]:
    """Where it is too wide, a column that may be spared goes first; then what a row is about gets lines of its own
    above its numbers."""
    for places in (range(len(columns)), _needed(columns)):
        chosen, picked = [columns[place] for place in places], _pick(rows, places)
        if width is None or _width(chosen, picked) <= width:
            return _aligned(chosen, picked)
    return _stacked(chosen, picked, width)


def fits(columns: Sequence[Column], rows: Sequence[Sequence[str | Text]], width: int | None) -> bool:
    """On one line per row, all but what may be spared."""
    places = _needed(columns)
    return width is None or _width([columns[place] for place in places], _pick(rows, places)) <= width


def _needed(columns: Sequence[Column]) -> list[int]:
    return [place for place, column in enumerate(columns) if not column.spare]


def _pick(rows: Sequence[Sequence[str | Text]], places: Sequence[int]) -> list[list[Text]]:
    return [[_text(row[place]) for place in places] for row in rows]


def _text(cell: str | Text) -> Text:
    return cell if isinstance(cell, Text) else Text(printable(cell))


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[Text]]) -> list[int]:
    heads = [cell_len(column.name) for column in columns]
    return [max([head, *(row[place].cell_len for row in rows)]) for place, head in enumerate(heads)]


def _width(columns: Sequence[Column], rows: Sequence[Sequence[Text]]) -> int:
    return sum(_widths(columns, rows)) + GAP * (len(columns) - 1)


def _aligned(columns: Sequence[Column], rows: Sequence[Sequence[Text]]) -> list[Text]:
    widths, lines = _widths(columns, rows), []
    for row in ([Text(column.name, "bold") for column in columns], *rows):
        line = Text()
        for column, cell, wide in zip(columns, row, widths, strict=True):
            blanks = " " * (wide - cell.cell_len)
            line += Text.assemble(cell, blanks) if column.left else Text.assemble(blanks, cell)
            line += Text(" " * GAP)
        line.rstrip()
        lines.append(line)
    return lines


def _stacked(columns: Sequence[Column], rows: Sequence[Sequence[Text]], width: int) -> list[Text]:
    about = [place for place, column in enumerate(columns) if column.what]
    found = [place for place, column in enumerate(columns) if not column.what]
    numbers = _pick(rows, found)
    if _width([columns[place] for place in found], numbers) + GAP > width:  # not even those fit: a pair per line
        return [line for row in rows for line in _paired(columns, row)]
    head, *below = _aligned([columns[place] for place in found], numbers)
    lines = [Text(" " * GAP) + head]
    for row, line in zip(rows, below, strict=True):
        words = " ".join(f"{columns[place].name}={row[place]}" for place in about if row[place].plain)
        lines += [Text(part) for part in wrap(words, width, break_long_words=False, break_on_hyphens=False)]
        lines.append(Text(" " * GAP) + line)
    return lines


def _paired(columns: Sequence[Column], row: Sequence[Text]) -> list[Text]:
    pairs = [Text(f"{column.name} ") + cell for column, cell in zip(columns, row, strict=True) if cell.plain]
    return [*pairs[:1], *(Text(" " * GAP) + pair for pair in pairs[1:])]
