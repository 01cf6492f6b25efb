"""Figures for print: readable without colour."""

from collections.abc import Sequence
from math import isfinite
from textwrap import fill
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter, FuncFormatter, MaxNLocator

from plasticity.results.curves import Curve
from plasticity.results.figures import Figure
from plasticity.results.measures import measure
from plasticity.results.panels import Line, light, limits, lines
from plasticity.results.statistics import ENOUGH
from plasticity.results.words import Style

MARKED = 8  # markers per curve
TICKS, LINEAR = 9, 0.35  # on a logarithmic axis: at most so many; and decades that 0 to 1 takes
THOUSANDS = 10_000  # from there on an axis says k, M, G
WIDTH, PANEL_HEIGHT, GAP = 8.2, 2.05, 0.42  # inches
LETTER, SAMPLE = 0.072, 0.68  # inches that a letter of a legend takes, and the line before it
LOOK: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#555555",
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "xtick.color": "#333333",
    "ytick.color": "#333333",
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "legend.title_fontsize": 7.5,
    "legend.columnspacing": 1.6,
    "legend.handlelength": 3.2,
    "path.simplify_threshold": 0.3,
}
DASHES = {"solid": "-", "dash": (0, (5, 2)), "dot": (0, (1, 1.4)), "dashdot": (0, (5, 1.5, 1, 1.5))}
STAR: dict[str, Any] = {"marker": "*", "s": 90, "color": "white", "linewidth": 1.1}  # a published number
MARKERS = {
    "circle": "o",
    "square": "s",
    "diamond": "D",
    "cross": "P",
    "x": "X",
    "triangle-up": "^",
    "triangle-down": "v",
}


@matplotlib.rc_context(LOOK)
def draw(figure: Figure, width: int | None = None) -> Canvas:
    """`width`: tasks of the moving mean, 1 for none; None: a few where it is needed."""
    columns = _columns([figure.legend(curve) for curve in figure.curves])
    across = min(2, len(figure.panels))
    rows, legend_rows = -(-len(figure.panels) // across), -(-len(figure.curves) // columns)
    # In inches, and by hand: an automatic layout draws everything twice more.
    caption = _caption(figure, width)
    above, below = 0.66, 0.78 + 0.2 * legend_rows + 0.13 * caption.count("\n")
    height = above + rows * PANEL_HEIGHT + (rows - 1) * GAP + below
    canvas = Canvas(figsize=(WIDTH, height))
    canvas.text(0.012, 1 - 0.13 / height, literal(figure.title), va="top", fontsize=11.5, fontweight="bold")
    edges = {"left": 0.075, "right": 0.985, "top": 1 - above / height, "bottom": below / height}
    axes = canvas.subplots(
        rows,
        across,
        sharex=True,
        squeeze=False,
        gridspec_kw={**edges, "wspace": 0.24, "hspace": GAP / PANEL_HEIGHT},
    )
    for place, (ax, panel) in enumerate(zip(axes.flat, figure.panels, strict=False)):
        _panel(ax, figure, panel, width)
        if place >= len(figure.panels) - across:
            ax.set_xlabel("Task")
            ax.tick_params(labelbottom=True)
    for ax in axes.flat[len(figure.panels) :]:
        ax.remove()
    canvas.legend(
        handles=[_handle(figure, curve) for curve in figure.curves],
        loc="lower left",
        bbox_to_anchor=(0.004, 0.0),
        ncols=columns,
        title=literal(caption),
        alignment="left",
    )
    return canvas


def _columns(legends: Sequence[str]) -> int:
    """As many as fit side by side; each is as wide as its longest legend."""
    for columns in (4, 3, 2):
        longest = [max(map(len, part), default=0) for part in np.array_split(np.array(legends), columns)]
        if sum(LETTER * letters + SAMPLE for letters in longest) < WIDTH:
            return columns
    return 1


def _panel(ax: Axes, figure: Figure, panel: str, width: int | None) -> None:
    shown, found = measure(panel), lines(figure, panel, width)
    for curve, line in zip(figure.curves, found, strict=True):
        style, tasks = figure.style(curve), np.arange(curve.tasks)
        if line.raw is not None:
            ax.plot(tasks, line.raw, color=style.color, alpha=0.22, linewidth=0.5, zorder=1.5)
        ax.fill_between(tasks, line.low, line.high, color=style.color, alpha=0.17, linewidth=0)
        drawn: dict[str, Any] = line_look(style) | {"marker": ""}
        marks: dict[str, Any] = line_look(style) | {"linestyle": "", "zorder": 2.5}  # above all lines
        ax.plot(tasks, line.mean, **drawn)
        ax.plot(tasks, line.mean, markevery=_marks(figure, curve), **marks)
        if panel == "accuracy" and (there := figure.published(curve)):
            ax.scatter(list(there), list(there.values()), **STAR, edgecolor=style.color, zorder=3, clip_on=False)
    ax.set_title(literal(shown.axis))
    _axis(ax, figure, panel, found)
    ax.margins(x=0.01)
    ax.xaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 5, 10]))


