"""What an engine does."""

from typing import Protocol

from plasticity.arrays import Bools
from plasticity.networks import Network
from plasticity.streams.permuted import Samples


class Engine(Protocol):
    def learn(self, network: Network, samples: Samples) -> Bools: ...  # was each prediction right, before its step
