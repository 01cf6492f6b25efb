"""Rules from outside the package, as a user would write them."""

from dataclasses import dataclass

import numpy as np

from plasticity.networks import Network
from plasticity.rules import AtTaskStart, Change, EveryK, Moment


@dataclass(frozen=True)
class Smallest(AtTaskStart):
    """Drops the unit with the smallest outgoing weights when there are more than `most`."""

    most: int

    def __call__(self, network: Network, now: Moment) -> Change:
        if network.units <= self.most:
            return Change()
        return Change(drop=np.abs(network.outgoing).sum(axis=1).argsort()[:1])


@dataclass(frozen=True)
class WhenWrong(EveryK):
    """Adds a unit after K samples if fewer than `enough` of the last K were predicted right."""

    K: int
    enough: float

    def __call__(self, network: Network, now: Moment) -> Change:
        return Change(add=int(now.correct[-self.K :].mean() < self.enough))


RULES = (
    "+model.rules.prune={_target_:support.lean.Smallest,most:50}",
    "+model.rules.grow={_target_:support.lean.WhenWrong,K:${K},enough:0.9}",
)
