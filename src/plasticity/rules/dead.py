"""The elastic networks' pruning: units that are silent."""

from dataclasses import dataclass

import numpy as np

from plasticity.networks import Network
from plasticity.rules.rule import AtTaskStart, Change, Moment


@dataclass(frozen=True)
class Dead(AtTaskStart):
    """Drops, when a task begins, the units that are silent on every probed sample of it."""

    resizes = True

    def __call__(self, network: Network, now: Moment) -> Change:
        return Change(drop=np.flatnonzero(~(now.hidden > 0).any(axis=0)))
