"""Figures for print: readable without colour, PNG and PDF."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from io import BytesIO
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator
from PIL import Image

from plasticity.results.curves import Curve
from plasticity.results.figures import Figure
from plasticity.results.measures import measure
from plasticity.results.statistics import ENOUGH, bands, smooth
from plasticity.results.words import Style

MARKED = 8  # markers per curve
MOST_WORKERS = 8
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


def save_all(figures: Sequence[Figure], folder: Path, width: int) -> Iterator[list[Path]]:
    """On every core: drawing is most of the time."""
    folder.mkdir(parents=True, exist_ok=True)
    workers = min(len(figures), len(os.sched_getaffinity(0)), MOST_WORKERS)
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(partial(save, folder=folder, width=width), figures)


def save(figure: Figure, folder: Path, width: int) -> list[Path]:
    paths = [folder / f"{figure.name}.{kind}" for kind in ("png", "pdf")]
    canvas = draw(figure, width)
    drawn = BytesIO()
    canvas.savefig(drawn, format="png", dpi=160)
    with Image.open(drawn) as image:  # a third of the size, in as many colours as there are to see
        image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(paths[0], optimize=True)
    canvas.savefig(paths[1], metadata={"CreationDate": None})  # the same figure is the same file
    return paths


@matplotlib.rc_context(LOOK)
def draw(figure: Figure, width: int = 1) -> Canvas:
    """`width`: tasks of the moving mean; 1 is none."""
    columns = _columns([figure.legend(curve) for curve in figure.curves])
    rows, legend_rows = len(figure.panels) // 2, -(-len(figure.curves) // columns)
    # In inches, and by hand: an automatic layout draws everything twice more.
    caption = _caption(figure, width)
    above, below = 0.66, 0.78 + 0.2 * legend_rows + 0.13 * caption.count("\n")
    height = above + rows * PANEL_HEIGHT + (rows - 1) * GAP + below
    canvas = Canvas(figsize=(WIDTH, height))
    canvas.text(0.012, 1 - 0.13 / height, figure.title, va="top", fontsize=11.5, fontweight="bold")
    edges = {"left": 0.075, "right": 0.985, "top": 1 - above / height, "bottom": below / height}
    axes = canvas.subplots(
        rows,
        2,
        sharex=True,
        squeeze=False,
        gridspec_kw={**edges, "wspace": 0.24, "hspace": GAP / PANEL_HEIGHT},
    )
    for place, (ax, panel) in enumerate(zip(axes.flat, figure.panels, strict=True)):
        _panel(ax, figure, panel, width)
        if place >= 2 * (rows - 1):
            ax.set_xlabel("Task")
    canvas.legend(
        handles=[_handle(figure, curve) for curve in figure.curves],
        loc="lower left",
        bbox_to_anchor=(0.004, 0.0),
        ncols=columns,
        title=caption,
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


def _panel(ax: Axes, figure: Figure, panel: str, width: int) -> None:
    shown = measure(panel)
    scale, least, most = shown.scale, shown.least, shown.most
    for curve in figure.curves:
        band, style = bands(curve.series(panel)), figure.style(curve)
        mean, half = smooth(band.mean, width) * scale, smooth(band.half, width) * scale
        tasks = np.arange(1, curve.tasks + 1)
        low = np.maximum(mean - half, -np.inf if least is None else least * scale)  # no share is below 0 or above 1
        high = np.minimum(mean + half, np.inf if most is None else most * scale)
        ax.fill_between(tasks, low, high, color=style.color, alpha=0.17, linewidth=0)
        ax.plot(tasks, mean, markevery=_marks(figure, curve), **_line(style))
        if panel == "accuracy" and (there := figure.published(curve)):
            ax.scatter([task + 1 for task in there], list(there.values()), **STAR, edgecolor=style.color, zorder=3)
    ax.set_title(shown.axis)
    if figure.logarithmic(panel):
        ax.set_yscale("log")
        ax.set_ylim(bottom=max(0.5, ax.get_ylim()[0]))  # a mean of less than half a unit has no place on it
    if shown.size:
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    if shown.from_zero:
        ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    ax.margins(x=0.01)
    ax.xaxis.set_major_locator(MaxNLocator(5, integer=True, steps=[1, 2, 5, 10]))


def _marks(figure: Figure, curve: Curve) -> tuple[int, int]:
    """Staggered, so that markers of curves on top of each other can be seen."""
    step = max(1, curve.tasks // MARKED)
    return (figure.curves.index(curve) * step // len(figure.curves), step)


def _line(style: Style) -> dict[str, Any]:
    """Markers of a dashed line are hollow: among noise a dash cannot be told from a line."""
    inside, edge = (style.color, "white") if style.dash == "solid" else ("white", style.color)
    return {
        "color": style.color,
        "linestyle": DASHES[style.dash],
        "linewidth": 1.2,
        "marker": MARKERS[style.marker],
        "markersize": 4.2,
        "markerfacecolor": inside,
        "markeredgecolor": edge,
        "markeredgewidth": 0.5 if inside == style.color else 1.0,
    }


def _handle(figure: Figure, curve: Curve) -> Line2D:
    return Line2D([], [], label=figure.legend(curve), **_line(figure.style(curve)))


def _caption(figure: Figure, width: int) -> str:
    counts = sorted({len(curve.traces) for curve in figure.curves})
    seeds = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    said = f"Mean over {seeds} seed{'s' if counts[-1] > 1 else ''}"
    said += "; band: 95 % t interval" if counts[-1] >= ENOUGH else ""
    said += "; stars: published" if any(map(figure.published, figure.curves)) else ""
    said += f"; moving mean of {width} tasks" if width > 1 else ""
    said += f". No runs of {'; '.join(figure.missing)}" if figure.missing else ""
    return fill(said, 140)
