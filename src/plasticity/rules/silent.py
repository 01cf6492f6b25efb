"""Pruning that needs neither a probe nor tasks: units that have long been silent."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from plasticity.ground.limits import whole
from plasticity.networks import Network
from plasticity.rules.rule import Change, Moment


@dataclass(frozen=True)
class Silent:
    """A unit is dropped as soon as it has been silent on `samples` samples in a row, those before its first firing
    included. Only what was learned is looked at: neither a boundary between tasks nor samples to come."""

    samples: int
    resizes = True
    why = "silent"

    def __post_init__(self) -> None:
        whole("samples", self.samples, 1)

    @property
    def traces(self) -> Mapping[str, float | None]:
        return {"silent_for": None}

    def due(self, network: Network, sample: int, N: int) -> int | None:
        """When the first unit would have been silent for so long, if it did not fire before."""
        wait = (self.samples - network.traces["silent_for"]).min(initial=N + 1)
        following = max(sample, network.sample + max(0, int(wait)))
        return following if following <= N else None

    def __call__(self, network: Network, now: Moment) -> Change:
        return Change(drop=np.flatnonzero(network.traces["silent_for"] >= self.samples))
