"""Self-normalized resets: a unit that is silent for longer than is usual for it is renewed (Farias, Jozefiak, 2024)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from plasticity.compiled.traces import BIN_OF, BINS
from plasticity.networks import Layered, Network
from plasticity.rules.renewing import Renewing, number, whole
from plasticity.rules.rule import Change, Moment

# (units,) after how many silent samples each is renewed; (units, BINS) gaps that the trace has lost, or is not to count
PATIENCE, GAPS = "self_normalized_resets.patience", "self_normalized_resets.gaps"


@dataclass(frozen=True)
class SelfNormalizedResets(Renewing):
    """A unit is renewed as soon as it has been silent for as many samples as its patience, at first `start`.

    After every `tasks` tasks each unit's patience becomes the `percentile` of its gaps since then, between firings or
    up to a renewal, if that is below it, and twice as much otherwise; it stays within `least` and `most`. Gaps are
    counted in bins that are 2^⅛ wide. That counting starts anew with each patience is how we read the authors' code.
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

    def refuses(self, network: Network) -> str | None:
        if not isinstance(network, Layered):
            return "SelfNormalizedResets keeps a patience for each unit of a fixed network; use model=ffcnn"
        return super().refuses(network)

    @property
    def traces(self) -> Mapping[str, float | None]:
        return {"silent_for": None, "gaps": None}

    def due(self, network: Network, sample: int, N: int) -> int | None:
        """When the first unit would lose patience if none fired before; and when a task ends."""
        wait = (self._patience(network) - network.traces["silent_for"]).min(initial=N)
        return max(sample, min(N, network.sample + int(wait)))

    def __call__(self, network: Network, now: Moment) -> Change:
        silent, patience = network.traces["silent_for"], self._patience(network)
        renew = np.flatnonzero(silent >= patience)
        gaps = network.notes.get(GAPS, np.zeros((network.units, BINS), np.int32)).copy()
        gaps[renew] += network.traces["gaps"][renew]  # which a renewal clears
        gaps[renew, BIN_OF[np.minimum(silent[renew], len(BIN_OF) - 1)]] += 1
        if now.sample == len(now.samples) and (now.task + 1) % self.tasks == 0:
            left = network.traces["gaps"].copy()
            left[renew] = 0
            patience, gaps = self._adapted(patience, gaps + left), -left
        return Change(renew=renew, note={PATIENCE: patience, GAPS: gaps})

    def _patience(self, network: Network) -> np.ndarray:
        return network.notes.get(PATIENCE, np.full(network.units, self.start, np.int64))

    def _adapted(self, patience: np.ndarray, gaps: np.ndarray) -> np.ndarray:
        reached = gaps.cumsum(axis=1) >= self.percentile * gaps.sum(axis=1, keepdims=True)
        usual = np.searchsorted(BIN_OF, reached.argmax(axis=1))  # the first gap of the bin
        usual = np.maximum(usual, 1)
        wanted = np.where(usual < patience, usual, 2 * patience)
        return np.where(gaps.any(axis=1), np.clip(wanted, self.least, self.most), patience)
