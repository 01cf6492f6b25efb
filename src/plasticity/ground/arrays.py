"""Names for the arrays that travel through the suite."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
Labels = NDArray[np.integer]
Indices = NDArray[np.integer]
Bools = NDArray[np.bool_]
Snapshot = dict[str, np.ndarray]  # plain arrays, enough to restore a network from
