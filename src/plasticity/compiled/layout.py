"""How weights lie in memory while compiled code works on them."""

from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

import numpy as np

from plasticity.compiled.arguments import Anchor, Block, Decay, Fed, Lesson
from plasticity.compiled.calling import call
from plasticity.compiled.kinds import BLOCK, LINE, PANEL, SAMPLES, TILES
from plasticity.compiled.traces import Traces
from plasticity.ground.arrays import Bools, Floats, Indices
from plasticity.streams import Samples


class Inputs:
    """What the inputs feed, and room for a block of samples.

    A permutation of the pixels is the same as the inverse permutation of the weights' rows: so 784 rows are permuted
    once instead of every image.
    """

    def __init__(self, weight: Floats, bias: Floats, has_bias: bool, permutation: Indices):
        """`weight` may have fewer columns than the padded bias has."""
        inputs, width, dtype = len(weight), len(bias), weight.dtype
        self.permutation = permutation
        self.block = Block(
            x=zeros((SAMPLES, padded(inputs)), dtype),
            gram=zeros((SAMPLES, SAMPLES), dtype),
            z=zeros((SAMPLES, width), dtype),
            delta=zeros((SAMPLES, width), dtype),
            columns=np.zeros(padded(inputs) + 1, np.int64),
            on=np.zeros(padded(inputs), np.uint32),
            listed=np.zeros((TILES, padded(inputs) + 1), np.int64),
            counts=np.zeros(TILES, np.int64),
        )
        self.fed = Fed(zeros(padded(inputs) * width, dtype), bias, dtype.type(has_bias))
        for panel, at in zip(self._panels(), range(0, width, PANEL), strict=True):
            part = weight[:, at : at + PANEL]
            panel[permutation, : part.shape[1]] = part

    def _panels(self) -> list[Floats]:
        inputs, width = self.block.x.shape[1], self.block.z.shape[1]
        ends = [*range(0, width, PANEL), width]
        return [self.fed.panels[inputs * at : inputs * end].reshape(inputs, -1) for at, end in pairwise(ends)]

    def feeding(self, targets: int) -> tuple[Fed, Block]:
        """The same for the first targets alone, so many or up to the end of their panel."""
        width = min(-(-targets // PANEL) * PANEL, len(self.fed.bias))
        z = zeros((SAMPLES, width), self.block.z.dtype)
        return self.fed._replace(bias=self.fed.bias[:width]), self.block._replace(z=z)

    def reorder(self, permutation: Indices) -> None:
        """For images that are seen through another permutation: rows move where the two differ."""
        if permutation is self.permutation:
            return
        moved = np.flatnonzero(permutation != self.permutation)
        for panel in self._panels() if moved.size else ():
            panel[permutation[moved]] = panel.take(self.permutation[moved], axis=0)
        self.permutation = permutation

    def renewed(self, weight: Floats, column: int, place: int) -> None:
        """Reads one column of the weights anew, into place."""
        panel = self._panels()[place // PANEL]
        panel[self.permutation, place % PANEL] = weight[:, column]

    def make_way(self, place: int, targets: int) -> None:
        """Moves so many targets, those from `place` on, to the next place each."""
        panels, bias = self._panels(), self.fed.bias
        for target in reversed(range(place, place + targets)):
            new = target + 1
            panels[new // PANEL][:, new % PANEL] = panels[target // PANEL][:, target % PANEL]
            bias[new] = bias[target]

    def store(self, weight: Floats) -> None:
        """Writes the weights back."""
        for panel, at in zip(self._panels(), range(0, self.block.z.shape[1], PANEL), strict=True):
            part = weight[:, at : at + PANEL]
            part[:] = panel.take(self.permutation, axis=0)[:, : part.shape[1]]


def lesson(samples: Samples, step: float, correct: Bools, loss: Floats, dtype: np.dtype) -> Lesson:
    images = samples.images.astype(dtype, copy=False)
    return Lesson(images, samples.labels, samples.rows, dtype.type(step), correct, loss)


class Extras(NamedTuple):
    """What a learning kernel does besides; None: it is compiled without that."""

    traces: Traces | None = None
    decay: Decay | None = None
    anchor: Anchor | None = None


def run(kernel: str, dtype: np.dtype, units: int, samples: int, extras: Extras, *arguments: Any, **more: Any) -> int:
    """A learning kernel; returns the first sample whose loss is not finite, or -1. `more`: extras of its own."""
    traces, decay, anchor = extras
    kept = traces.begin(units, dtype) if traces else None
    given = {"traced": kept, "decayed": decay, "anchored": anchor, **more}
    variant = (dtype, *(word for word, each in given.items() if each is not None))
    bad = call(kernel, variant, *arguments, *given.values())
    if traces and bad < 0:
        traces.end(samples)
    return bad


def decay_of(keep: float, width: int, first: int, room: int, dtype: np.dtype) -> Decay:
    factor, one = zeros(width, dtype), np.ones(1)
    factor[:] = 1
    return Decay(float(keep), one, factor, first, zeros(room, dtype), one.astype(dtype), one.astype(dtype))


def anchor_of(inputs: "Inputs", between: Floats, deeper_bias: Floats) -> Anchor:
    """Of weights laid out like a network's own."""
    return Anchor(inputs.fed.panels, inputs.fed.bias, between, deeper_bias, inputs.block.z)


def zeros(shape: int | tuple[int, ...], dtype: np.dtype) -> Floats:
    """Starting on a cache line: a vector that straddles two costs twice."""
    size = (shape if isinstance(shape, int) else prod(shape)) * dtype.itemsize
    room = np.zeros(size + LINE, np.uint8)
    start = -room.ctypes.data % LINE
    return room[start : start + size].view(dtype).reshape(shape)


def finite(values: Floats) -> bool:
    """Whether all of them are: what is not a number is the least and the largest of all."""
    return not values.size or bool(np.isfinite(values.min()) and np.isfinite(values.max()))


def to_width(values: Floats, width: int) -> Floats:
    wide = zeros((*values.shape[:-1], width), values.dtype)
    wide[..., : values.shape[-1]] = values
    return wide


def padded(size: int) -> int:
    return -(-size // BLOCK) * BLOCK
