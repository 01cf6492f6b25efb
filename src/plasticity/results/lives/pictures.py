"""Lives in figures: survival, hazard by age, ages over tasks, and the size that follows from births and deaths."""

from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from plasticity.results.drawing import DASHES, LOOK, MARKERS, literal
from plasticity.results.lives.balance import predicted, sizes
from plasticity.results.lives.groups import Group, median_age
from plasticity.results.lives.survival import doubling, hazard
from plasticity.results.words import cell

WIDTH, HEIGHT, ROW = 8.2, 6.3, 0.2  # inches; of each row of the legend
PER_ROW = 2
LEAST_LIVED = 20  # unit-tasks, below which an age says nothing


@matplotlib.rc_context(LOOK)
def figure(groups: Sequence[Group]) -> Canvas:
    """Of one data set and N."""
    rows = -(-len(groups) // PER_ROW)
    height = HEIGHT + ROW * rows
    canvas = Canvas(figsize=(WIDTH, height))
    curve = groups[0].curve
    where = literal(cell(curve.dataset, curve.N))
    canvas.text(0.012, 1 - 0.13 / height, f"Lives of units, {where}", va="top", fontsize=11.5, fontweight="bold")
    edges = {"left": 0.075, "right": 0.985, "top": 1 - 0.68 / height, "bottom": (0.85 + ROW * rows) / height}
    axes = canvas.subplots(2, 2, squeeze=False, gridspec_kw={**edges, "wspace": 0.24, "hspace": 0.42})
    for draw, ax in zip((_survival, _hazard, _ages, _sizes), axes.flat, strict=True):
        draw(ax, groups)
    handles = [_handle(group) for group in groups]
    canvas.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0.004, 0),
        ncols=PER_ROW,
        title=_caption(groups),
        alignment="left",
    )
    return canvas


def _handle(group: Group) -> Line2D:
    return Line2D([], [], color=group.style.color, linestyle=DASHES[group.style.dash], label=literal(group.name),
                  marker=MARKERS[group.style.marker], markersize=4.5)  # fmt: skip


def _caption(groups: Sequence[Group]) -> str:
    seeds = sorted({len(group.histories) for group in groups})
    counted = f"{seeds[0]}" if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"
    what = f"All units of {counted} seed{'s' if seeds[-1] > 1 else ''} together, those that live on censored"
    bars = "bands and bars: 95 % intervals, of units as if independent"
    return f"{what}; {bars}.\nLast panel, thin: predicted from births and the survival curve."


def _survival(axes: Axes, groups: Sequence[Group]) -> None:
    for group in groups:
        found, color = group.survival, group.style.color
        age = np.append(found.age, found.longest)
        alive, low, high = (100 * np.append(each, each[-1]) for each in (found.alive, found.low, found.high))
        axes.step(age, alive, where="post", color=color, linestyle=DASHES[group.style.dash], linewidth=1.6)
        axes.fill_between(age, low, high, step="post", color=color, alpha=0.15, linewidth=0)
    axes.set_title("Survival (%)")
    axes.set(xlabel="Age (tasks)", ylim=(0, 103), xlim=(0, None))


def _hazard(axes: Axes, groups: Sequence[Group]) -> None:
    longest = max(group.survival.longest for group in groups)
    edges = doubling(longest)
    for place, group in enumerate(groups):
        age, dead = group.lifetimes
        found = hazard(age, dead, edges)
        lived = np.clip(age[:, None] - edges[:-1], 0, np.diff(edges)).sum(axis=0)
        some = (lived >= LEAST_LIVED) & (found.rate > 0)  # no death has no place on a logarithmic axis
        middle = np.arange(len(found.rate)) + 0.5 + 0.06 * (place - (len(groups) - 1) / 2)
        bars = 100 * np.vstack([found.rate - found.low, found.high - found.rate])[:, some]
        look = {"color": group.style.color, "linestyle": DASHES[group.style.dash], "linewidth": 1.3}
        look |= {"marker": MARKERS[group.style.marker], "markersize": 4, "elinewidth": 0.8}
        axes.errorbar(middle[some], 100 * found.rate[some], yerr=bars, **look)
    axes.set_xticks(np.arange(len(edges)), [f"{edge:g}" for edge in edges])
    axes.set_title("Hazard (deaths per 100 units and task)")
    axes.set(xlabel="Age (tasks)", xlim=(0, len(edges) - 1))
    if any(np.size(line.get_xdata()) for line in axes.lines):  # somebody has died
        axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _ages(axes: Axes, groups: Sequence[Group]) -> None:
    for group in groups:
        axes.plot(median_age(group), color=group.style.color, linestyle=DASHES[group.style.dash], linewidth=1.5)
    axes.set_title("Median age of units (tasks)")
    axes.set(xlabel="Task", ylim=(0, None), xlim=(0, None))


def _sizes(axes: Axes, groups: Sequence[Group]) -> None:
    for group in groups:
        measured = np.mean([sizes(one) for one in group.histories], axis=0)
        expected = np.mean([predicted(one, group.survival) for one in group.histories], axis=0)
        axes.plot(measured, color=group.style.color, linestyle=DASHES[group.style.dash], linewidth=1.8, alpha=0.75)
        axes.plot(expected, color="#222222", linewidth=0.8)
    axes.set_title("Hidden units, and predicted")
    axes.set(xlabel="Task", ylim=(0, None), xlim=(0, None))
