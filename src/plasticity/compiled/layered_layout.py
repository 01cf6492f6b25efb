"""How a layered network lies in memory while compiled code works on it."""

from typing import NamedTuple

import numpy as np

from plasticity.arrays import Bools, Floats, Indices
from plasticity.compiled.arguments import LayeredFiring, LayeredWeights
from plasticity.compiled.decaying import Pull
from plasticity.compiled.layered_kernels import learn_layered
from plasticity.compiled.layout import (
    SAMPLES,
    Extras,
    Inputs,
    anchor_of,
    decay_of,
    lesson,
    padded,
    run,
    to_width,
    zeros,
)
from plasticity.compiled.traces import Traces
from plasticity.streams import Samples


class LayeredArrays(NamedTuple):
    weight: list[Floats]  # of each layer, sources × targets
    bias: list[Floats]
    has_bias: bool

    def split(self, values: list[Floats]) -> tuple[list[Floats], list[Floats]]:
        """Weights and biases, of a list of both."""
        return values[: len(self.weight)], values[len(self.weight) :]

    def less(self, anchor: "LayeredArrays | None") -> "LayeredArrays":
        if anchor is None:
            return self
        weight: list[Floats] = [own - other for own, other in zip(self.weight, anchor.weight, strict=True)]
        bias: list[Floats] = [own - other for own, other in zip(self.bias, anchor.bias, strict=True)]
        return LayeredArrays(weight, bias, self.has_bias)


class LayeredLayout:
    def __init__(self, arrays: LayeredArrays, permutation: Indices, pull: Pull | None = None):
        self.arrays, dtype = arrays, arrays.weight[0].dtype
        self.pulled = LayeredArrays(*arrays.split(pull.anchor), arrays.has_bias) if pull and pull.anchor else None
        self.inputs, self.deeper = laid_out(arrays.less(self.pulled), permutation)
        self.fire = room_for(self.deeper)
        room = self.fire.dots.size
        self.decay = decay_of(pull.keep, self._widest(), 0, room, dtype) if pull else None
        self.anchor = None
        if self.pulled is not None:
            anchored, deeper = laid_out(self.pulled, permutation)
            self.anchor = anchor_of(anchored, deeper.values, deeper.bias, room)

    def _widest(self) -> int:
        return max(self.inputs.fed.bias.size, int(self.deeper.widths.max()))

    def learn(self, samples: Samples, step: float, correct: Bools, loss: Floats, traces: Traces | None = None) -> int:
        """The first sample whose loss is not finite, or -1."""
        dtype, inputs, units = self.deeper.values.dtype, self.inputs, int(self.deeper.sizes.sum())
        arguments = lesson(samples, step, correct, loss, dtype), inputs.fed, self.deeper, inputs.block, self.fire
        return run(learn_layered, dtype, units, len(samples), Extras(traces, self.decay, self.anchor), *arguments)

    def store(self) -> None:
        """Writes what was learned back into the arrays that the layout was made of."""
        (first, *weights), (first_bias, *biases) = self.arrays.weight, self.arrays.bias
        first[:], first_bias[:] = (
            self.inputs.weight()[:, : len(first_bias)],
            self.inputs.fed.bias[: len(first_bias)],
        )
        for layer, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
            place, width = self.deeper.places[layer], self.deeper.widths[layer]
            rows = self.deeper.values[place : place + len(weight) * width].reshape(len(weight), width)
            weight[:], bias[:] = rows[:, : len(bias)], self.deeper.bias[layer, : len(bias)]
        if self.pulled is not None:
            pairs = (self.arrays.weight, self.pulled.weight), (self.arrays.bias, self.pulled.bias)
            for own, anchor in ((a, b) for ours, theirs in pairs for a, b in zip(ours, theirs, strict=True)):
                own += anchor


def laid_out(arrays: LayeredArrays, permutation: Indices) -> tuple[Inputs, LayeredWeights]:
    weight, bias = (to_width(values[0], padded(len(arrays.bias[0]))) for values in (arrays.weight, arrays.bias))
    return Inputs(weight, bias, arrays.has_bias, permutation), stacked(arrays.weight[1:], arrays.bias[1:])


def stacked(weights: list[Floats], biases: list[Floats]) -> LayeredWeights:
    """The layers behind the first, one after the other, each with a zero row."""
    widths = np.array([padded(len(bias)) for bias in biases])
    blocks = [np.pad(to_width(weight, width), ((0, 1), (0, 0))) for weight, width in zip(weights, widths, strict=True)]
    values = zeros(sum(block.size for block in blocks), weights[0].dtype)
    values[:] = np.concatenate([block.ravel() for block in blocks])
    bias = zeros((len(blocks), int(widths.max())), weights[0].dtype)
    for row, known in zip(bias, biases, strict=True):
        row[: len(known)] = known
    places = np.cumsum([0, *(block.size for block in blocks)])[:-1]
    return LayeredWeights(values, bias, np.array([len(weight) for weight in weights]), widths, places, len(biases[-1]))


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
