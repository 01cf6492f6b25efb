"""The comparison in pictures: ranked and against cost, over tasks, beside a fresh network, and by setting."""

# pandas declares more than comes out: a group's key and what a column gives are of any type there.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportIndexIssue=false
# pyright: reportGeneralTypeIssues=false, reportOperatorIssue=false

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import EngFormatter, LogLocator

from plasticity.ground.arrays import Floats
from plasticity.results.drawing import DASHES, LOOK
from plasticity.results.field import comparison
from plasticity.results.field.comparison import Evaluated, Row
from plasticity.results.field.entries import ELASTIC, SCRATCH, Class
from plasticity.results.field.sensitivity import LAYERS, numeric, short, span, varied
from plasticity.results.field.tables import EQUAL_IN, REGIMES, name
from plasticity.results.statistics import bands, smooth
from plasticity.results.words import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, UNITS_PER_TASK, VERMILION, Style, cell

MOVING = 10  # tasks of the moving mean
MARKS = "osD"
GREY = "#8a8a8a"
NEAR = 0.25  # in a logarithm, of costs whose numbers would lie on one another
LEAST, ASIDE = 0.033, 0.04  # of an axis: between two numbers, and from a point to its own
ACCURACY = "Accuracy over all tasks (%)"
COSTS = {"connections": "Connections", "work": "Operations per task"}
COLOURS = (BLACK, VERMILION, BLUE, ORANGE, SKY, PURPLE)  # of fixed networks
GREENS = (GREEN, "#7cae3f")  # of growing ones


def all_of(found: Sequence[Evaluated], tried: pd.DataFrame) -> Iterator[tuple[str, Canvas]]:
    """Each with the name of its file."""
    for where, together in comparison.groups(found).items():
        rows = comparison.rows(together)
        yield f"ranking-{where.name}", ranking(rows, name(where))
        yield f"tasks-{where.name}", over_tasks(rows, name(where))
        if any(row.contestant == SCRATCH for row in rows):
            yield f"gap-{where.name}", gap(rows, name(where))
    for (*place, growth), together in overviews(found).items():
        title = f"{cell(*place)}: ahead of an AEN with {UNITS_PER_TASK[growth]}"
        yield "overview-{}-N{}-{}".format(*place, growth), overview(together, title)
    for place, there in tried.groupby(["dataset", "N"], sort=False):
        yield "sensitivity-{}-N{}".format(*place), sensitivity(there, f"Every setting tried: {cell(*place)}")


def overviews(found: Sequence[Evaluated]) -> dict[tuple[str, int, str], dict[Class, Sequence[Row]]]:
    """By data set, N and growth, what is compared there: wherever there is more than one class."""
    together: dict[tuple[str, int, str], dict[Class, Sequence[Row]]] = {}
    for where, each in comparison.groups(found).items():
        together.setdefault((where.dataset, where.N, where.growth), {})[where] = comparison.rows(each)
    return {place: classes for place, classes in together.items() if len(classes) > 1}


@matplotlib.rc_context(LOOK)
def overview(classes: Mapping[Class, Sequence[Row]], title: str) -> Canvas:
    """Every contestant's distance from AEN with its interval: a panel by step sizes, a mark by what is equal."""
    regimes = list(dict.fromkeys(where.regime for where in classes))
    ahead = {
        where: {row.contestant: row for row in rows if row.contestant != ELASTIC} for where, rows in classes.items()
    }
    most = max(map(len, ahead.values()))
    canvas = _canvas(title, 3 + 3.6 * len(regimes), 1.4 + 0.34 * most)
    for ax, regime in zip(canvas.subplots(1, len(regimes), squeeze=False)[0], regimes, strict=True):
        there = {where: rows for where, rows in ahead.items() if where.regime == regime}
        _distances(ax, there)
        ax.set_title(REGIMES[regime])
    canvas.legend(*canvas.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(MARKS))
    return canvas


