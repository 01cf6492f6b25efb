"""How a network lies in memory while compiled code works on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plasticity.arrays import Bools, Floats, Indices
from plasticity.compiled.cache import call
from plasticity.compiled.kernels import evaluate_cascade, learn_cascade, learn_layered
from plasticity.compiled.vectors import BLOCK, PANEL

if TYPE_CHECKING:
    from plasticity.networks import Cascade, Layered
    from plasticity.streams.permuted import Samples

SAMPLES = 32  # a block of samples: a multiple of every tile's height
LINE = 64  # bytes of a cache line


class Inputs:
    """The input weights, and room for a block of samples.

    A permutation of the pixels is the same as the inverse permutation of the weights' rows: so 784 rows are permuted
    once instead of every image.
    """

    def __init__(self, weight: Floats, permutation: Indices):
        width = weight.shape[1]
        self.permutation = permutation
        self.x = zeros((SAMPLES, padded(len(weight))), weight.dtype)
        self.gram = zeros((SAMPLES, SAMPLES), weight.dtype)
        self.z = zeros((SAMPLES, width), weight.dtype)
        self.delta = zeros((SAMPLES + 1, width), weight.dtype)  # and a zero row
        rows = np.zeros((self.x.shape[1], width), weight.dtype)
        rows[self.permutation] = weight
        self.fed = zeros(rows.size, weight.dtype)
        for panel, at in zip(self._panels(), range(0, width, PANEL), strict=True):
            panel[:] = rows[:, at : at + PANEL]

    def _panels(self) -> list[Floats]:
        inputs, width = self.x.shape[1], self.z.shape[1]
        parts = np.split(self.fed, range(inputs * PANEL, inputs * width, inputs * PANEL))
        return [part.reshape(inputs, -1) for part in parts]

    def weight(self) -> Floats:  # (inputs, width)
        return np.hstack(self._panels())[self.permutation]


class CascadeLayout:
    def __init__(self, network: Cascade, permutation: Indices):
        self.network = network
        # In a cascade the outputs follow the units at once. In a flat network they get a block of their own, so that
        # dropping a silent unit moves no output to another lane, and no bit of the rest changes.
        self.first = network.units if network.lateral else padded(network.units)
        width = padded(self.first + network.outputs)
        weight = np.zeros((len(network.weight), width), network.weight.dtype)
        self._units(weight)[:] = network.weight[:, network.outputs :]
        self._outputs(weight)[:] = network.weight[:, : network.outputs]
        self.inputs = Inputs(weight[: network.inputs], permutation)
        self.between = zeros((padded(network.units) + 1, width), weight.dtype)
        self.between[: network.units] = weight[network.inputs :]
        self.bias = zeros(width, weight.dtype)
        self._units(self.bias)[:] = network.bias[network.outputs :]
        self._outputs(self.bias)[:] = network.bias[: network.outputs]
        self.work = Work(max(network.units, SAMPLES), weight.dtype)

    def _units(self, matrix: Floats) -> Floats:
        return matrix[..., : self.network.units]

    def _outputs(self, matrix: Floats) -> Floats:
        return matrix[..., self.first : self.first + self.network.outputs]

    def learn(self, samples: Samples, step_size: float, correct: Bools) -> int:
        """The first sample whose loss is not finite, or -1."""
        net, fed, work, number = self.network, self.inputs, self.work, self.bias.dtype.type
        arguments = (
            samples.dataset.images.astype(number, copy=False), samples.dataset.labels, samples.rows,
            fed.fed, self.between, self.bias,
            net.units, self.first, net.outputs, net.lateral, net.frozen, number(step_size), number(net.has_bias),
            fed.x, fed.gram, fed.z, fed.delta, work.fire, work.strength, work.dots, work.block_start, correct,
        )  # fmt: skip
        return call(learn_cascade, *arguments)

    def evaluate(self, samples: Samples) -> tuple[Floats, Floats]:  # (n, units), (n, outputs)
        net, fed, work, dtype = self.network, self.inputs, self.work, self.bias.dtype
        hidden, output = (
            np.empty((len(samples), net.units), dtype),
            np.empty((len(samples), net.outputs), dtype),
        )
        arguments = (
            samples.dataset.images.astype(dtype, copy=False), samples.rows, fed.fed, self.between, self.bias, net.units,
            self.first, net.outputs, net.lateral, fed.x, fed.z, work.fire, work.strength, work.block_start,
            hidden, output,
        )  # fmt: skip
        call(evaluate_cascade, *arguments)
        return hidden, output

    def store(self) -> None:
        net = self.network
        weight = np.vstack([self.inputs.weight(), self.between[: net.units]])
        for stored, values in ((net.weight, weight), (net.bias, self.bias)):
            stored[..., : net.outputs], stored[..., net.outputs :] = (
                self._outputs(values),
                self._units(values),
            )


class Work:
    """Which units fire, how strongly, and what comes back to them; with room to take rows four at a time."""

    def __init__(self, units: int, dtype: np.dtype):
        self.fire = np.zeros(units + 4, np.int64)
        self.strength, self.dots = np.zeros(units + 4, dtype), np.zeros(units + 4, dtype)
        self.block_start = np.zeros(units // BLOCK + 1, np.int64)


class LayeredLayout:
    def __init__(self, network: Layered, permutation: Indices):
        self.network = network
        first, dtype = network.weight[0], network.weight[0].dtype
        self.sizes = np.array([len(weight) for weight in network.weight[1:]])
        self.widths = np.array([padded(weight.shape[1]) for weight in network.weight[1:]])
        self.inputs = Inputs(to_width(first, padded(first.shape[1])), permutation)
        self.bias = to_width(network.bias[0], padded(first.shape[1]))
        blocks = [
            np.vstack([to_width(weight, width), np.zeros((1, width), dtype)]).ravel()
            for weight, width in zip(network.weight[1:], self.widths, strict=True)
        ]
        self.places = np.cumsum([0, *map(len, blocks)])[:-1]
        self.weights = zeros(sum(map(len, blocks)), dtype)
        self.weights[:] = np.concatenate(blocks)
        shape = (len(blocks), max(self.widths))
        self.biases, self.deeper, self.deltas = (zeros(shape, dtype) for _ in range(3))
        for row, bias in zip(self.biases, network.bias[1:], strict=True):
            row[: len(bias)] = bias
        room = max(*self.sizes, SAMPLES) + 4
        self.fire, self.strength = (
            np.zeros((len(blocks), room), np.int64),
            np.zeros((len(blocks), room), dtype),
        )
        self.counts, self.dots = np.zeros(len(blocks), np.int64), np.zeros(room, dtype)

    def learn(self, samples: Samples, step_size: float, correct: Bools) -> int:
        """The first sample whose loss is not finite, or -1."""
        fed, number = self.inputs, self.bias.dtype.type
        arguments = (
            samples.dataset.images.astype(number, copy=False), samples.dataset.labels, samples.rows,
            fed.fed, self.bias, self.weights, self.biases, self.sizes, self.widths, self.places,
            len(self.network.bias[-1]), number(step_size), number(self.network.has_bias),
            fed.x, fed.gram, fed.z, fed.delta, self.deeper, self.deltas,
            self.fire, self.strength, self.counts, self.dots, correct,
        )  # fmt: skip
        return call(learn_layered, *arguments)

    def store(self) -> None:
        weight, bias = self.network.weight, self.network.bias
        weight[0][:], bias[0][:] = self.inputs.weight()[:, : len(bias[0])], self.bias[: len(bias[0])]
        for layer, (place, size, width) in enumerate(zip(self.places, self.sizes, self.widths, strict=True)):
            rows = self.weights[place : place + size * width].reshape(size, width)
            weight[layer + 1][:] = rows[:, : len(bias[layer + 1])]
            bias[layer + 1][:] = self.biases[layer, : len(bias[layer + 1])]


def zeros(shape: int | tuple[int, ...], dtype: np.dtype) -> Floats:
    """Starting on a cache line: a vector that straddles two costs twice."""
    size = int(np.prod(shape)) * dtype.itemsize
    room = np.zeros(size + LINE, np.uint8)
    start = -room.ctypes.data % LINE
    return room[start : start + size].view(dtype).reshape(shape)


def to_width(values: Floats, width: int) -> Floats:
    wide = zeros((*values.shape[:-1], width), values.dtype)
    wide[..., : values.shape[-1]] = values
    return wide


def padded(size: int) -> int:
    return -(-size // BLOCK) * BLOCK
