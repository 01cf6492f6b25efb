"""ReDo: dormant units are recycled (Sokar, Agarwal, Castro and Evci, 2023)."""

from dataclasses import dataclass
from math import inf

import numpy as np

from plasticity.ground.limits import number, whole
from plasticity.networks import Network
from plasticity.rules.renewing import Renewing
from plasticity.rules.rule import Change, Moment, Untraced, after_every


@dataclass(frozen=True)
class ReDo(Renewing, Untraced):
    """After every `every` samples of a task, the last included, it renews each unit whose mean output is at most
    `threshold` times the mean of its layer. At 0 those are the units that do not fire.

    Means are those of the network as it is, over the latest `window` samples of the task; or, if it is None, over the
    probe, a random part of the task that has samples to come in it. A running mean along the stream would not do: once
    a unit has fired, it is never 0.
    """

    every: int
    threshold: float
    window: int | None = None

    def __post_init__(self) -> None:
        whole("every", self.every, 1)
        number("threshold", self.threshold, 0, inf)
        if self.window is not None:
            whole("window", self.window, 1, ", or null for the probe")

    @property
    def needs_boundaries(self) -> bool:
        """The probe is of one task."""
        return self.window is None

    def due(self, network: Network, sample: int, N: int) -> int | None:
        return after_every(self.every, sample, N)

    def __call__(self, network: Network, now: Moment) -> Change:
        hidden = now.hidden if self.window is None else now.hidden_on(now.latest(self.window))
        activity = hidden.mean(axis=0, dtype=np.float64)
        dormant = [activity[layer] <= self.threshold * mean(activity[layer]) for layer in network.layers]
        return Change(renew=np.flatnonzero(np.concatenate(dormant)))


def mean(values: np.ndarray) -> float:
    return float(values.mean()) if values.size else 0.0