def _axis(ax: Axes, figure: Figure, panel: str, found: Sequence[Line]) -> None:
    shown = measure(panel)
    if figure.logarithmic(panel):
        _logarithmic(ax, [value for line in found for value in line.mean if isfinite(value)])
    else:
        low, high, outside = limits(found)
        starred = [value for curve in figure.curves for value in figure.published(curve).values()]
        if panel == "accuracy" and starred:
            low, high = min(low, *starred), max(high, *starred)
        ax.set_ylim(min(0.0, low) if shown.from_zero else low, high)
        if outside:
            said = f"{outside} value{'s' if outside > 1 else ''} outside"
            over = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5}
            ax.text(
                0.99, 0.98, said, transform=ax.transAxes, ha="right", va="top", fontsize=7, color="#777777", bbox=over
            )
    if shown.size:
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    elif max(map(abs, ax.get_ylim())) >= THOUSANDS:
        ax.yaxis.set_major_formatter(EngFormatter(sep=" "))


def _logarithmic(ax: Axes, values: Sequence[float]) -> None:
    """Linear from 0 to 1, so that a network without units has its place; ticks at 1, 2, 5, 10, … as far as there is
    room for them."""
    low, high = min(values), max(values)
    ax.set_yscale("symlog", linthresh=1, linscale=LINEAR)
    ax.set_ylim(-0.05 if low < 1 else low / 1.25, high * 1.25)
    ticks = [tick for decade in range(12) for tick in (10**decade, 2 * 10**decade, 5 * 10**decade)]
    there = [tick for tick in ticks if low / 1.25 <= tick <= high * 1.25]
    there = there if len(there) <= TICKS else [tick for tick in there if f"{tick}".startswith("1")]
    ax.set_yticks([*([0] if low < 1 else []), *there])
    ax.minorticks_off()


def _marks(figure: Figure, curve: Curve) -> tuple[int, int]:
    """Staggered, so that markers of curves on top of each other can be seen, in a short run, too."""
    step = max(min(len(figure.curves), curve.tasks), curve.tasks // MARKED)
    return (figure.curves.index(curve) * step // len(figure.curves), step)


def line_look(style: Style, width: float = 1.2, marker: float = 4.2) -> dict[str, Any]:
    """Markers of a dashed line are hollow: among noise a dash cannot be told from a line."""
    inside, edge = (style.color, "white") if style.dash == "solid" else ("white", style.color)
    return {
        "color": style.color,
        "linestyle": DASHES[style.dash],
        "linewidth": width,
        "marker": MARKERS[style.marker],
        "markersize": marker,
        "markerfacecolor": inside,
        "markeredgecolor": edge,
        "markeredgewidth": 0.5 if inside == style.color else 1.0,
    }


def _handle(figure: Figure, curve: Curve) -> Line2D:
    return Line2D([], [], label=literal(figure.legend(curve)), **line_look(figure.style(curve)))


def _smoothing(figure: Figure, width: int | None) -> str:
    if width is not None:
        return f"; moving mean of {width} tasks" if width > 1 else ""
    widths = {panel: light(figure, panel) for panel in figure.panels}
    smoothed = [measure(panel).title.lower() for panel, tasks in widths.items() if tasks > 1]
    what = " and ".join(smoothed)
    return f"; {what}: moving mean of {max(widths.values())} tasks, raw lines faint" if smoothed else ""


def literal(text: str) -> str:
    """Dollars would make it a formula."""
    return text.replace("$", r"\$")


def _caption(figure: Figure, width: int | None) -> str:
    counts = sorted({len(curve.traces) for curve in figure.curves})
    seeds = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    said = f"Mean over {seeds} seed{'s' if counts[-1] > 1 else ''}"
    said += "; band: 95 % t interval" if counts[-1] >= ENOUGH else ""
    said += f" of {ENOUGH} seeds or more" if counts[0] < ENOUGH <= counts[-1] else ""
    said += "; stars: published" if any(map(figure.published, figure.curves)) else ""
    said += _smoothing(figure, width)
    said += f". No runs of {'; '.join(figure.missing)}" if figure.missing else ""
    return fill(said, 140)