def _distances(ax: Axes, classes: Mapping[Class, Mapping[str, Row]]) -> None:
    """Ordered as where connections are equal, or whatever is there."""
    order = list(dict.fromkeys(name for rows in classes.values() for name in rows))
    titles = {name: row.evaluated.choice.title for rows in classes.values() for name, row in rows.items()}
    for at, (where, rows) in enumerate(classes.items()):
        off = 0.22 * (at - (len(classes) - 1) / 2)
        places = [order.index(name) + off for name in rows]
        mean, half = (
            np.array([getattr(row.ahead_of_elastic, each) for row in rows.values()]) for each in ("mean", "half")
        )
        style = {"fmt": MARKS[at % len(MARKS)], "markersize": 4, "color": COLOURS[at % len(COLOURS)], "linewidth": 1}
        ax.errorbar(100 * mean, places, xerr=100 * np.nan_to_num(half), label=f"equal {EQUAL_IN[where.match]}", **style)
    ax.axvline(0, color=GREEN, linewidth=1)
    ax.set_yticks(range(len(order)), [titles[name] for name in order])
    ax.invert_yaxis()
    ax.set_xlabel("Accuracy over all tasks minus AEN's (points)")


@matplotlib.rc_context(LOOK)
def ranking(rows: Sequence[Row], title: str) -> Canvas:
    """Accuracy with its interval, the best on top; then the same against each cost, by the number in the ranking."""
    canvas = _canvas(title, 10.5, 1.3 + 0.24 * len(rows))
    axes = canvas.subplots(1, 1 + len(COSTS), gridspec_kw={"width_ratios": [1.15, 1, 1]})
    _ranks(axes[0], rows)
    for ax, (cost, label) in zip(axes[1:], COSTS.items(), strict=True):
        _against(ax, rows, cost)
        ax.set_xlabel(label)
    axes[-1].legend(loc="lower right", bbox_to_anchor=(1, 1), borderaxespad=0)  # above: points may be anywhere
    return canvas


def _ranks(ax: Axes, rows: Sequence[Row]) -> None:
    places, looks = np.arange(len(rows)), styles(rows)
    for place, row in enumerate(rows):
        style = {"fmt": "o", "markersize": 4, "color": looks[row.contestant].color, "capsize": 2, "linewidth": 1}
        ax.errorbar(100 * row.accuracy.mean, place, xerr=100 * np.nan_to_num(row.accuracy.half), **style)
    ax.set_yticks(places, [f"{row.evaluated.choice.title}  {place + 1}" for place, row in enumerate(rows)])
    ax.invert_yaxis()
    ax.set_xlabel(ACCURACY)


def _against(ax: Axes, rows: Sequence[Row], cost: str) -> None:
    looks = styles(rows)
    ax.set_xscale("log")
    for row in rows:
        at = row.sizes[cost], 100 * row.accuracy.mean
        ax.plot(*at, marker="o", markersize=3.5, color=looks[row.contestant].color, linestyle="none")
    front = sorted((row.sizes[cost], 100 * row.accuracy.mean) for row in rows if row.best[cost])
    style = {"color": "#777777", "linewidth": 0.9, "drawstyle": "steps-post", "zorder": 0}
    ax.plot(*zip(*front, strict=True), **style, label="Pareto front")
    ax.margins(x=0.12)
    _numbered(ax, [(row.sizes[cost], 100 * row.accuracy.mean) for row in rows])
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter(EngFormatter(sep=""))
    ax.set_xticks([], minor=True)
    ax.set_ylabel(ACCURACY)


def _numbered(ax: Axes, points: Sequence[tuple[float, float]]) -> None:
    """Each with its place in the ranking, of which the best is first; numbers of neighbours stand apart."""
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    line = {"arrowstyle": "-", "linewidth": 0.4, "color": GREY, "shrinkA": 0, "shrinkB": 2}
    placed: list[tuple[float, float]] = []
    for place, (x, y) in enumerate(points):
        above = min((text for other, text in placed if abs(np.log(other / x)) < NEAR), default=np.inf)
        placed.append((x, min(y, above - LEAST * (high - low))))
        beside = x * (right / left) ** ASIDE, placed[-1][1]
        ax.annotate(str(place + 1), (x, y), beside, fontsize=7, va="center", arrowprops=line)


@matplotlib.rc_context(LOOK)
def over_tasks(rows: Sequence[Row], title: str) -> Canvas:
    return _lines(rows, styles(rows), title, "Accuracy (%)", lambda one: one.series["accuracy"])


@matplotlib.rc_context(LOOK)
def gap(rows: Sequence[Row], title: str) -> Canvas:
    scratch = next(row.evaluated for row in rows if row.evaluated.choice.contestant == SCRATCH)
    others = [row for row in rows if row.evaluated is not scratch]
    label = "Accuracy minus that of a fresh network (points)"
    return _lines(others, styles(rows), title, label, lambda one: comparison.gap_over_tasks(one, scratch))


