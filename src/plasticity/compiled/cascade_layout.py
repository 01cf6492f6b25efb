"""How a cascade, or a flat network, lies in memory while compiled code works on it."""

from typing import NamedTuple

import numpy as np

from plasticity.compiled.arguments import Block, CascadeShape, Fed, Firing, Pull
from plasticity.compiled.calling import call
from plasticity.compiled.kinds import BLOCK
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


class CascadeArrays(NamedTuple):
    weight: Floats  # (inputs + units, outputs + units) sources × targets
    bias: Floats  # (outputs + units,)
    inputs: int
    outputs: int
    lateral: bool
    frozen: int  # the oldest units, whose incoming weights and bias do not learn
    has_bias: bool
    sees: Bools | None = None  # (units, units) source × target; None: each unit all before it, or none if not lateral
    shortcut: bool = True  # do inputs feed the outputs?

    @property
    def units(self) -> int:
        return len(self.bias) - self.outputs


class CascadeLayout:
    def __init__(self, arrays: CascadeArrays, permutation: Indices, pull: Pull | None = None):
        self.arrays = arrays
        units, dtype = arrays.units, arrays.weight.dtype
        # In a cascade the outputs follow the units at once. In a flat network they get a block of their own, so that
        # dropping a silent unit moves no output to another lane, and no bit of the rest changes.
        first = units if arrays.lateral else padded(units)
        self.shape = CascadeShape(units, first, arrays.outputs, arrays.lateral, arrays.frozen)
        room = max(padded(units), SAMPLES) + 4
        self.fire = Firing(
            rows=np.zeros(room, np.int64),
            strength=np.zeros(room, dtype),
            dots=np.zeros(room, dtype),
            block_start=np.zeros(room // BLOCK + 1, np.int64),
        )
        self.mask = None if arrays.sees is None else to_width(arrays.sees.astype(dtype), padded(units))
        weight, bias = self._reordered(arrays.weight), self._reordered(arrays.bias)
        self.decay = decay_of(pull.keep, weight.shape[1], arrays.frozen, room, dtype) if pull else None
        self.pulled = self._pulled(pull.anchor) if pull and pull.anchor else None
        self.anchor = self.anchored = None
        if self.pulled is not None:
            self.anchored, between = self._laid_out(*self.pulled, permutation)
            self.anchor = anchor_of(self.anchored, between, zeros((0, 0), dtype))
            weight, bias = weight - self.pulled[0], bias - self.pulled[1]
        self.inputs, self.between = self._laid_out(weight, bias, permutation)

    def _pulled(self, anchor: list[Floats]) -> tuple[Floats, Floats]:
        """Zero where nothing learns: there, what is kept is the weight itself."""
        weight, bias = (self._reordered(values) for values in anchor)
        weight[:, : self.shape.frozen], bias[: self.shape.frozen] = 0, 0
        return weight, bias

    def _laid_out(self, weight: Floats, bias: Floats, permutation: Indices) -> tuple[Inputs, Floats]:
        inputs = Inputs(weight[: self.arrays.inputs], bias, self.arrays.has_bias, permutation)
        fed = weight[self.arrays.inputs :, self._fed]
        between = zeros((padded(self.shape.units) + 1, fed.shape[1]), weight.dtype)  # and a zero row
        between[: self.shape.units] = fed
        return inputs, between

    @property
    def _fed(self) -> slice:
        """The targets of units: in a flat network the outputs alone."""
        return slice(0 if self.shape.lateral else self.shape.first_output, None)

    def _units(self, matrix: Floats) -> Floats:
        return matrix[..., : self.shape.units]

    def _outputs(self, matrix: Floats) -> Floats:
        return matrix[..., self.shape.first_output : self.shape.first_output + self.shape.outputs]

    def _reordered(self, values: Floats) -> Floats:
        """Targets as kernels have them: units, then outputs, then padding."""
        width, outputs = padded(self.shape.first_output + self.shape.outputs), self.shape.outputs
        wide = zeros((*values.shape[:-1], width), values.dtype)
        self._units(wide)[:], self._outputs(wide)[:] = values[..., outputs:], values[..., :outputs]
        return wide

    def learn(self, samples: Samples, step: float, correct: Bools, loss: Floats, traces: Traces | None = None) -> int:
        """The first sample whose loss is not finite, or -1."""
        dtype, inputs = self.between.dtype, self.inputs
        given = lesson(samples, step, correct, loss, dtype)
        arguments = given, inputs.fed, self.between, self.shape, inputs.block, self.fire
        extras = Extras(traces, self.decay, self.anchor)
        own = dict(masked=self.mask, cut=None if self.arrays.shortcut else True)
        return run("cascade_kernels.learn_cascade", dtype, self.shape.units, len(samples), extras, *arguments, **own)

    def output(self, samples: Samples) -> Floats:  # (n, outputs)
        return self._evaluate(samples, self.shape, self.inputs.fed, self.inputs.block)[1]

    def hidden(self, samples: Samples, units: int) -> Floats:  # (n, units)
        """Of the first so many units, which see none of the others: what feeds those is left out."""
        fed, block = self.inputs.feeding(padded(units))
        shape = self.shape._replace(units=units, first_output=block.z.shape[1], outputs=0)
        return self._evaluate(samples, shape, fed, block)[0]

    def _evaluate(self, samples: Samples, shape: CascadeShape, fed: Fed, block: Block) -> tuple[Floats, Floats]:
        dtype = self.between.dtype
        hidden, output = (np.empty((len(samples), n), dtype) for n in (shape.units, shape.outputs))
        images = samples.images.astype(dtype, copy=False)
        arguments = images, samples.rows, fed, self.between, shape, block, self.fire, hidden, output
        call("cascade_kernels.evaluate_cascade", (dtype,), *arguments)
        return hidden, output

    @property
    def finite(self) -> bool:
        return finite(self.inputs.fed.panels) and finite(self.between)

    def reorder(self, permutation: Indices) -> None:
        """The same weights, for images that are seen through another permutation."""
        for inputs in (self.inputs, self.anchored):
            if inputs is not None:
                inputs.reorder(permutation)

    def renewed(self, unit: int) -> None:
        """Reads a unit's weights anew, where nothing decays."""
        inputs, column = self.arrays.inputs, self.arrays.outputs + unit
        self.inputs.renewed(self.arrays.weight[:inputs], column, unit)
        self.inputs.fed.bias[unit] = self.arrays.bias[column]
        if self.shape.lateral:
            self.between[: self.shape.units, unit] = self.arrays.weight[inputs:, column]
        self.between[unit] = self._reordered(self.arrays.weight[inputs + unit])[self._fed]

    @property
    def room(self) -> bool:
        """Whether one more unit fits in beside the others."""
        units, first, outputs, lateral, _ = self.shape
        last = first + lateral + outputs  # in a cascade the outputs move on by one
        plain = self.mask is None and self.decay is None
        return plain and units < padded(units) and last <= len(self.inputs.fed.bias)

    def grown(self, arrays: CascadeArrays) -> None:
        """Takes in the last unit of arrays that are otherwise as before, where there is room for it."""
        self.arrays, (units, first, outputs, lateral, _) = arrays, self.shape
        if lateral:
            self.inputs.make_way(units, outputs)
            self.between[:, units + 1 : units + 1 + outputs] = self._outputs(self.between).copy()
        self.shape = CascadeShape(units + 1, first + lateral, outputs, lateral, arrays.frozen)
        self.renewed(units)

    def store(self) -> None:
        """Writes what was learned back into the arrays that the layout was made of."""
        inputs, units, bias = self.arrays.inputs, self.shape.units, self.inputs.fed.bias
        weight = np.zeros((inputs + units, bias.size), bias.dtype)
        self.inputs.store(weight[:inputs])
        weight[inputs:, self._fed] = self.between[:units]
        if self.pulled is not None:
            weight, bias = weight + self.pulled[0], bias + self.pulled[1]
        outputs = self.shape.outputs
        for stored, values in ((self.arrays.weight, weight), (self.arrays.bias, bias)):
            stored[..., :outputs], stored[..., outputs:] = self._outputs(values), self._units(values)
