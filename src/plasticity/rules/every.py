"""The paper's growth: one unit every K samples."""

from dataclasses import dataclass

from plasticity.networks import Network
from plasticity.rules.rule import Change, EveryK, Moment


@dataclass(frozen=True)
class Every(EveryK):
    """One unit after samples K, 2K, …; counting starts anew in each task."""

    K: int
    resizes = True

    def __call__(self, network: Network, now: Moment) -> Change:
        return Change(add=1)
