"""How a layered network lies in memory while compiled code works on it."""

from typing import NamedTuple

import numpy as np

from plasticity.arrays import Bools, Floats, Indices
from plasticity.compiled.arguments import LayeredFiring, LayeredWeights
from plasticity.compiled.layered_kernels import learn_layered
from plasticity.compiled.layout import SAMPLES, Inputs, lesson, padded, run, to_width, zeros
from plasticity.compiled.traces import Traces
from plasticity.streams import Samples


class LayeredArrays(NamedTuple):
    weight: list[Floats]  # of each layer, sources × targets
    bias: list[Floats]
    has_bias: bool


class LayeredLayout:
    def __init__(self, arrays: LayeredArrays, permutation: Indices):
        self.arrays = arrays
        weight, bias = (to_width(values[0], padded(len(arrays.bias[0]))) for values in (arrays.weight, arrays.bias))
        self.inputs = Inputs(weight, bias, arrays.has_bias, permutation)
        self.deeper = stacked(arrays.weight[1:], arrays.bias[1:])
        self.fire = room_for(self.deeper)

    def learn(self, samples: Samples, step: float, correct: Bools, traces: Traces | None = None) -> int:
        """The first sample whose loss is not finite, or -1."""
        dtype, inputs, units = self.deeper.values.dtype, self.inputs, int(self.deeper.sizes.sum())
        arguments = lesson(samples, step, correct, dtype), inputs.fed, self.deeper, inputs.block, self.fire
        return run(learn_layered, dtype, units, len(samples), traces, *arguments)

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
