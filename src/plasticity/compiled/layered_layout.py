"""How a layered network lies in memory while compiled code works on it."""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from plasticity.compiled.arguments import LayeredFiring, LayeredWeights, Norm, Pull
from plasticity.compiled.layout import (
    SAMPLES,
    Extras,
    Inputs,
    anchor_of,
    decay_of,
    finite,
    lesson,
    padded,
    run,
    to_width,
    zeros,
)
from plasticity.compiled.traces import Traces
from plasticity.ground.arrays import Bools, Floats, Indices
from plasticity.streams import Samples


class LayeredParts(NamedTuple):
    """The arrays of a layered network, or as many of what is remembered of them."""

    weight: list[Any]  # of each layer, sources × targets
    bias: list[Any]
    gain: list[Any]  # of each hidden layer, if it is normalised
    shift: list[Any]

    def split(self, values: list[Any]) -> "LayeredParts":
        """A list of all, kind by kind."""
        ends = np.cumsum([0, *map(len, self)])
        return LayeredParts(*(values[begin:end] for begin, end in pairwise(ends)))

    def less(self, anchor: "LayeredParts | None") -> "LayeredParts":
        """The distances of weights and biases; gains and shifts as they are."""
        if anchor is None:
            return self
        weight = [own - other for own, other in zip(self.weight, anchor.weight, strict=True)]
        bias = [own - other for own, other in zip(self.bias, anchor.bias, strict=True)]
        return self._replace(weight=weight, bias=bias)


class LayeredLayout:
    def __init__(self, arrays: LayeredParts, has_bias: bool, permutation: Indices, pull: Pull | None = None):
        self.arrays, dtype = arrays, arrays.weight[0].dtype
        self.pulled = arrays.split(pull.anchor) if pull and pull.anchor else None
        self.inputs, self.deeper = laid_out(arrays.less(self.pulled), has_bias, permutation)
        self.mirrored = True if len(arrays.weight[1]) > len(arrays.bias[0]) else None  # a unit feeds z⁺ and (−z)⁺
        self.norm = norm_of(arrays, self.pulled, bool(pull)) if arrays.gain else None
        self.fire = room_for(self.deeper)
        room = self.fire.dots.size
        self.decay = decay_of(pull.keep, self._widest(), 0, room, dtype) if pull else None
        self.anchor = self.anchored = None
        if self.pulled is not None:
            self.anchored, deeper = laid_out(self.pulled, has_bias, permutation)
            self.anchor = anchor_of(self.anchored, deeper.values, deeper.bias)

    def _widest(self) -> int:
        return max(self.inputs.fed.bias.size, int(self.deeper.widths.max()))

    def learn(self, samples: Samples, step: float, correct: Bools, loss: Floats, traces: Traces | None = None) -> int:
        """The first sample whose loss is not finite, or -1."""
        dtype, inputs, units = self.deeper.values.dtype, self.inputs, sum(map(len, self.arrays.bias[:-1]))
        arguments = lesson(samples, step, correct, loss, dtype), inputs.fed, self.deeper, inputs.block, self.fire
        extras, own = Extras(traces, self.decay, self.anchor), dict(mirrored=self.mirrored, normalised=self.norm)
        return run("layered_kernels.learn_layered", dtype, units, len(samples), extras, *arguments, **own)

    @property
    def finite(self) -> bool:
        return finite(self.inputs.fed.panels) and finite(self.deeper.values)

    def _rows(self, layer: int) -> Floats:  # (sources, width)
        """The weights from hidden layer `layer` to the next."""
        place, width, size = self.deeper.places[layer], self.deeper.widths[layer], self.deeper.sizes[layer]
        return self.deeper.values[place : place + size * width].reshape(size, width)

    def reorder(self, permutation: Indices) -> None:
        """The same weights, for images that are seen through another permutation."""
        for inputs in (self.inputs, self.anchored):
            if inputs is not None:
                inputs.reorder(permutation)

    def renewed(self, unit: int) -> None:
        """Reads a unit's weights anew, where nothing decays."""
        weight, bias, gain, shift = self.arrays
        layer, place = divmod(unit, len(bias[0]))
        if layer == 0:
            self.inputs.renewed(weight[0], place, place)
            self.inputs.fed.bias[place] = bias[0][place]
        else:
            self._rows(layer - 1)[:, place] = weight[layer][:, place]
            self.deeper.bias[layer - 1, place] = bias[layer][place]
        own = slice(place, None, len(bias[layer]))
        self._rows(layer)[own, : len(bias[layer + 1])] = weight[layer + 1][own]
        if self.norm is not None:
            self.norm.gain[layer, place], self.norm.shift[layer, place] = gain[layer][place], shift[layer][place]

    def store(self) -> None:
        """Writes what was learned back into the arrays that the layout was made of."""
        (first, *weights), (first_bias, *biases) = self.arrays.weight, self.arrays.bias
        self.inputs.store(first)
        first_bias[:] = self.inputs.fed.bias[: len(first_bias)]
        for layer, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
            weight[:], bias[:] = self._rows(layer)[:, : len(bias)], self.deeper.bias[layer, : len(bias)]
        if self.pulled is not None:
            pairs = (self.arrays.weight, self.pulled.weight), (self.arrays.bias, self.pulled.bias)
            for own, anchor in ((a, b) for ours, theirs in pairs for a, b in zip(ours, theirs, strict=True)):
                own += anchor
        for layer, (gain, shift) in enumerate(zip(self.arrays.gain, self.arrays.shift, strict=True)):
            assert self.norm is not None
            gain[:], shift[:] = self.norm.gain[layer, : len(gain)], self.norm.shift[layer, : len(gain)]


