"""What all networks share."""

import numpy as np

from plasticity.arrays import Bools, Indices
from plasticity.errors import Mistake


def kept(units: int, dropped: Indices) -> Bools:
    """A mask of the units that stay; refuses units that are not there."""
    if np.asarray(dropped).dtype == bool:
        raise Mistake("a pruning rule gave a mask; it must give the numbers of the units, as np.flatnonzero(mask) does")
    dropped = np.asarray(dropped, dtype=np.int64)
    if dropped.size and not (0 <= dropped.min() and dropped.max() < units):
        raise IndexError(f"cannot drop unit {dropped.max()} of {units}")
    mask = np.ones(units, dtype=bool)
    mask[dropped] = False
    return mask
