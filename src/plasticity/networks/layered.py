"""Fixed networks (F-FCNN): fully connected layers of ReLU units."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from plasticity.arrays import Floats, Indices, Snapshot
from plasticity.errors import Mistake
from plasticity.networks.initial import initial
from plasticity.networks.network import BIRTH, Traces, fitting, normal
from plasticity.streams import Samples

FEEDS = {"relu": 1, "crelu": 2}  # how many numbers a unit gives to the next layer


class Layered(Traces):
    """`weight[l][source, target]`: layer l's sources × targets; the last layer gives the outputs.

    Units are numbered through: those of the first hidden layer, then those of the second, and so on. With activation
    crelu a unit of pre-activation z feeds the next layer twice, z⁺ and (−z)⁺: all units' z⁺ are its first sources.
    """

    fixed_size = True

    def __init__(
        self,
        rng: np.random.Generator,
        inputs: int,
        outputs: int,
        *,
        layers: int,
        width: int,
        bias: bool,
        initial_weights: str,
        dtype: type[np.floating] = np.float32,
        activation: str = "relu",
    ):
        if activation not in FEEDS:
            raise Mistake(f"activation={activation} is not known; choose {' or '.join(FEEDS)}")
        for name, value in (("layers", layers), ("width", width)):
            if not (isinstance(value, int) and value > 0):
                raise Mistake(f"model.{name}={value} is not possible; it must be a positive integer")
        self.inputs, self.outputs, self.born, self.has_bias = inputs, outputs, 0, bias
        self._initial = initial("layers", initial_weights)
        self.activation = activation
        targets = [*[width] * layers, outputs]
        sources = [inputs, *[width * FEEDS[activation]] * layers]
        self.weight = [self._drawn(rng, n, m).astype(dtype) for n, m in zip(sources, targets, strict=True)]
        self.bias = [np.zeros(m, dtype) for m in targets]
        self._memory: dict[str, list[Floats]] = {}
        super().__init__()

    @property
    def units(self) -> int:
        return sum(len(bias) for bias in self.bias[:-1])

    @property
    def layers(self) -> list[slice]:
        ends = np.cumsum([0, *(len(bias) for bias in self.bias[:-1])])
        return [slice(int(begin), int(end)) for begin, end in pairwise(ends)]

    def _drawn(self, rng: np.random.Generator, sources: int, targets: int) -> Floats:
        return self._initial.draw(rng, sources, (sources, targets))

    @property
    def connections(self) -> int:
        return sum(weight.size for weight in self.weight)

    @property
    def outgoing(self) -> Floats:  # (units, outputs): only the last hidden layer reaches the outputs; of crelu z⁺ alone
        outgoing, width = np.zeros((self.units, len(self.bias[-1])), self.weight[-1].dtype), len(self.bias[-2])
        outgoing[self.units - width :] = self.weight[-1][:width]
        return outgoing

    @property
    def weights(self) -> list[Floats]:
        return self.weight

    def parameters(self) -> list[Floats]:
        return [*self.weight, *self.bias]

    def memory(self, name: str) -> list[Floats]:
        return self._memory[name]

    def remember(self, memory: tuple[str, ...], traces: Mapping[str, float | None]) -> None:
        for name in memory:
            fresh = [values.copy() if name == BIRTH else np.zeros_like(values) for values in self.parameters()]
            self._memory.setdefault(name, fresh)
        self._keep_traces(traces, self.units)

    def _layers(self, samples: Samples) -> list[Floats]:
        active = [samples.x]
        for weight, bias in zip(self.weight[:-1], self.bias[:-1], strict=True):
            z = active[-1] @ weight + bias
            active.append(np.maximum(z if self.activation == "relu" else np.hstack([z, -z]), 0))
        return active

    def hidden(self, samples: Samples) -> Floats:  # (n, units)
        """Of crelu |z|, the sum of what a unit feeds."""
        feeds = FEEDS[self.activation]
        return np.hstack([sum(np.split(active, feeds, axis=1)) for active in self._layers(samples)[1:]])

    def output(self, samples: Samples) -> Floats:  # (n, outputs)
        return self._layers(samples)[-1] @ self.weight[-1] + self.bias[-1]

    def grow(self, rng: np.random.Generator) -> None:
        raise Mistake("a layered network has a fixed size; give a growing rule to a cascade")

    def prune(self, units: Indices) -> None:
        if len(units):
            raise Mistake("a layered network has a fixed size; give a pruning rule to a cascade")

    def renew(self, unit: int, rng: np.random.Generator) -> None:
        layer, place = divmod(unit, len(self.bias[0]))
        self.born += 1
        for weight, bias in [self._split(values) for values in (self.parameters(), *self._memory.values())]:
            weight[layer][:, place], bias[layer][place] = 0, 0
            weight[layer + 1][place :: len(bias[layer])] = 0
        incoming = self.weight[layer][:, place]
        incoming[:] = self._initial.draw(rng, len(incoming), incoming.shape)
        if BIRTH in self._memory:
            self._split(self._memory[BIRTH])[0][layer][:, place] = incoming
        self._clear_trace(unit)

    def redraw(self, what: str, rng: np.random.Generator) -> None:
        self.born += 1
        first = 0 if what == "all" else len(self.weight) - 1
        for values in self._memory.values():
            for kept in (kept for part in self._split(values) for kept in part[first:]):
                kept[:] = 0
        for layer in range(first, len(self.weight)):
            self.weight[layer][:], self.bias[layer][:] = self._drawn(rng, *self.weight[layer].shape), 0
            if BIRTH in self._memory:
                self._split(self._memory[BIRTH])[0][layer][:] = self.weight[layer]
        if what == "all":
            for unit in range(self.units):
                self._clear_trace(unit)

    def mix(self, scale: float, noise: float, kind: str, rng: np.random.Generator) -> None:
        self.born += 1
        for weight in self.weight:
            fresh = self._drawn(rng, *weight.shape) if kind == "draw" else normal(rng, weight)
            weight[:] = scale * weight + noise * fresh
        for bias in self.bias:
            bias *= scale
            if kind == "gaussian" and self.has_bias:
                bias += noise * normal(rng, bias)

    def _split(self, values: list[Floats]) -> tuple[list[Floats], list[Floats]]:
        return values[: len(self.weight)], values[len(self.weight) :]

    def snapshot(self) -> Snapshot:
        named = {name: values.copy() for name, values in self._named().items()}
        return {"born": np.array(self.born), **named, **self._notes()}

    def restore(self, snapshot: Snapshot) -> None:
        born = int(snapshot["born"])
        values = {name: fitting(snapshot[name], own.shape) for name, own in self._named().items()}
        for name, own in self._named().items():
            own[:] = values[name]
        self.born = born
        self._restore_notes(snapshot)

    def _named(self) -> Snapshot:
        kinds = [("", self.parameters()), *((f".{name}", values) for name, values in self._memory.items())]
        named = {}
        for kind, values in kinds:
            weight, bias = self._split(values)
            named |= {f"weight{layer}{kind}": array for layer, array in enumerate(weight)}
            named |= {f"bias{layer}{kind}": array for layer, array in enumerate(bias)}
        return named | {f"trace.{name}": values for name, values in self.traces.items()}
