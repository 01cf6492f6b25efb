"""Fixed networks (F-FCNN): fully connected layers of ReLU units."""

from collections.abc import Mapping

import numpy as np

from plasticity.compiled.arguments import EPSILON
from plasticity.compiled.layered_layout import LayeredParts
from plasticity.ground.arrays import Bools, Floats, Indices, Snapshot
from plasticity.ground.errors import Mistake
from plasticity.networks.initial import initial
from plasticity.networks.network import BIRTH, Ahead, Traces, fitting, normal, unchangeable
from plasticity.networks.work import DRAW, MIX, Work
from plasticity.streams import Samples

FEEDS = {"relu": 1, "crelu": 2}  # how many numbers a unit gives to the next layer
# Operations of a unit that is normalised: the mean, the distance from it, its square, their sum, the division; and back
# through them: two sums over the layer of a product each, two more products, two differences and a scaling.
NORMALISE, UNNORMALISE = 5, 9


class Layered(Ahead, Traces):
    """`weight[l][source, target]`: layer l's sources × targets; the last layer gives the outputs.

    Units are numbered through: those of the first hidden layer, then those of the second, and so on. With activation
    crelu a unit of pre-activation z feeds the next layer twice, z⁺ and (−z)⁺: all units' z⁺ are its first sources.

    With `normalise` (layer norm) a hidden layer's pre-activations are normalised over its units to mean 0 and variance
    1, then multiplied by each unit's gain, at first 1, and its shift, at first 0, is added. Both are parameters like
    any other: they learn, with or without biases, and what decays weights and biases decays them, too.
    """

    fixed_size = True
    column = 1

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
        output_weights: str | None = None,  # None: as the other layers
        normalise: bool = False,
    ):
        if activation not in FEEDS:
            raise Mistake(f"activation={activation} is not known; choose {' or '.join(FEEDS)}")
        if not isinstance(normalise, bool):
            raise Mistake(f"normalise={normalise} is not possible; it must be true or false")
        for name, value in (("layers", layers), ("width", width)):
            if not (isinstance(value, int) and value > 0):
                raise Mistake(f"model.{name}={value} is not possible; it must be a positive integer")
        self.inputs, self.outputs, self.born, self.has_bias = inputs, outputs, 0, bias
        last = initial("outputs", initial_weights if output_weights is None else output_weights)
        self._initial = [*[initial("layers", initial_weights)] * layers, last]  # of each layer
        self.activation = activation
        targets = [*[width] * layers, outputs]
        sources = [inputs, *[width * FEEDS[activation]] * layers]
        shapes = enumerate(zip(sources, targets, strict=True))
        self._own = LayeredParts(
            weight=[self._drawn(rng, layer, shape).astype(dtype) for layer, shape in shapes],
            bias=[np.zeros(m, dtype) for m in targets],
            gain=[np.ones(width, dtype) for _ in range(layers * normalise)],
            shift=[np.zeros(width, dtype) for _ in range(layers * normalise)],
        )
        self.layers = [slice(layer * width, (layer + 1) * width) for layer in range(layers)]
        self._memory: dict[str, list[Floats]] = {}
        super().__init__()

    @property
    def parts(self) -> LayeredParts:
        self._catch_up()
        return self._own

    @property
    def _seen(self) -> LayeredParts:
        """To look at alone."""
        self._store()
        return self._own

    @property
    def weight(self) -> list[Floats]:
        return self.parts.weight

    @property
    def bias(self) -> list[Floats]:
        return self.parts.bias

    @property
    def gain(self) -> list[Floats]:
        return self.parts.gain

    @property
    def shift(self) -> list[Floats]:
        return self.parts.shift

    @property
    def units(self) -> int:
        return sum(map(len, self._own.bias[:-1]))

    def _drawn(self, rng: np.random.Generator, layer: int, shape: tuple[int, ...]) -> Floats:  # (sources, …)
        return self._fresh(self._initial[layer], rng, shape[0], shape)

    @property
    def connections(self) -> int:
        return sum(weight.size for weight in self._own.weight)

    @property
    def _numbers(self) -> list[Floats]:
        """All that learns: biases do not where there are none. Only their sizes are up to date."""
        weight, bias, gain, shift = self._own
        return [*weight, *(bias if self.has_bias else ()), *gain, *shift]

    @property
    def work(self) -> Work:
        numbers = sum(values.size for values in self._numbers)
        weight = self._own.weight
        outgoing, incoming = (sum(each.size for each in part) for part in (weight[1:], weight[:-1]))
        forward, backward, *others = Work.of(numbers, numbers, self._tracing(self.units, outgoing, incoming))
        normalised = sum(map(len, self._own.gain))
        return Work(forward + NORMALISE * normalised, backward + UNNORMALISE * normalised, *others)

    @property
    def state_bytes(self) -> int:
        return sum(values.nbytes for values in self._numbers) * (1 + len(self._memory)) + self._trace_bytes()

    @property
    def outgoing(self) -> Floats:  # (units, outputs): only the last hidden layer reaches the outputs; of crelu z⁺ alone
        outgoing, width = np.zeros((self.units, len(self.bias[-1])), self.weight[-1].dtype), len(self.bias[-2])
        outgoing[self.units - width :] = self.weight[-1][:width]
        return outgoing

    @property
    def sizes(self) -> tuple[Floats, Floats]:
        """Of crelu a unit's outgoing weights are those of both numbers that it feeds."""
        feeds, absolute = FEEDS[self.activation], [np.abs(weight) for weight in self._seen.weight]
        outgoing = [each.sum(axis=1).reshape(feeds, -1).sum(axis=0) for each in absolute[1:]]
        return np.concatenate([each.sum(axis=0) for each in absolute[:-1]]), np.concatenate(outgoing)

    @property
    def weights(self) -> list[Floats]:
        return [unchangeable(weight) for weight in self._seen.weight]

    def parameters(self) -> list[Floats]:
        return [values for part in self.parts for values in part]

    def memory(self, name: str) -> list[Floats]:
        return self._memory[name]

    def remember(self, memory: tuple[str, ...], traces: Mapping[str, float | None]) -> None:
        for name in memory:
            fresh = [values.copy() if name == BIRTH else np.zeros_like(values) for values in self.parameters()]
            self._memory.setdefault(name, fresh)
        self._keep_traces(traces, self.units)

    def _layers(self, samples: Samples) -> list[Floats]:
        active, seen = [samples.x], self._seen
        for layer, (weight, bias) in enumerate(zip(seen.weight[:-1], seen.bias[:-1], strict=True)):
            z = active[-1] @ weight + bias
            if seen.gain:
                z = seen.gain[layer] * normalised(z) + seen.shift[layer]
            active.append(np.maximum(z if self.activation == "relu" else np.hstack([z, -z]), 0))
        return active

    def hidden(self, samples: Samples) -> Floats:  # (n, units)
        """Of crelu |z|, the sum of what a unit feeds."""
        feeds = FEEDS[self.activation]
        return np.hstack([sum(np.split(active, feeds, axis=1)) for active in self._layers(samples)[1:]])

    def silent(self, samples: Samples) -> Bools:  # (units,)
        return ~np.any(self.hidden(samples) > 0, axis=0)

    def output(self, samples: Samples) -> Floats:  # (n, outputs)
        return self._layers(samples)[-1] @ self._seen.weight[-1] + self._seen.bias[-1]

    def grow(self, rng: np.random.Generator, beside: int = 0) -> None:
        raise Mistake("a layered network has a fixed size; give a growing rule to a cascade")

    def prune(self, units: Indices) -> None:
        if len(units):
            raise Mistake("a layered network has a fixed size; give a pruning rule to a cascade")

    def renew(self, unit: int, rng: np.random.Generator) -> None:
        self.born += 1
        with self._renewing(unit):
            self._renew(*divmod(unit, len(self.bias[0])), rng)
            self._clear_trace(unit)

    def _renew(self, layer: int, place: int, rng: np.random.Generator) -> None:
        for parts in self._all_parts():
            parts.weight[layer][:, place], parts.weight[layer + 1][place :: len(self.bias[layer])] = 0, 0
            for vectors in parts[1:]:
                for vector in vectors[layer : layer + 1]:
                    vector[place] = 0
        incoming = self._drawn(rng, layer, (len(self.weight[layer]),))
        for parts in self._at_birth():
            parts.weight[layer][:, place] = incoming
            for gain in parts.gain[layer : layer + 1]:
                gain[place] = 1

    def redraw(self, what: str, rng: np.random.Generator) -> None:
        self.born += 1
        first = 0 if what == "all" else len(self.weight) - 1
        for values in (values for parts in self._all_parts() for part in parts for values in part[first:]):
            values[:] = 0
        for layer in range(first, len(self.weight)):
            fresh = self._drawn(rng, layer, self.weight[layer].shape)
            for parts in self._at_birth():
                parts.weight[layer][:] = fresh
                for gain in parts.gain[layer : layer + 1]:
                    gain[:] = 1
        if what == "all":
            for unit in range(self.units):
                self._clear_trace(unit)

    def mix(self, scale: float, noise: float, kind: str, rng: np.random.Generator) -> None:
        self.born += 1
        for layer, weight in enumerate(self.weight):
            fresh = self._drawn(rng, layer, weight.shape) if kind == "draw" else normal(rng, weight)
            weight[:] = scale * weight + noise * fresh
        for gain in self.gain:
            gain[:] = scale * gain + noise * (1 if kind == "draw" else normal(rng, gain))  # a fresh one is 1
        for bias in (*self.bias, *self.shift):
            bias *= scale
        if kind == "gaussian":
            for bias in (*(self.bias if self.has_bias else ()), *self.shift):
                bias += noise * normal(rng, bias)
        self.spent += (MIX + DRAW * (kind == "gaussian")) * self.work.learning

    def _all_parts(self) -> list[LayeredParts]:
        """The parameters', then those of each memory."""
        return self._with_memory(self.parts)

    def _with_memory(self, parts: LayeredParts) -> list[LayeredParts]:
        return [parts, *map(parts.split, self._memory.values())]

    def _at_birth(self) -> list[LayeredParts]:
        """Those that begin as the parameters do."""
        return [self.parts, *(self.parts.split(values) for name, values in self._memory.items() if name == BIRTH)]

    def snapshot(self) -> Snapshot:
        named = {name: values.copy() for name, values in self._named(self._seen).items()}
        return {"born": np.array(self.born), **named, **self._notes()}

    def restore(self, snapshot: Snapshot) -> None:
        if (born := int(snapshot["born"])) < 0:
            raise ValueError(f"there cannot be {born} births")
        values = {name: fitting(snapshot[name], own.shape) for name, own in self._named(self.parts).items()}
        for name, own in self._named(self.parts).items():
            own[:] = values[name]
        self.born = born
        self._restore_notes(snapshot)

    def _named(self, own: LayeredParts) -> Snapshot:
        named = {}
        for kind, parts in zip(["", *(f".{name}" for name in self._memory)], self._with_memory(own), strict=True):
            for part, arrays in parts._asdict().items():
                named |= {f"{part}{layer}{kind}": array for layer, array in enumerate(arrays)}
        return named | {f"trace.{name}": values for name, values in self.traces.items()}


def normalised(z: Floats) -> Floats:  # (n, units)
    """Mean 0 and variance 1 over the units."""
    return (z - z.mean(axis=1, keepdims=True)) / np.sqrt(z.var(axis=1, keepdims=True) + z.dtype.type(EPSILON))
