"""Random pruning, which elastic networks are compared with."""

from dataclasses import dataclass

from plasticity.networks import Network
from plasticity.rules.rule import AtTaskStart, Change, Moment


@dataclass(frozen=True)
class RandomUnits(AtTaskStart):
    """Drops units when a task begins: first how many is drawn, from none to all, then which."""

    resizes = True

    def __call__(self, network: Network, now: Moment) -> Change:
        return Change(drop=now.rng.choice(network.units, now.rng.integers(network.units + 1), replace=False))
