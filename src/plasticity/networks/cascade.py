"""Growing networks: one matrix of weights, sources × targets."""

import numpy as np

from plasticity.arrays import Bools, Floats, Indices, State
from plasticity.compiled.cascade_layout import CascadeArrays, CascadeLayout
from plasticity.networks.initial import initial
from plasticity.networks.network import kept
from plasticity.stream import Samples


class Cascade:
    """Starts as a linear map inputs → outputs. A new unit sees all inputs and, if `lateral`, all earlier units.

    `weight[source, target]`: sources are inputs then units, targets are outputs then units, so it is upper-triangular
    between units. With `freezing` (SGN) a unit's incoming weights and bias stop learning when the next unit arrives.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        inputs: int,
        outputs: int,
        *,
        lateral: bool,
        freezing: bool,
        bias: bool,
        incoming: str,
        outgoing: str,
        first: str,
        dtype: type[np.floating] = np.float32,
    ):
        self.inputs, self.outputs, self.units, self.born = inputs, outputs, 0, 0
        self.lateral, self.freezing, self.has_bias = lateral, freezing, bias
        self.frozen = 0  # the oldest units, whose incoming weights and bias no longer learn
        self._incoming, self._outgoing = initial("incoming", incoming), initial("outgoing", outgoing)
        self._weight = np.zeros((inputs, outputs), dtype)  # with room to grow: see `weight`
        self._bias = np.zeros(outputs, dtype)
        self.weight[:] = initial("first", first).draw(rng, inputs, (inputs, outputs))

    @property
    def weight(self) -> Floats:  # (inputs + units, outputs + units)
        return self._weight[: self.inputs + self.units, : self.outputs + self.units]

    @property
    def bias(self) -> Floats:  # (outputs + units,)
        return self._bias[: self.outputs + self.units]

    @property
    def learning(self) -> Bools:  # (outputs + units,) targets whose incoming weights and bias learn
        return np.r_[np.ones(self.outputs, bool), np.arange(self.units) >= self.frozen]

    @property
    def connected(self) -> Bools:  # (inputs + units, outputs + units) which weights exist
        lateral = np.triu(np.ones((self.units, self.units), bool), 1) & self.lateral
        seen = np.vstack([np.ones((self.inputs, self.units), bool), lateral])
        return np.hstack([np.ones((len(seen), self.outputs), bool), seen])

    @property
    def connections(self) -> int:
        lateral = self.units * (self.units - 1) // 2 if self.lateral else 0
        return self.inputs * self.outputs + self.units * (self.inputs + self.outputs) + lateral

    @property
    def outgoing(self) -> Floats:  # (units, outputs)
        return self.weight[self.inputs :, : self.outputs]

    @property
    def weights(self) -> list[Floats]:
        return [self.weight]

    @property
    def arrays(self) -> CascadeArrays:  # views, which compiled code reads and writes
        shape = self.inputs, self.outputs, self.lateral, self.frozen, self.has_bias
        return CascadeArrays(self.weight, self.bias, *shape)

    def hidden(self, samples: Samples) -> Floats:  # (n, units)
        return CascadeLayout(self.arrays, samples.permutation).evaluate(samples)[0]

    def output(self, samples: Samples) -> Floats:  # (n, outputs)
        return CascadeLayout(self.arrays, samples.permutation).evaluate(samples)[1]

    def grow(self, rng: np.random.Generator) -> None:
        self._reserve(self.units + 1)
        if self.freezing:
            self.frozen = self.units
        self.units, self.born = self.units + 1, self.born + 1
        column, row = self.weight[:-1, -1], self.weight[-1]  # incoming, outgoing
        column[:] = self._fresh_incoming(rng)
        row[:] = 0
        fan_in = self.inputs + self.units if self._outgoing.scope == "layer" else 1
        row[: self.outputs] = self._outgoing.draw(rng, fan_in, (self.outputs,))
        self.bias[-1] = 0

    def _fresh_incoming(self, rng: np.random.Generator) -> Floats:
        seen = self.units - 1 if self.lateral else 0
        blocks = (self.inputs, seen) if self._incoming.scope == "split" else (self.inputs + seen,)
        drawn = [self._incoming.draw(rng, fan_in, (fan_in,)) for fan_in in blocks]
        return np.concatenate([*drawn, np.zeros(self.units - 1 - seen)])

    def prune(self, units: Indices) -> None:
        stays = kept(self.units, units)
        rows, columns = np.r_[np.ones(self.inputs, bool), stays], np.r_[np.ones(self.outputs, bool), stays]
        weight, bias = self.weight[np.ix_(rows, columns)], self.bias[columns]
        self.frozen = int(stays[: self.frozen].sum())
        self.units = int(stays.sum())
        self.weight[:], self.bias[:] = weight, bias

    def _reserve(self, units: int) -> None:
        """Doubling keeps the copying per added unit constant on average."""
        room = self._weight.shape[1] - self.outputs
        if units > room:
            room = max(units, 2 * room, 16)
            weight, bias = self.weight, self.bias
            self._weight = np.zeros((self.inputs + room, self.outputs + room), weight.dtype)
            self._bias = np.zeros(self.outputs + room, bias.dtype)
            self.weight[:], self.bias[:] = weight, bias

    def state(self) -> State:
        counts = np.array([self.units, self.born, self.frozen], np.int64)
        return {"counts": counts, "weight": self.weight.copy(), "bias": self.bias.copy()}

    def restore(self, state: State) -> None:
        units, self.born, self.frozen = (int(count) for count in state["counts"])
        self.units = 0
        self._reserve(units)
        self.units = units
        self.weight[:], self.bias[:] = state["weight"], state["bias"]
