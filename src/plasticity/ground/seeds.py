"""Every random draw of a run: (seed, purpose, index…) → an independent generator."""

from enum import IntEnum

import numpy as np


class Purpose(IntEnum):
    """What a draw is for. The numbers are part of every result: add to them, never change them."""

    PERMUTATION = 0
    ORDER = 1
    PROBE = 2
    GAUGE = 3
    FIRST_WEIGHTS = 4
    NEW_UNIT = 5
    RULE = 6
    CHANGE = 7
    LABELS = 8
    IMAGES = 9
    TURNS = 10


def generator(seed: int, purpose: Purpose, *index: int) -> np.random.Generator:
    """No generator lives on, so measuring never disturbs learning and a resumed run needs no saved state."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(purpose, *index)))
