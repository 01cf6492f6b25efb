"""A network that grows and shrinks, as a gif: one picture for each task."""

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator
from PIL import Image

from plasticity.ground.arrays import Floats
from plasticity.record import Record
from plasticity.results.drawing import LOOK
from plasticity.results.lives.network_picture import MARKS, Places, fitting, legend, paint
from plasticity.results.lives.scenes import Scene
from plasticity.results.saving import reduced
from plasticity.results.words import BLUE

FRAMES = 60  # at most; of a longer run some tasks are left out, evenly
ALL = 90  # units ever born that have room for a place of their own
SIZE, DPI, COLORS = (7.4, 4.9), 84, 40
PAUSE, LAST = 350, 2500  # milliseconds that a picture stays
STRIPS: Mapping[str, tuple[str, float]] = {"units": ("Hidden units", 1), "accuracy": ("Accuracy (%)", 100)}


def save(scenes: Iterator[Scene], rows: Sequence[Record], title: str, path: Path) -> Path:
    """`rows`: of tasks.csv; `title` goes above every picture."""
    there = list(scenes)
    chosen = [there[place] for place in np.unique(np.linspace(0, len(there) - 1, FRAMES).round().astype(int))]
    places = _places(there)
    columns = {name: np.array([row[name] for row in rows]) * by for name, (_, by) in STRIPS.items()}
    images = [_image(_frame(scene, columns, title, places, len(there) - 1)) for scene in chosen]
    first, *others = reduced(images, COLORS, MARKS)
    path.parent.mkdir(parents=True, exist_ok=True)
    pauses = [*[PAUSE] * len(others), LAST]
    first.save(path, save_all=True, append_images=others, duration=pauses, loop=0, optimize=True, disposal=1)
    return path


def _places(scenes: Sequence[Scene]) -> Places | None:
    """A place for every unit that there ever is, so that none moves; if they are too many, each moves up."""
    born = sorted({int(serial) for scene in scenes for serial in scene.units})
    if len(born) > ALL or any(len(scene.wiring.layers) > 1 for scene in scenes):
        return None
    return dict(zip(born, np.linspace(0.02, 0.98, len(born)).tolist(), strict=True))


@matplotlib.rc_context(LOOK)
def _frame(scene: Scene, columns: Mapping[str, Floats], title: str, places: Places | None, last: int) -> Canvas:
    canvas = Canvas(figsize=SIZE)
    canvas.text(0.02, 0.98, title, va="top", fontsize=10.5 * fitting(title, 52), fontweight="bold")
    units = f"{len(scene.units)} hidden unit{'s' if len(scene.units) != 1 else ''}"
    canvas.text(0.98, 0.98, f"task {scene.task}: {units}", va="top", ha="right", fontsize=10.5)
    paint(canvas.add_axes((0.02, 0.33, 0.96, 0.61)), scene, places)
    canvas.legend(
        handles=legend(scene, always=True), loc="center", bbox_to_anchor=(0.5, 0.305), ncols=9, fontsize=7,
        handlelength=1, columnspacing=1, handletextpad=0.4,
    )  # fmt: skip
    for place, (name, (label, _)) in enumerate(STRIPS.items()):
        _strip(canvas.add_axes((0.06 + 0.5 * place, 0.09, 0.42, 0.135)), columns[name], label, scene.task, last)
    return canvas


def _strip(axes: Axes, values: Floats, label: str, task: int, last: int) -> None:
    done = values[:task]  # what is known when the task begins
    axes.plot(np.arange(len(done)), done, color=BLUE, linewidth=1.4)
    axes.plot(np.arange(len(done))[-1:], done[-1:], "o", color=BLUE, markersize=3.5)
    low, high = float(values.min()), float(values.max())
    axes.set(xlim=(0, max(last, 1)), ylim=(low - 0.08 * (high - low), high + 0.08 * (high - low) + 1e-9))
    axes.set_title(label, fontsize=7.5, pad=3)
    axes.tick_params(labelsize=6.5, length=2)
    axes.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.set_xlabel("Task", fontsize=7, labelpad=1)


def _image(canvas: Canvas) -> Image.Image:
    drawn = BytesIO()
    canvas.savefig(drawn, format="png", dpi=DPI)
    return Image.open(drawn).convert("RGB")
