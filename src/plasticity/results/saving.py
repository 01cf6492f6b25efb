"""Figures as files, PNG and PDF: all that are not there as they would be drawn now."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from functools import partial
from io import BytesIO
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure as Canvas
from PIL import Image, ImageColor

from plasticity.ground import processors
from plasticity.results import drawn
from plasticity.results.drawing import LOOK, draw
from plasticity.results.drawn import Drawn
from plasticity.results.figures import Figure

KINDS = ("png", "pdf")
DPI = 160
NEAR = 8  # of 256: two colours of a palette that are nearer than that are not told apart when it is looked up
MOST_WORKERS = 8


def save_all(figures: Sequence[Figure], folder: Path, width: int | None) -> Iterator[list[Path]]:
    """On every core: drawing is most of the time."""
    folder.mkdir(parents=True, exist_ok=True)
    known, sources = Drawn(folder), [_source(figure, width) for figure in figures]
    there = [known.files(figure.name, source) for figure, source in zip(figures, sources, strict=True)]
    changed = [figure for figure, paths in zip(figures, there, strict=True) if not paths]
    workers = max(1, min(len(changed), processors.count(), MOST_WORKERS))
    with closing(known), ProcessPoolExecutor(workers) as pool:  # what is drawn when it is interrupted is drawn
        digests = pool.map(partial(_save, folder=folder, width=width), changed)
        for figure, source, paths in zip(figures, sources, there, strict=True):
            if not paths:
                known.add(figure.name, source, next(digests))
            yield paths or _paths(folder, figure.name)


@matplotlib.rc_context(LOOK)
def _source(figure: Figure, width: int | None) -> str:
    return drawn.source(figure, width)


def _save(figure: Figure, folder: Path, width: int | None) -> dict[str, str]:
    """The digests of what was written, by the files' names."""
    contents = _write(draw(figure, width), folder, figure.name)
    return {path.name: drawn.digest(content) for path, content in contents.items()}


def save_canvas(canvas: Canvas, folder: Path, name: str, marks: Sequence[str] = ()) -> list[Path]:
    """`marks`: colours that must stay as they are, however few points have them."""
    _lay_out(canvas)
    return list(_write(canvas, folder, name, marks))


def _write(canvas: Canvas, folder: Path, name: str, marks: Sequence[str] = ()) -> dict[Path, bytes]:
    folder.mkdir(parents=True, exist_ok=True)
    contents = dict(zip(_paths(folder, name), (_png(canvas, marks), _pdf(canvas)), strict=True))
    for path, content in contents.items():
        path.write_bytes(content)
    return contents


def _lay_out(canvas: Canvas) -> None:
    """Once, where it is automatic: for each file anew, and drawn once more for it, would take twice as long."""
    if engine := canvas.get_layout_engine():
        canvas.set_dpi(DPI)
        engine.execute(canvas)
        canvas.set_layout_engine()


def _paths(folder: Path, name: str) -> list[Path]:
    return [folder / f"{name}.{kind}" for kind in KINDS]


def _png(canvas: Canvas, marks: Sequence[str]) -> bytes:
    """A third of the size, in as many colours as there are to see."""
    whole, small = BytesIO(), BytesIO()
    canvas.savefig(whole, format="png", dpi=DPI, pil_kwargs={"compress_level": 0})  # it is read again at once
    with Image.open(whole) as image:
        (few,) = reduced([image.convert("RGB")], 256, marks)
        few.save(small, format="png", optimize=True)
    return small.getvalue()


def reduced(images: Sequence[Image.Image], colors: int, marks: Sequence[str]) -> list[Image.Image]:
    """In so many colours, the same for all: the marks', which are too few points to be heard, and as many as are left
    of the last image, which has the most to show."""
    found = images[-1].quantize(colors - len(marks), dither=Image.Dither.NONE)
    if len(images) == 1 and not marks:
        return [found]
    own = np.array([ImageColor.getrgb(mark) for mark in marks])
    others = np.array(found.getpalette()).reshape(-1, 3)
    near = np.abs(others[:, None] - own).max(axis=2) < NEAR
    palette = Image.new("P", (1, 1))
    others = np.where(near.any(axis=1)[:, None], own[near.argmax(axis=1)], others)
    palette.putpalette([*own.ravel().tolist(), *others.ravel().tolist()])
    return [image.quantize(colors, palette=palette, dither=Image.Dither.NONE) for image in images]


def _pdf(canvas: Canvas) -> bytes:
    content = BytesIO()
    canvas.savefig(content, format="pdf", metadata={"CreationDate": None})  # the same figure is the same file
    return content.getvalue()
