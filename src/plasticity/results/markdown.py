"""Tables as Markdown has them, in which whatever a cell says is text."""

from collections.abc import Iterable, Sequence
from math import isfinite

from plasticity.results.statistics import Interval

# What Markdown, or the HTML that it may hold, would take for its own.
MEANINGS = str.maketrans({"|": "\\|", "<": "&lt;", ">": "&gt;", "\n": " "})


def row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(str(cell).translate(MEANINGS) for cell in cells)} |"


def table(head: Sequence[str], rows: Iterable[Iterable[object]], left: int) -> str:
    """The first `left` columns are words, the others numbers."""
    rule = ["---"] * left + ["---:"] * (len(head) - left)
    return "\n".join(map(row, (head, rule, *rows))) + "\n"


def interval(value: Interval, scale: float, form: str) -> str:
    """The mean, and ± half of the interval if there are seeds enough for one."""
    if not isfinite(value.mean):
        return "–"
    mean = format(value.mean * scale, form).replace("-", "−")
    return f"{mean} ± {format(value.half * scale, form.replace('+', ''))}" if value.known else mean
