"""Growth that knows no tasks."""

from dataclasses import dataclass

import numpy as np

from plasticity.ground.limits import whole
from plasticity.networks import Network
from plasticity.rules.rule import Change, Moment, Untraced

NOTE = "steady"  # (1,) samples since the last unit, or since the start, when the task began


@dataclass(frozen=True)
class Steady(Untraced):
    """One unit after every K samples of the whole stream: counting goes on from task to task."""

    K: int
    resizes = True
    counts_on = True  # so that K can be more than a task has

    def __post_init__(self) -> None:
        whole("K", self.K, 1)

    def due(self, network: Network, sample: int, N: int) -> int | None:
        """Also after the last sample of a task, to write down how many have passed."""
        before = self._before(network)
        wanted = max(1, -(-(before + sample) // self.K)) * self.K - before
        return min(N, wanted if wanted > 0 else wanted + self.K)

    def __call__(self, network: Network, now: Moment) -> Change:
        passed = self._before(network) + now.sample
        note = {NOTE: np.array([passed % self.K])} if now.sample == len(now.samples) else {}
        return Change(add=int(now.sample > 0 and passed % self.K == 0), note=note)

    def _before(self, network: Network) -> int:
        return int(network.notes.get(NOTE, np.zeros(1))[0])
