"""Figures as files, PNG and PDF: all that are not there as they would be drawn now."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from functools import partial
from io import BytesIO
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure as Canvas
from PIL import Image

from plasticity.ground import processors
from plasticity.results import drawn
from plasticity.results.drawing import LOOK, draw
from plasticity.results.drawn import Drawn
from plasticity.results.figures import Figure

KINDS = ("png", "pdf")
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


def save_canvas(canvas: Canvas, folder: Path, name: str) -> list[Path]:
    return list(_write(canvas, folder, name))


def _write(canvas: Canvas, folder: Path, name: str) -> dict[Path, bytes]:
    folder.mkdir(parents=True, exist_ok=True)
    contents = dict(zip(_paths(folder, name), (_png(canvas), _pdf(canvas)), strict=True))
    for path, content in contents.items():
        path.write_bytes(content)
    return contents


def _paths(folder: Path, name: str) -> list[Path]:
    return [folder / f"{name}.{kind}" for kind in KINDS]


def _png(canvas: Canvas) -> bytes:
    """A third of the size, in as many colours as there are to see."""
    whole, small = BytesIO(), BytesIO()
    canvas.savefig(whole, format="png", dpi=160, pil_kwargs={"compress_level": 0})  # it is read again at once
    with Image.open(whole) as image:
        image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    return small.getvalue()


def _pdf(canvas: Canvas) -> bytes:
    content = BytesIO()
    canvas.savefig(content, format="pdf", metadata={"CreationDate": None})  # the same figure is the same file
    return content.getvalue()
