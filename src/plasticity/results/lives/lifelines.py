"""The units of one run: each a line from birth to death, darker where it fires more; and how old they are."""

from collections.abc import Mapping

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import Colormap, ListedColormap, to_rgb
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D

from plasticity.ground.arrays import Floats
from plasticity.results.drawing import LOOK, literal
from plasticity.results.lives.history import History
from plasticity.results.lives.survival import ages_at
from plasticity.results.lives.titles import of_run
from plasticity.results.words import BLUE, GREEN, ORANGE, PURPLE, VERMILION

WIDTH, HEIGHT, AGES = 8.2, 6.6, 1.35  # inches; of the panel of ages
VECTORS = 20_000  # lines, beyond which a pdf would be slow to show
AGE_GROUPS = (0, 2, 8, 32, 128)  # tasks: where a group of ages begins
WHYS = (VERMILION, PURPLE, ORANGE, GREEN, BLUE)


def shades() -> Colormap:
    """Never, which is what matters, stands out from seldom."""
    silent, seldom, always = (np.array(to_rgb(name)) for name in ("#f3b8a0", "#c9d9ea", "#08306b"))
    steps = np.linspace(0, 1, 255)[:, None] ** 0.7
    return ListedColormap(np.vstack([silent, (1 - steps) * seldom + steps * always]))


@matplotlib.rc_context(LOOK)
def figure(one: History) -> Canvas:
    canvas = Canvas(figsize=(WIDTH, HEIGHT))
    canvas.text(0.012, 1 - 0.13 / HEIGHT, literal(f"Lives of units: {of_run(one.what)}, seed {one.what['seed']}"),
                va="top", fontsize=11.5, fontweight="bold")  # fmt: skip
    upper, lower = canvas.subplots(
        2, 1, sharex=True, gridspec_kw={"left": 0.085, "right": 0.985, "top": 0.905, "bottom": 0.125,
                                        "height_ratios": (HEIGHT - AGES, AGES), "hspace": 0.16},
    )  # fmt: skip
    whys = dict(zip(dict.fromkeys(life.why for life in one.lives if life.why), WHYS, strict=False))
    _lines(upper, one)
    for why, color in whys.items():
        dead = [(one.when(life.died), life.unit) for life in one.lives if life.died and life.why == why]
        upper.plot(*np.array(dead).T, "x", color=color, markersize=3, markeredgewidth=0.9)
    upper.set_title("Units, by serial number")
    upper.set(xlim=(0, one.tasks), ylim=(-1, max(len(one.lives), 1)))
    _ages(lower, one)
    canvas.legend(handles=_handles(whys), loc="lower left", bbox_to_anchor=(0.004, 0), ncols=6, handlelength=1.6)
    return canvas


def _lines(axes: Axes, one: History) -> None:
    """A piece for each task that a unit began, and one before its first."""
    ends = {life.unit: one.tasks if life.died is None else one.when(life.died) for life in one.lives}
    pieces, shade = [], []
    for glance in one.glances:
        for unit, fired in zip(glance.units.tolist(), glance.looks["fired"].tolist(), strict=True):
            pieces.append(((glance.task, unit), (min(glance.task + 1, ends[unit]), unit)))
            shade.append(fired)
    for life in one.lives:  # until the first task that it begins nobody has looked
        start = one.when(life.born)
        pieces.append(((start, life.unit), (min(np.ceil(start), ends[life.unit]), life.unit)))
        shade.append(np.nan)
    width = float(np.clip(300 / max(len(one.lives), 1), 0.35, 4))
    lines = LineCollection(
        pieces, cmap=shades().with_extremes(bad="#b9bec6"), linewidths=width, rasterized=len(pieces) > VECTORS
    )
    lines.set_array(np.ma.masked_invalid(shade))
    lines.set_clim(0, 1)
    axes.add_collection(lines)


def _ages(axes: Axes, one: History) -> None:
    colors = [shades()(0.1 + 0.22 * place) for place in range(len(AGE_GROUPS))]
    axes.stackplot(np.arange(one.tasks), age_groups(one), colors=colors, linewidth=0)
    older = ", ".join(map(str, AGE_GROUPS[1:]))
    axes.set_title(f"Units by age, from below: under {AGE_GROUPS[1]} tasks, from {older} tasks on")
    axes.set(xlabel="Task", axisbelow=True)


def age_groups(one: History) -> Floats:  # (groups, tasks)
    """How many units are in each group of ages when a task begins."""
    edges = [*AGE_GROUPS, np.inf]
    return np.array([np.histogram(ages_at(one, task), edges)[0] for task in range(one.tasks)]).T


def _handles(whys: Mapping[str, str]) -> list[Line2D]:
    look = [(0.0, "never fires"), (0.02, "seldom"), (0.5, "on half of the samples"), (1.0, "always")]
    lines = [Line2D([], [], color=shades()(at), linewidth=3, label=label) for at, label in look]
    crosses = [
        Line2D([], [], color=color, marker="x", linestyle="none", markersize=5, label=f"died: {literal(why)}")
        for why, color in whys.items()
    ]
    return [*lines, *crosses]
