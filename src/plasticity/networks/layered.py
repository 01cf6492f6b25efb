"""F-FCNN: a fixed, fully connected network of any depth and width."""

from itertools import pairwise

import numpy as np

from plasticity.arrays import Floats, Indices, State
from plasticity.errors import Mistake
from plasticity.networks.initial import initial
from plasticity.streams.permuted import Samples


class Layered:
    """`weight[l][source, target]`: layer l's sources × targets; the last layer gives the outputs."""

    born = 0

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
    ):
        sizes = [inputs, *[width] * layers, outputs]
        how = initial("layers", initial_weights)
        self.has_bias = bias
        self.weight = [how.draw(rng, n, (n, m)).astype(dtype) for n, m in pairwise(sizes)]
        self.bias = [np.zeros(m, dtype) for m in sizes[1:]]

    @property
    def units(self) -> int:
        return sum(len(bias) for bias in self.bias[:-1])

    @property
    def connections(self) -> int:
        return sum(weight.size for weight in self.weight)

    @property
    def outgoing(self) -> Floats:  # (units, outputs): only the last hidden layer reaches the outputs
        outgoing = np.zeros((self.units, len(self.bias[-1])), self.weight[-1].dtype)
        outgoing[self.units - len(self.weight[-1]) :] = self.weight[-1]
        return outgoing

    @property
    def weights(self) -> list[Floats]:
        return self.weight

    def _layers(self, samples: Samples) -> list[Floats]:
        active = [samples.x]
        for weight, bias in zip(self.weight[:-1], self.bias[:-1], strict=True):
            active.append(np.maximum(active[-1] @ weight + bias, 0))
        return active

    def hidden(self, samples: Samples) -> Floats:  # (n, units)
        return np.hstack(self._layers(samples)[1:])

    def output(self, samples: Samples) -> Floats:  # (n, outputs)
        return self._layers(samples)[-1] @ self.weight[-1] + self.bias[-1]

    def grow(self, rng: np.random.Generator) -> None:
        raise Mistake("a layered network has a fixed size; give a growing rule to a cascade")

    def prune(self, units: Indices) -> None:
        if len(units):
            raise Mistake("a layered network has a fixed size; give a pruning rule to a cascade")

    def state(self) -> State:
        weight = {f"weight{layer}": weight.copy() for layer, weight in enumerate(self.weight)}
        return weight | {f"bias{layer}": bias.copy() for layer, bias in enumerate(self.bias)}

    def restore(self, state: State) -> None:
        for layer, (weight, bias) in enumerate(zip(self.weight, self.bias, strict=True)):
            weight[:], bias[:] = state[f"weight{layer}"], state[f"bias{layer}"]
