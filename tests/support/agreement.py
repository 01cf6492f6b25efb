"""Both engines on the same samples, and how far apart the networks are that they leave."""

from collections.abc import Sequence

import numpy as np

from plasticity.engines import Learned
from plasticity.engines.fused import Fused
from plasticity.engines.reference import Reference
from plasticity.networks import Network
from plasticity.streams import Samples
from plasticity.updates import Update
from support.pairs import PRECISION


def learn(pair: Sequence[Network], samples: Samples, update: Update) -> None:
    """Two copies of a network, one for each engine; every prediction must be the same."""
    reference, fused = pair
    right = Reference().learn(reference, samples, update)
    same_predictions(Fused().learn(fused, samples, update), right, PRECISION[fused.weights[0].dtype.type])


def same_predictions(one: Learned, other: Learned, precision: float) -> None:
    """Each right or wrong alike, and losses that are as close as weights must be."""
    np.testing.assert_array_equal(one.correct, other.correct)
    assert apart(one.loss, other.loss) < precision


def difference(a: Network, b: Network) -> float:
    """Of the arrays that are furthest apart."""
    pairs = zip(a.snapshot().values(), b.snapshot().values(), strict=True)
    return max(apart(x, y) for x, y in pairs)


def apart(x: np.ndarray, y: np.ndarray) -> float:
    """Relative to the size of the array."""
    return float(np.linalg.norm(x - y) / max(np.linalg.norm(x), 1e-12))
