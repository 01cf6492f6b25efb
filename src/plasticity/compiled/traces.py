"""What can be kept about each hidden unit while a network learns, as of the latest sample."""

from typing import NamedTuple

import numpy as np

from plasticity.compiled.arguments import Kept
from plasticity.compiled.kinds import SAMPLES

# Gaps between a unit's firings are counted in bins that are 2^⅛ wide: bin k begins at gap 2^(k/8), the last has no end.
BIN_OF = np.array([0, *np.floor(8 * np.log2(np.arange(1, 2**16 + 1)) + 1e-9)]).astype(np.int64)  # (largest gap + 1,)
BINS = int(BIN_OF[-1]) + 1
TRACES = {
    "age": np.dtype(np.int64),
    "silent_for": np.dtype(np.int64),
    "activity": np.dtype(np.float64),
    "utility": np.dtype(np.float64),
    "gaps": np.dtype((np.int32, (BINS,))),
    "adaptable_utility": np.dtype(np.float64),
    "patience": np.dtype(np.int64),
}
# Operations per sample: for each unit, for each weight that leads away from one, and for each that leads to one.
WORK = {
    "age": (1, 0, 0),
    "silent_for": (1, 0, 0),
    "activity": (3, 0, 0),  # d·a + (1 − d)·h
    "utility": (4, 2, 0),  # the same of h times a sum of absolute values
    "gaps": (1, 0, 0),
    "patience": (0, 0, 0),  # written by a rule
    "adaptable_utility": (9, 2, 2),  # two running means, a distance, a ratio; and absolute values, summed
}
# What kernels do not keep, and what it would need: input weights are touched only once a block.
SLOW = {"adaptable_utility": "the sizes of all incoming weights after every step"}


class Traces(NamedTuple):
    """Those that somebody asked for, by name; each of shape (units,), gaps of (units, BINS), changed in place.

    age: samples since the unit's birth. silent_for: samples since it last fired. activity: what it fires, h, averaged
    as a ← d·a + (1 − d)·h. utility: h · Σ|outgoing weights after the step|, averaged alike. gaps: how often so many
    samples lay between two of its firings, or its birth and the first, by bin; it needs silent_for. patience: what
    a rule writes there, how long the unit may be silent; 0: nothing yet.
    """

    values: dict[str, np.ndarray]
    decays: dict[str, float]  # of activity and utility

    def begin(self, units: int, number: np.dtype) -> Kept | None:
        """What a kernel needs; None: nothing."""
        if not self.values.keys() - {"age"}:
            return None
        nothing = np.empty(0)
        return Kept(
            silent=self.values.get("silent_for", np.empty(0, np.int64)),
            gaps=self.values.get("gaps", np.empty((0, BINS), np.int32)),
            bin_of=BIN_OF,
            activity=self.values.get("activity", nothing),
            activity_decay=self.decays.get("activity", 0.0),
            utility=self.values.get("utility", nothing),
            utility_decay=self.decays.get("utility", 0.0),
            fires=np.zeros((SAMPLES, units), number),
            reach=np.zeros((SAMPLES if "utility" in self.values else 0, units), number),
            sizes=np.zeros(units + 4 if "utility" in self.values else 0, number),
            when=np.zeros(units if "silent_for" in self.values else 0, np.int64),
        )

    def end(self, samples: int) -> None:
        """After so many samples."""
        if "age" in self.values:
            self.values["age"] += samples