def laid_out(arrays: LayeredParts, has_bias: bool, permutation: Indices) -> tuple[Inputs, LayeredWeights]:
    bias = to_width(arrays.bias[0], padded(len(arrays.bias[0])))
    return Inputs(arrays.weight[0], bias, has_bias, permutation), stacked(arrays.weight[1:], arrays.bias[1:])


def norm_of(arrays: LayeredParts, anchor: LayeredParts | None, decays: bool) -> Norm:
    dtype = arrays.weight[0].dtype
    precise = np.dtype(np.float64) if decays else dtype
    gain, shift = in_rows(arrays.gain, precise), in_rows(arrays.shift, precise)
    drawn_to = (in_rows(anchor.gain, precise), in_rows(anchor.shift, precise)) if anchor else (0 * gain, 0 * shift)
    layers, width = gain.shape
    return Norm(gain, shift, *drawn_to, zeros(gain.shape, dtype), zeros(layers, dtype), zeros(width, dtype))


def stacked(weights: list[Floats], biases: list[Floats]) -> LayeredWeights:
    """The layers behind the first, one after the other, each with a zero row."""
    sizes, widths = np.array([len(weight) for weight in weights]), np.array([padded(len(bias)) for bias in biases])
    places = np.cumsum([0, *(sizes + 1) * widths])
    values = zeros(int(places[-1]), weights[0].dtype)
    for weight, place, width in zip(weights, places[:-1], widths, strict=True):
        rows = values[place : place + len(weight) * width].reshape(len(weight), width)
        rows[:, : weight.shape[1]] = weight
    return LayeredWeights(values, in_rows(biases, values.dtype), sizes, widths, places[:-1], len(biases[-1]))


def in_rows(vectors: list[Floats], dtype: np.dtype) -> Floats:  # (vectors, widest)
    rows = zeros((len(vectors), padded(max(map(len, vectors)))), dtype)
    for row, known in zip(rows, vectors, strict=True):
        row[: len(known)] = known
    return rows


def room_for(deeper: LayeredWeights) -> LayeredFiring:
    layers, dtype, room = len(deeper.sizes), deeper.values.dtype, max(*deeper.sizes, SAMPLES) + 4
    return LayeredFiring(
        rows=np.zeros((layers, room), np.int64),
        strength=np.zeros((layers, room), dtype),
        counts=np.zeros(layers, np.int64),
        dots=np.zeros(room, dtype),
        z=zeros(deeper.bias.shape, dtype),
        delta=zeros(deeper.bias.shape, dtype),
    )