def _lines(
    rows: Sequence[Row], looks: Mapping[str, Style], title: str, label: str, series: Callable[[Evaluated], Floats]
) -> Canvas:
    canvas = _canvas(title, 9, 4.6)
    ax = canvas.subplots()
    for row in rows:
        band = bands(np.stack([smooth(seed, MOVING) for seed in series(row.evaluated)]))
        tasks, mean, half = np.arange(len(band.mean)), 100 * band.mean, 100 * np.nan_to_num(band.half)
        colour, dash = looks[row.contestant].color, DASHES[looks[row.contestant].dash]
        ax.fill_between(tasks, mean - half, mean + half, color=colour, alpha=0.1, linewidth=0)
        ax.plot(tasks, mean, color=colour, linestyle=dash, linewidth=1.3, label=row.evaluated.choice.title)
    ax.set(xlabel=f"Task (moving mean of {MOVING})", ylabel=label)
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    return canvas


@matplotlib.rc_context(LOOK)
def sensitivity(tried: pd.DataFrame, title: str) -> Canvas:
    """For each contestant and each key that was varied: every setting's accuracy, and the line of the best."""
    panels = [(who, key, table) for who, part in tried.groupby("title", sort=False) for key, table in varied(part)]
    across = min(4, len(panels))
    down = -(-len(panels) // across)
    marks = "line: the best with each value; hollow: one hidden layer"
    canvas = _canvas(f"{title}\n{marks}", 2.6 * across, 0.8 + 1.9 * down)
    axes = list(canvas.subplots(down, across, squeeze=False).flat)
    for ax, (who, key, table) in zip(axes, panels, strict=False):
        values = list(dict.fromkeys(table["value"]))
        at = dict(zip(values, values if numeric(values) else range(len(values)), strict=True))
        best = 100 * table.groupby("value", sort=False)["accuracy"].max()
        ax.plot([at[value] for value in best.index], best, "-", color=BLUE, linewidth=1.2)
        for flat, part in table.groupby(table["setting"].str.contains(f"{LAYERS}=1")):
            style = {"markerfacecolor": "white" if flat else GREY, "markeredgecolor": GREY, "markersize": 3}
            ax.plot([at[value] for value in part["value"]], 100 * part["accuracy"], "o", **style)
        _tried_values(ax, at)
        ax.set_ylim(*span(100 * table["accuracy"].to_numpy()))
        ax.set_title(f"{who}: {short(key)}", fontsize=8)
    for ax in axes[len(panels) :]:
        ax.set_visible(False)
    canvas.supylabel(ACCURACY, fontsize=9)
    return canvas


def _tried_values(ax: Axes, at: Mapping[float | str, float]) -> None:
    """One tick each: words side by side, numbers on a logarithmic axis on which 0 has a place, too."""
    if numeric(list(at)):
        least = min(value for value in at.values() if value > 0)
        ax.set_xscale("symlog", linthresh=least) if min(at.values()) <= 0 else ax.set_xscale("log")
    else:
        ax.tick_params(axis="x", labelsize=7, labelrotation=12)
    ax.set_xticks(list(at.values()), [value if isinstance(value, str) else f"{value:g}" for value in at])
    ax.set_xticks([], minor=True)
    ax.margins(x=0.12)


def styles(rows: Sequence[Row]) -> dict[str, Style]:
    """By contestant, whatever its rank, so that each looks the same in every figure: growing ones are green."""
    dashes = list(DASHES)
    grow, fixed = (sorted(row.contestant for row in rows if row.is_matched is matched) for matched in (False, True))
    greens = {who: Style(GREENS[at // len(dashes) % 2], dashes[at % len(dashes)]) for at, who in enumerate(grow)}
    others = [Style(COLOURS[at % len(COLOURS)], dashes[at // len(COLOURS) % len(dashes)]) for at in range(len(fixed))]
    return greens | dict(zip(fixed, others, strict=True))


def _canvas(title: str, width: float, height: float) -> Any:
    canvas = Canvas(figsize=(width, height), layout="constrained")
    canvas.suptitle(title, x=0.01, ha="left", fontsize=10, fontweight="bold")
    return canvas
