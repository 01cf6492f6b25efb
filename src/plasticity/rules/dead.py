"""The elastic networks' pruning: units that are silent."""

from dataclasses import dataclass

import numpy as np

from plasticity.networks import Network
from plasticity.rules.rule import TASK, AtTaskStart, Change, Moment


@dataclass(frozen=True)
class Dead(AtTaskStart):
    """Drops, when a task begins, the units that are silent on every probed sample of it; or, after every `every`
    samples of each task, those that are silent on every one of the latest samples, as many as are probed."""

    every: int | str = TASK
    resizes = True
    why = "silent"

    def __call__(self, network: Network, now: Moment) -> Change:
        return Change(drop=np.flatnonzero(now.silent_on(now.probe if self.needs_boundaries else now.recent)))
