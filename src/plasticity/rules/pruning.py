"""Which units are dropped when a task begins."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from plasticity.arrays import Indices
from plasticity.networks import Network
from plasticity.streams.permuted import Samples


class Prune(Protocol):
    def __call__(self, network: Network, probe: Samples, rng: np.random.Generator) -> Indices: ...


@dataclass(frozen=True)
class Keep:
    """Nothing is dropped."""

    def __call__(self, network: Network, probe: Samples, rng: np.random.Generator) -> Indices:
        return np.arange(0)


@dataclass(frozen=True)
class Dead:
    """Units that are silent on every probed sample."""

    def __call__(self, network: Network, probe: Samples, rng: np.random.Generator) -> Indices:
        return np.flatnonzero(~(network.hidden(probe) > 0).any(axis=0))


@dataclass(frozen=True)
class Random:
    """First how many, from none to all, then which."""

    def __call__(self, network: Network, probe: Samples, rng: np.random.Generator) -> Indices:
        return rng.choice(network.units, rng.integers(network.units + 1), replace=False)
