"""The paper's figures: which curves each shows, and drawing them for print."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from plasticity import words
from plasticity.curves import Curve, What, digest
from plasticity.statistics import ENOUGH, bands, smooth
from plasticity.words import Style

PANELS = {
    "accuracy": "Accuracy (%)",
    "dormancy": "Dormancy (%)",
    "units": "Hidden units",
    "connections": "Connections",
}
SHARES = ("accuracy", "dormancy")
SIZES = ("units", "connections")
APART = 8  # sizes that end further apart than this are drawn on a logarithmic axis
MARKED = 8  # markers a curve
WIDTH, PANEL_HEIGHT, GAP = 8.2, 2.05, 0.42  # inches
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
MARKERS = {
    "circle": "o",
    "square": "s",
    "diamond": "D",
    "cross": "P",
    "x": "X",
    "triangle-up": "^",
    "triangle-down": "v",
}


@dataclass(frozen=True)
class Preset:
    """A figure as conf/experiment has it, for one data set and N."""

    name: str
    title: str
    dataset: str
    N: int
    whats: tuple[What, ...]


@dataclass(frozen=True)
class Figure:
    preset: Preset
    curves: tuple[Curve, ...]
    missing: tuple[str, ...]  # in the paper's words
    settings: Mapping[str, Any]

    @property
    def name(self) -> str:
        return f"{self.preset.name}-{self.preset.dataset}-N{self.preset.N}"

    @property
    def title(self) -> str:
        return f"{self.preset.title} ({words.cell(self.preset.dataset, self.preset.N)})"

    def legend(self, curve: Curve) -> str:
        return words.legend(curve.what, self.settings)

    def style(self, curve: Curve) -> Style:
        if all("layers" in what["model"] for what in self.preset.whats):
            return words.by_size(curve.what["model"]["layers"], curve.what["model"]["width"])
        places = [digest(what) for what in self.preset.whats]
        return words.style(curve.what, self.settings, places.index(curve.key))

    @cached_property
    def panels(self) -> tuple[str, ...]:
        """Sizes only where some network changes its size."""
        changing = any(np.ptp(curve.series("units")) > 0 for curve in self.curves)
        return (*SHARES, *SIZES) if changing else SHARES

    def logarithmic(self, panel: str) -> bool:
        if panel not in SIZES:
            return False
        ends = [float(np.nanmean(curve.series(panel)[:, -1])) for curve in self.curves]
        return min(ends) > 0 and max(ends) > APART * min(ends)

    @cached_property
    def notes(self) -> list[str]:
        """What is not in it, and why."""
        said = [f"no runs of {legend}" for legend in self.missing]
        seeds = sorted({seed for curve in self.curves for seed in curve.seeds})
        for curve in self.curves:
            said += [f"{self.legend(curve)}: {reason}" for reason in curve.left_out]
            named = " ".join(curve.left_out)
            absent = [seed for seed in seeds if seed not in curve.seeds and f"seed {seed} " not in named]
            if absent:
                said.append(f"{self.legend(curve)}: no run of seed {', '.join(map(str, absent))}")
        lengths = {curve.tasks for curve in self.curves}
        if len(lengths) > 1:
            shorter = [curve for curve in self.curves if curve.tasks < max(lengths)]
            said += [f"{self.legend(curve)}: {curve.tasks} tasks, others {max(lengths)}" for curve in shorter]
        return said


def figures(presets: Sequence[Preset], curves: Sequence[Curve], settings: Mapping[str, Any]) -> list[Figure]:
    """One for each preset, data set and N that has runs."""
    there = {curve.key: curve for curve in curves}
    found = []
    for preset in presets:
        keys = {digest(what): what for what in preset.whats}
        shown = tuple(there[key] for key in keys if key in there)
        missing = tuple(words.legend(what, settings) for key, what in keys.items() if key not in there)
        if shown:
            found.append(Figure(preset, shown, missing, settings))
    return found


def idle(figure: Figure, others: Sequence[Figure]) -> bool:
    """Shows nothing that a more complete figure of the same data does not show."""

    def share(one: Figure) -> float:
        return len(one.curves) / (len(one.curves) + len(one.missing))

    same = [
        one
        for one in others
        if (one.preset.dataset, one.preset.N) == (figure.preset.dataset, figure.preset.N)
    ]
    mine = {curve.key for curve in figure.curves}
    return any(mine <= {curve.key for curve in one.curves} and share(one) > share(figure) for one in same)


def save(figure: Figure, folder: Path, width: int) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{figure.name}.{kind}" for kind in ("png", "pdf")]
    canvas = draw(figure, width)
    canvas.savefig(paths[0], dpi=160)
    canvas.savefig(paths[1], metadata={"CreationDate": None})  # the same figure is the same file
    return paths


@matplotlib.rc_context(LOOK)
def draw(figure: Figure, width: int = 1) -> Canvas:
    """`width`: tasks of the moving mean; 1 is none."""
    rows, legend_rows = len(figure.panels) // 2, -(-len(figure.curves) // 3)
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
        ncols=3,
        title=caption,
        alignment="left",
    )
    return canvas


def _panel(ax: Axes, figure: Figure, panel: str, width: int) -> None:
    scale = 100 if panel in SHARES else 1
    for curve in figure.curves:
        band, style = bands(curve.series(panel)), figure.style(curve)
        mean, half = smooth(band.mean, width) * scale, smooth(band.half, width) * scale
        tasks = np.arange(1, curve.tasks + 1)
        ax.fill_between(tasks, mean - half, mean + half, color=style.color, alpha=0.17, linewidth=0)
        ax.plot(tasks, mean, markevery=_marks(figure, curve), **_line(style))
    ax.set_title(PANELS[panel])
    if figure.logarithmic(panel):
        ax.set_yscale("log")
        ax.set_ylim(bottom=max(1.0, ax.get_ylim()[0]))  # a mean of less than one unit has no place on it
    if panel in SIZES:
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    if panel == "dormancy":
        ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    ax.margins(x=0.01)


def _marks(figure: Figure, curve: Curve) -> tuple[int, int]:
    """Staggered, so that markers of curves on top of each other can be seen."""
    step = max(1, curve.tasks // MARKED)
    return (figure.curves.index(curve) * step // len(figure.curves), step)


def _line(style: Style) -> dict[str, Any]:
    return {
        "color": style.color,
        "linestyle": DASHES[style.dash],
        "linewidth": 1.2,
        "marker": MARKERS[style.marker],
        "markersize": 4.2,
        "markeredgecolor": "white",
        "markeredgewidth": 0.5,
    }


def _handle(figure: Figure, curve: Curve) -> Line2D:
    return Line2D([], [], label=figure.legend(curve), **_line(figure.style(curve)))


def _caption(figure: Figure, width: int) -> str:
    counts = sorted({len(curve.traces) for curve in figure.curves})
    seeds = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    said = f"Mean over {seeds} seed{'s' if counts[-1] > 1 else ''}"
    said += "; band: 95 % t interval" if counts[-1] >= ENOUGH else ""
    said += f"; moving mean of {width} tasks" if width > 1 else ""
    said += f". No runs of {'; '.join(figure.missing)}" if figure.missing else ""
    return fill(said, 140)
