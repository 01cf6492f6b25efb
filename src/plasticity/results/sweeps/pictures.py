"""Quantities against a swept setting, for print: one row for each quantity, one column for each data set."""

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from plasticity.ground.arrays import Floats
from plasticity.ground.files import write
from plasticity.results import words
from plasticity.results.drawing import LOOK, line_look, literal
from plasticity.results.measures import PRUNING
from plasticity.results.saving import save_canvas
from plasticity.results.statistics import ENOUGH
from plasticity.results.sweeps import tables
from plasticity.results.sweeps.points import Point, points
from plasticity.results.sweeps.quantities import DIFFERENCE, DRAWN, GAP, Quantity, changing, quantity
from plasticity.results.sweeps.sweep import Sweep
from plasticity.results.words import Style
from plasticity.runs.summary import window

NUMBERS, WORDS = 3.9, 5.2  # inches of a panel whose axis has numbers, or words
PANEL_HEIGHT, BETWEEN, ABOVE = 1.62, 0.36, 0.62  # inches
LETTER, SAMPLE = 0.068, 0.75  # inches that a letter of a legend takes, and the line before it
APART = 4  # what is further apart than this is drawn on a logarithmic axis
ASIDE = 0.03  # of an axis with numbers, over which lines lie side by side
WIDE = 0.72  # of the room for a word, likewise
LETTERS = 11  # of a word below an axis, on one line
ARROWS = {"rising": "↑", "falling": "↓", "undecided": "?"}


def save(sweep: Sweep, folder: Path) -> list[Path]:
    """The picture, and its table."""
    return [*save_canvas(draw(sweep), folder, sweep.name), *write(folder, tables.texts(sweep))]


