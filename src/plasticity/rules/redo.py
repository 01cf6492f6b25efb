"""ReDo: dormant units are recycled (Sokar, Agarwal, Castro and Evci, 2023)."""

from dataclasses import dataclass
from math import inf

import numpy as np

from plasticity.networks import Network
from plasticity.rules.renewing import Renewing, number, whole
from plasticity.rules.rule import Change, Moment, Untraced


@dataclass(frozen=True)
class ReDo(Renewing, Untraced):
    """After every `every` samples of a task, the last included, it renews each unit whose mean output, over a random
    part of the task, is at most `threshold` times the mean of its layer. At 0 those are the units that never fire."""

    every: int
    threshold: float

    def __post_init__(self) -> None:
        whole("every", self.every, 1)
        number("threshold", self.threshold, 0, inf)

    def due(self, network: Network, sample: int, N: int) -> int | None:
        following = max(1, -(-sample // self.every)) * self.every
        return following if following <= N else None

    def __call__(self, network: Network, now: Moment) -> Change:
        activity = now.hidden.mean(axis=0, dtype=np.float64)
        dormant = [activity[layer] <= self.threshold * mean(activity[layer]) for layer in network.layers]
        return Change(renew=np.flatnonzero(np.concatenate(dormant)))


def mean(values: np.ndarray) -> float:
    return float(values.mean()) if values.size else 0.0
