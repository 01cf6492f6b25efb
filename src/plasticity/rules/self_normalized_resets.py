"""Self-normalized resets: a unit that is silent for longer than is usual for it is renewed (Farias, Jozefiak, 2024)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from plasticity.compiled.traces import BIN_OF
from plasticity.ground.limits import number, whole
from plasticity.networks import Network
from plasticity.rules.renewing import Renewing
from plasticity.rules.rule import Change, Moment


@dataclass(frozen=True)
class SelfNormalizedResets(Renewing):
    """A unit is renewed as soon as it has been silent for as many samples as its patience, at first `start`.

    After every `tasks` tasks each unit's patience becomes the `percentile` of its gaps since then, between firings or
    up to a renewal, if that is below it, and twice as much otherwise; it stays within `least` and `most`. Gaps are
    counted in bins that are 2^⅛ wide, and counting starts anew with each patience, as in the authors' code; that code
    leaves out gaps without a silent batch, where two firings in a row are a gap of 1 here. A unit that is added, or
    renewed by another rule, begins with `start` and without gaps.
    """

    percentile: float
    start: int
    least: int
    most: int
    tasks: int

    def __post_init__(self) -> None:
        number("percentile", self.percentile, 0, 1)
        for name in ("least", "tasks"):
            whole(name, getattr(self, name), 1)
        whole("most", self.most, self.least)
        whole("start", self.start, self.least)

    @property
    def traces(self) -> Mapping[str, float | None]:
        return {"silent_for": None, "gaps": None, "patience": None}

    def due(self, network: Network, sample: int, N: int) -> int | None:
        """When the first unit would lose patience if none fired before; and when a task ends."""
        wait = (self._patience(network) - network.traces["silent_for"]).min(initial=N)
        return max(sample, min(N, network.sample + int(wait)))

    def __call__(self, network: Network, now: Moment) -> Change:
        silent, patience = network.traces["silent_for"], self._patience(network)
        renew, gaps = np.flatnonzero(silent >= patience), network.traces["gaps"].copy()
        gaps[renew, BIN_OF[np.minimum(silent[renew], len(BIN_OF) - 1)]] += 1
        if now.sample == len(now.samples) and (now.task + 1) % self.tasks == 0:
            patience, gaps = self._adapted(patience, gaps), np.zeros_like(gaps)
        return Change(renew=renew, note={"patience": patience, "gaps": gaps})  # noted after the renewal, which clears

    def _patience(self, network: Network) -> np.ndarray:  # (units,)
        """After how many silent samples each unit is renewed."""
        patience = network.traces["patience"]
        return np.where(patience > 0, patience, self.start)

    def _adapted(self, patience: np.ndarray, gaps: np.ndarray) -> np.ndarray:
        reached = gaps.cumsum(axis=1) >= self.percentile * gaps.sum(axis=1, keepdims=True)
        usual = np.searchsorted(BIN_OF, reached.argmax(axis=1))  # the first gap of the bin
        usual = np.maximum(usual, 1)
        wanted = np.where(usual < patience, usual, 2 * patience)
        return np.where(gaps.any(axis=1), np.clip(wanted, self.least, self.most), patience)
