"""What every network can do, whoever teaches it."""

from typing import Protocol

import numpy as np

from plasticity.arrays import Bools, Floats, Indices
from plasticity.stream import Samples

State = dict[str, np.ndarray]


class Network(Protocol):
    @property
    def units(self) -> int: ...  # hidden units now
    @property
    def connections(self) -> int: ...  # weights, not biases
    @property
    def born(self) -> int: ...  # units ever added: the next unit's serial number
    @property
    def outgoing(
        self,
    ) -> Floats: ...  # (units, outputs) hidden → output weights; 0 where there is no connection
    @property
    def weights(self) -> list[Floats]: ...  # every weight, as views; absent connections are 0

    def hidden(self, samples: Samples) -> Floats: ...  # (n, units) activations
    def output(self, samples: Samples) -> Floats: ...  # (n, outputs) logits
    def grow(self, rng: np.random.Generator) -> None: ...
    def prune(self, units: Indices) -> None: ...
    def state(self) -> State: ...  # copies of plain arrays, enough for `restore`
    def restore(self, state: State) -> None: ...


def kept(units: int, dropped: Indices) -> Bools:
    """A mask of the units that stay; refuses units that are not there."""
    dropped = np.asarray(dropped, dtype=np.int64)
    if dropped.size and not (0 <= dropped.min() and dropped.max() < units):
        raise IndexError(f"cannot drop unit {dropped.max()} of {units}")
    mask = np.ones(units, dtype=bool)
    mask[dropped] = False
    return mask