@matplotlib.rc_context(LOOK)
def draw(sweep: Sweep) -> Canvas:
    rows = _rows(sweep)
    width = 0.75 + (NUMBERS if sweep.numbers else WORDS) * len(sweep.columns)
    legends = [literal(line.legend) for line in sweep.lines]
    legend_columns = max(1, int(width / (SAMPLE + LETTER * max(map(len, legends)))))
    caption = fill(_caption(sweep, list(rows)), int(width * 16.5))
    below = 0.86 + 0.19 * -(-len(legends) // legend_columns) + 0.12 * caption.count("\n")
    below += 0 if sweep.numbers else 0.12
    height = ABOVE + len(rows) * PANEL_HEIGHT + (len(rows) - 1) * BETWEEN + below
    canvas = Canvas(figsize=(width, height))
    canvas.text(0.1 / width, 1 - 0.12 / height, literal(sweep.title), va="top", fontsize=11.5, fontweight="bold")
    edges = {"left": 0.62 / width, "right": 1 - 0.12 / width, "top": 1 - ABOVE / height, "bottom": below / height}
    axes = canvas.subplots(
        len(rows),
        len(sweep.columns),
        squeeze=False,
        sharex=True,
        sharey="row",
        gridspec_kw={**edges, "wspace": 0.07, "hspace": BETWEEN / PANEL_HEIGHT},
    )
    for (shown, there), across in zip(rows.items(), axes, strict=True):
        for column, ax in zip(sweep.columns, across, strict=True):
            _panel(ax, sweep, shown, [point for point in there if point.column == column])
            ax.set_title(literal(" · ".join(filter(None, [words.dataset(column), shown.title]))))
        _vertical(across[0], shown, there)
    for ax in axes[-1]:
        _horizontal(ax, sweep)
    canvas.legend(
        handles=[Line2D([], [], label=literal(line.legend), **_look(line.style)) for line in sweep.lines],
        loc="lower left",
        bbox_to_anchor=(0.03 / width, 0.0),
        ncols=legend_columns,
        title=literal(caption),
        alignment="left",
    )
    return canvas


def _rows(sweep: Sweep) -> dict[Quantity, list[Point]]:
    """Quantities that some curve has. Of sizes, only those of networks that change theirs."""
    found = {}
    names = sweep.quantities or [name for name in DRAWN if name not in PRUNING or sweep.measured(name)]
    for shown in map(quantity, names):
        there = [point for point in points(sweep, shown) if isfinite(point.value.mean)]
        if shown.size:
            alive = [line for line in sweep.lines if any(changing(one, shown.size) for one in line.curves.values())]
            there = [point for point in there if point.line in alive]
        if there:
            found[shown] = there
    return found


def _panel(ax: Axes, sweep: Sweep, shown: Quantity, there: Sequence[Point]) -> None:
    if shown.change:
        ax.axhline(0, color="#777777", linewidth=0.8, zorder=1)
    for place, line in enumerate(sweep.lines):
        _line(ax, sweep, shown, place, [point for point in there if point.line is line])
    if not sweep.numbers:
        ax.grid(False, axis="x")
        for between in range(1, len(sweep.values)):
            ax.axvline(between - 0.5, color="#d8d8d8", linewidth=0.7, zorder=0)


def _line(ax: Axes, sweep: Sweep, shown: Quantity, place: int, there: Sequence[Point]) -> None:
    x = _positions(sweep, place, [point.at for point in there])
    mean = np.array([point.value.mean for point in there])
    half = np.nan_to_num([point.value.half for point in there])
    below, above = mean - np.maximum(mean - half, shown.least), np.minimum(mean + half, shown.most) - mean
    look = _look(sweep.lines[place].style) | ({} if sweep.numbers else {"linestyle": "none"})
    bars: dict[str, Any] = {"elinewidth": 0.9, "capsize": 1.8, "capthick": 0.8, "zorder": 3}
    ax.errorbar(x, mean, yerr=np.maximum([below, above], 0), **look, **bars)
    for at, point in zip(x, there, strict=True):
        if arrow := ARROWS.get(point.trend):
            high = at, point.value.mean + np.nan_to_num(point.value.half)
            ax.annotate(arrow, high, (0, 2), textcoords="offset points", ha="center", fontsize=8, color=look["color"])


def _positions(sweep: Sweep, place: int, at: Sequence[int]) -> Floats:
    """Lines lie side by side, so that intervals can be told apart."""
    aside = (place - (len(sweep.lines) - 1) / 2) / len(sweep.lines)
    if sweep.numbers is None:
        return np.array(at, float) + WIDE * aside
    numbers = np.array(sweep.numbers)
    if _logarithmic(numbers):
        return numbers[list(at)] * (numbers.max() / numbers.min()) ** (ASIDE * aside)
    return numbers[list(at)] + np.ptp(numbers) * ASIDE * aside


def _logarithmic(values: Floats) -> bool:
    return bool(values.min() > 0 and values.max() > APART * values.min())


def _horizontal(ax: Axes, sweep: Sweep) -> None:
    ax.set_xlabel(literal(sweep.axis))
    if sweep.numbers is None:
        labels = [fill(value.replace("_", " "), LETTERS, break_long_words=False) for value in sweep.values]
        ax.set_xticks(range(len(sweep.values)), list(map(literal, labels)), fontsize=8)
        ax.set_xlim(-0.5, len(sweep.values) - 0.5)
        return
    if _logarithmic(np.array(sweep.numbers)):
        ax.set_xscale("log")
    ax.set_xticks(sweep.numbers, [f"{number:g}" for number in sweep.numbers])
    ax.xaxis.set_minor_locator(NullLocator())


def _vertical(ax: Axes, shown: Quantity, there: Sequence[Point]) -> None:
    """One axis for the row."""
    means = np.array([point.value.mean for point in there])
    if not (shown.size and _logarithmic(means)):
        ax.margins(y=0.15 if shown.size else 0.07)
        ax.yaxis.set_major_locator(MaxNLocator(5))
        return
    low, high = means.min() / 1.4, means.max() * 1.6
    among = (1, 2, 3, 5, 7) if high < 20 * low else (1, 2, 5) if high < 200 * low else (1,)
    ticks = [number * 10**decade for decade in range(12) for number in among]
    ax.set_yscale("log")
    ax.set_ylim(low, high)
    ax.yaxis.set_major_locator(FixedLocator([tick for tick in ticks if low <= tick <= high]))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def _look(style: Style) -> dict[str, Any]:
    return line_look(style, width=1.1, marker=4.6)


def _caption(sweep: Sweep, rows: Sequence[Quantity]) -> str:
    seeds, tasks = [len(curve.traces) for curve in sweep.curves], [curve.tasks for curve in sweep.curves]
    said = [f"Mean over {_span(seeds)} seed{'s' if max(seeds) > 1 else ''}, {_span(tasks)} tasks"]
    said[0] += "; bars: 95 % t interval" if max(seeds) >= ENOUGH else ""
    for over in dict.fromkeys(one.over for one in rows):
        names = [one.title.partition(" (")[0].lower() for one in rows if one.over == over]
        said.append(f"{', '.join(names)}: {over.format(window=_span(list(map(window, tasks))))}".capitalize())
    if GAP in rows:
        said.append(f"A fresh network is drawn anew in every task: {', '.join(sweep.yardsticks)}")
    if DIFFERENCE in rows:
        said.append(f"The default is {sweep.key}={sweep.default}")
    if any(one.size for one in rows):
        said.append("Sizes are of networks that change theirs (↑ still rising, ↓ falling, ? undecided)")
    return ". ".join(said)


def _span(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}"
