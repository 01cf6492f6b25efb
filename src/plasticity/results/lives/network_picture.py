"""A picture of a network: inputs below, hidden units in the order of birth, outputs above, connections by weight."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch
from matplotlib.patheffects import withStroke

from plasticity.ground.arrays import Floats
from plasticity.results.drawing import LOOK
from plasticity.results.lives.scenes import Scene, Wiring
from plasticity.results.words import BLUE, GREEN, VERMILION

MOST, FEW = 1_200, 300  # connections of one kind that are drawn, the largest; and that have all the ink they want
BENDS = np.linspace(0, 1, 24)[:, None]  # where a curve is computed
WIDTH, HEIGHT, LAYER = 8.2, 4.4, 1.0  # inches; of each hidden layer beyond the first
INPUTS, UNITS, OUTPUTS = 0.0, 1.0, 2.0  # heights of the rows of a network with one hidden layer
GREY, DARK, PALE = "#8a8f98", "#30343b", "#d9dce1"
ROW = 560  # points from the first unit of a full row to the last
NAMED = 42  # units in a row that have room for their numbers
MARKS = (BLUE, VERMILION, GREEN, DARK, "white")  # what these colours mean is in the legend
Places = Mapping[int, float]  # from left (0) to right (1), by serial number


@dataclass(frozen=True)
class Rows:
    """Where everything lies."""

    x: Floats  # (units,)
    y: Floats  # (units,)
    outputs: Floats  # (outputs, 2)
    top: float


def picture(scene: Scene, title: str, places: Places | None = None) -> Canvas:
    with matplotlib.rc_context(LOOK):
        deeper = len(scene.wiring.layers) - 1
        canvas = Canvas(figsize=(WIDTH, HEIGHT + LAYER * deeper))
        canvas.text(0.02, 0.975, title, va="top", fontsize=11.5 * fitting(title, 72), fontweight="bold")
        axes = canvas.add_axes((0.02, 0.1, 0.96, 0.82))
        paint(axes, scene, places)
        height = canvas.get_size_inches()[1]
        canvas.legend(
            handles=legend(scene),
            loc="lower left",
            bbox_to_anchor=(0.012, 0.0),
            ncols=9,
            columnspacing=1.1,
            handletextpad=0.5,
            handlelength=1.2,
            fontsize=8,
        )
        axes.set_position((0.02, 0.38 / height, 0.96, 1 - 0.75 / height))
        return canvas


def fitting(title: str, letters: int) -> float:
    """How much smaller a title must be where there is room for so many letters."""
    return min(1.0, letters / max(len(title), 1))


def paint(axes: Axes, scene: Scene, places: Places | None = None) -> None:
    """`places`: of units that may not be there any more, too; they are left free."""
    rows, wiring = _rows(scene, places), scene.wiring
    axes.set_axis_off()
    axes.set_xlim(-0.1, 1.03)
    axes.set_ylim(-0.16, rows.top + 0.16)
    _from_inputs(axes, rows, wiring)
    _between(axes, rows, wiring)
    _to_outputs(axes, rows, wiring)
    for serial, x in (places or {}).items():
        if serial not in scene.units and serial <= scene.units.max(initial=-1):
            axes.plot(x, UNITS, ".", color=PALE, markersize=3, zorder=2)
    _inputs(axes, wiring.inputs)
    _units(axes, scene, rows)
    _outputs(axes, rows)


def spread(count: int) -> Floats:
    """From left to right, not wider apart than looks good."""
    gap = min(1 / max(count - 1, 1), 0.08)
    return 0.5 + gap * (np.arange(count) - (count - 1) / 2)


def _rows(scene: Scene, places: Places | None) -> Rows:
    units, outputs = len(scene.units), scene.wiring.to_outputs.shape[1]
    x, y = np.zeros(units), np.zeros(units)
    for number, layer in enumerate(scene.wiring.layers):
        x[layer] = spread(len(layer)) if places is None else [places[int(serial)] for serial in scene.units[layer]]
        y[layer] = UNITS + number
    top = OUTPUTS + len(scene.wiring.layers) - 1
    return Rows(x, y, np.column_stack([0.5 + 0.75 * (spread(outputs) - 0.5), np.full(outputs, top)]), top)


def _strength(values: Floats) -> Floats:
    """0 to 1; a few large ones do not make all others pale."""
    size = np.abs(values)
    return np.clip(size / max(float(np.quantile(size, 0.98)), 1e-12), 0, 1) if size.size else size


def _lines(axes: Axes, curves: Floats, weights: Floats, signed: bool = True) -> None:  # (lines, points, 2), (lines,)
    """The largest on top, in blue if positive and in red if negative."""
    order = np.argsort(np.abs(weights), kind="stable")[-MOST:]
    strength = _strength(weights)[order, None]
    colors = np.where(weights[order, None] > 0, to_rgb(BLUE), to_rgb(VERMILION)) if signed else to_rgb(GREY)
    ink = min(1.0, (FEW / max(len(order), 1)) ** 0.7)  # many lines are paler, so that the rest of the picture shows
    rgba = np.hstack([np.broadcast_to(colors, (len(order), 3)), ink * (0.04 + 0.66 * strength**1.5)])
    widths = (0.3 + (0.2 + 0.9 * ink) * strength).ravel()
    axes.add_collection(LineCollection(list(curves[order]), colors=rgba, linewidths=widths, zorder=1))


def _curve(start: Floats, bend: Floats, end: Floats) -> Floats:  # (lines, 2) each → (lines, points, 2)
    points = [BENDS**k * (1 - BENDS) ** (2 - k) for k in range(3)]
    weighed = zip(points, (start, 2 * bend, end), strict=True)
    return np.sum([factor[None] * point[:, None] for factor, point in weighed], axis=0)


def _from_inputs(axes: Axes, rows: Rows, wiring: Wiring) -> None:
    seeing = np.flatnonzero(wiring.from_inputs)
    start = np.column_stack([rows.x, np.full(len(rows.x), INPUTS)])[seeing]
    end = np.column_stack([rows.x, rows.y])[seeing]
    _lines(axes, np.stack([start, end], axis=1), wiring.from_inputs[seeing], signed=False)
    outputs = np.flatnonzero(wiring.direct)
    apart = np.linspace(0, 1, len(outputs))[:, None]
    begin = np.array([-0.06, INPUTS]) + apart * [0.035, 0]
    bend = np.array([-0.11, 0.85 * rows.top]) + apart * [0.05, 0]
    _lines(axes, _curve(begin, bend, rows.outputs[outputs]), wiring.direct[outputs], signed=False)


def _between(axes: Axes, rows: Rows, wiring: Wiring) -> None:
    source, target = np.nonzero(wiring.between)
    start, end = (np.column_stack([rows.x[each], rows.y[each]]) for each in (source, target))
    if len(wiring.layers) == 1:  # units of one row: an arc below them, the deeper, the further they are apart
        depth = 0.15 + 1.5 * np.abs(end[:, 0] - start[:, 0]) ** 0.8
        bend = (start + end) / 2 - np.column_stack([np.zeros(len(depth)), np.minimum(depth, 1.75)])
        curves = _curve(start, bend, end)
    else:
        curves = np.stack([start, end], axis=1)
    _lines(axes, curves, wiring.between[source, target])


def _to_outputs(axes: Axes, rows: Rows, wiring: Wiring) -> None:
    source, target = np.nonzero(wiring.to_outputs)
    start = np.column_stack([rows.x[source], rows.y[source]])
    _lines(axes, np.stack([start, rows.outputs[target]], axis=1), wiring.to_outputs[source, target])


def _inputs(axes: Axes, inputs: int) -> None:
    box = FancyBboxPatch((-0.075, -0.06), 1.095, 0.12, boxstyle="round,pad=0,rounding_size=0.04", mutation_aspect=0.4)
    box.set(facecolor="#eef0f3", edgecolor=GREY, linewidth=0.8, zorder=3)
    axes.add_patch(box)
    axes.text(0.5, 0, f"{inputs} inputs", ha="center", va="center", fontsize=8, color=DARK, zorder=4)


def _units(axes: Axes, scene: Scene, rows: Rows) -> None:
    wide = max((len(layer) for layer in scene.wiring.layers), default=1)
    side = float(np.clip(min(1600 / wide, (ROW / wide) ** 2), 0.3, 90)) if wide else 90.0  # square points
    outline = 0.8 * min(1, 100 / max(wide, 1))  # where units are many, outlines would hide how much each fires
    shade = 1 - 0.85 * np.asarray(scene.fired, float)[:, None] * [1, 1, 1]
    frozen = np.arange(len(scene.units)) < scene.wiring.frozen
    for some, marker in ((frozen, "s"), (~frozen, "o")):
        axes.scatter(
            rows.x[some],
            rows.y[some],
            s=side,
            c=shade[some],
            marker=marker,
            edgecolors=DARK,
            linewidths=outline,
            zorder=5,
        )
    for marked, color, marker in ((scene.new, GREEN, "o"), (scene.going, VERMILION, "x")):
        some = np.isin(scene.units, list(marked))
        look: dict[str, Any] = {"facecolors": "none", "edgecolors": color} if marker == "o" else {"color": color}
        marks = axes.scatter(
            rows.x[some], rows.y[some], s=max(2.2 * side, 30), marker=marker, linewidths=1.8, zorder=6, **look
        )
        if marker == "x":  # it has the colour of many a line behind it
            marks.set_path_effects([withStroke(linewidth=4, foreground="white")])
    _numbers(axes, scene, rows, max(wide, round(wide / max(np.ptp(rows.x), 0.01)) if wide > 1 else 1))


def _numbers(axes: Axes, scene: Scene, rows: Rows, across: int) -> None:
    """As many serial numbers as there is room for, where so many units would fill the row."""
    step = next(step for step in (1, 5, 10, 50, 10**9) if across <= step * NAMED)
    if len(scene.wiring.layers) == 1:
        for serial, x in zip(scene.units, rows.x, strict=True):
            if serial % step:
                continue
            name = axes.text(x, UNITS + 0.09, f"{serial}", ha="center", va="bottom", fontsize=6.5, color=DARK, zorder=7)
            name.set_path_effects([withStroke(linewidth=2, foreground="white")])


def _outputs(axes: Axes, rows: Rows) -> None:
    axes.scatter(*rows.outputs.T, s=150, c="white", edgecolors=DARK, linewidths=0.9, zorder=5)
    for number, (x, y) in enumerate(rows.outputs):
        axes.text(x, y, f"{number}", ha="center", va="center_baseline", fontsize=7.5, color=DARK, zorder=6)


def legend(scene: Scene, always: bool = False) -> list[Line2D]:
    """`always`: also the mark of those that are about to go, if there are none in this scene."""

    def mark(label: str, **look: Any) -> Line2D:
        return Line2D([], [], linestyle="none", label=label, **({"markeredgecolor": DARK, "markersize": 6} | look))

    def line(label: str, color: str) -> Line2D:
        return Line2D([], [], color=color, linewidth=1.6, label=label)

    marks = [
        mark("fires always", marker="o", markerfacecolor="#262626"),
        mark("never", marker="o", markerfacecolor="white"),
        mark("new", marker="o", markerfacecolor="none", markeredgecolor=GREEN, markeredgewidth=1.8, markersize=8),
    ]
    if scene.going or always:
        marks.append(mark("about to go", marker="x", markeredgecolor=VERMILION, markeredgewidth=1.8, markersize=7))
    frozen = [mark("frozen", marker="s", markerfacecolor="white")] if scene.wiring.frozen else []
    return [*marks, *frozen, line("positive weight", BLUE), line("negative", VERMILION), line("from inputs", GREY)]
