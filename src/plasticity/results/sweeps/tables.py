"""The numbers behind a picture against a setting, as Markdown and csv."""

import csv
from collections.abc import Iterator
from io import StringIO
from itertools import chain, starmap
from math import isfinite

from plasticity.results import markdown, words
from plasticity.results.measures import PRUNING
from plasticity.results.sweeps.points import Point, points
from plasticity.results.sweeps.quantities import DIFFERENCE, TABLED, Quantity, quantity
from plasticity.results.sweeps.quantities import GAP as FRESH
from plasticity.results.sweeps.sweep import Sweep
from plasticity.results.table import HOW

LARGE = 1000  # numbers from there on are shown whole
GAP = (
    "The gap to a fresh network is the accuracy over the last third of the tasks minus that of a network that is drawn "
    "anew in every task (method=scratch), paired by seed."
)
FROM_DEFAULT = (
    " The default's accuracy is that of the same network with {key}={default}; differences are paired by seed."
)


def texts(sweep: Sweep) -> dict[str, str]:
    return {f"{sweep.name}.md": as_markdown(sweep), f"{sweep.name}.csv": as_csv(sweep)}


def as_markdown(sweep: Sweep) -> str:
    rows, lines = list(_rows(sweep)), []
    known = {one.name for _, numbers in rows for one, point in numbers if isfinite(point.value.mean)}
    for point, numbers in rows:
        curve = point.curve
        what = [words.dataset(curve.dataset), point.line.legend, sweep.values[point.at], len(curve.traces), curve.tasks]
        lines.append([*what, *(_text(one, value) for one, value in numbers if one.name in known)])
    shown = [one for one in _quantities(sweep) if one.name in known]
    head = ["data", "curve", sweep.key, "seeds", "tasks", *(one.title for one in shown)]
    more = f" {GAP}" if FRESH.name in known else ""
    more += FROM_DEFAULT.format(key=sweep.key, default=sweep.default) if DIFFERENCE in shown else ""
    return f"{markdown.table(head, lines, left=3)}\n{HOW}{more}\n"


def as_csv(sweep: Sweep) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [[one.name, f"{one.name}_ci95", *([f"{one.name}_trend"] if one.size else [])] for one in _quantities(sweep)]
    writer.writerow(["dataset", "N", "curve", sweep.key, "seeds", "tasks", *chain(*names)])
    for point, numbers in _rows(sweep):
        curve = point.curve
        what = [curve.dataset, curve.N, point.line.legend, sweep.values[point.at], len(curve.traces), curve.tasks]
        writer.writerow([*what, *chain(*starmap(_cells, numbers))])
    return text.getvalue()


def _quantities(sweep: Sweep) -> list[Quantity]:
    """Of those that only some sweeps have, what this one has."""
    absent = [name for name in PRUNING if not sweep.measured(name)] + [DIFFERENCE.name] * (sweep.default is None)
    return [quantity(name) for name in sweep.quantities or TABLED if name not in absent]


def _rows(sweep: Sweep) -> Iterator[tuple[Point, list[tuple[Quantity, Point]]]]:
    """For each curve, its place and what each quantity has there."""
    shown = _quantities(sweep)
    for each in zip(*(points(sweep, one) for one in shown), strict=True):
        yield each[0], list(zip(shown, each, strict=True))


def _text(shown: Quantity, point: Point) -> str:
    said = markdown.interval(point.value, 1, shown.form if abs(point.value.mean) < LARGE else ",.0f")
    return said if point.trend in ("", "settled") else f"{said} ({point.trend})"


def _cells(shown: Quantity, point: Point) -> list[str]:
    numbers = [f"{number:.6g}" if isfinite(number) else "" for number in (point.value.mean, point.value.half)]
    return [*numbers, point.trend] if shown.size else numbers
