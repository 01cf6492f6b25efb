"""Random pruning, which elastic networks are compared with."""

from dataclasses import dataclass

from plasticity.networks import Network
from plasticity.rules.rule import TASK, AtTaskStart, Change, Moment


@dataclass(frozen=True)
class RandomUnits(AtTaskStart):
    """Drops units when a task begins, or after every `every` samples: first how many is drawn, from none to all, then
    which."""

    every: int | str = TASK
    resizes = True
    why = "random"

    def __call__(self, network: Network, now: Moment) -> Change:
        return Change(drop=now.rng.choice(network.units, now.rng.integers(network.units + 1), replace=False))
