"""Both engines on the same samples, and how far apart the networks are that they leave."""

from collections.abc import Sequence

import numpy as np

from plasticity.engines.fused import Fused
from plasticity.engines.reference import Reference
from plasticity.networks import Network
from plasticity.streams import Samples
from plasticity.updates import Update


def learn(pair: Sequence[Network], samples: Samples, update: Update) -> None:
    """Two copies of a network, one for each engine; every prediction must be the same."""
    reference, fused = pair
    right = Reference().learn(reference, samples, update)
    np.testing.assert_array_equal(right, Fused().learn(fused, samples, update))


def difference(a: Network, b: Network) -> float:
    """Relative to the size of each array."""
    pairs = zip(a.snapshot().values(), b.snapshot().values(), strict=True)
    return max(float(np.linalg.norm(x - y) / max(np.linalg.norm(x), 1e-12)) for x, y in pairs)
