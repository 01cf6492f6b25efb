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
    """Each right or wrong alike, with the same loss to a precision relative to the mean loss."""
    np.testing.assert_array_equal(one.correct, other.correct)
    np.testing.assert_allclose(one.loss, other.loss, rtol=precision, atol=precision * other.loss.mean())


def difference(a: Network, b: Network) -> float:
    """Relative to the size of each array."""
    pairs = zip(a.snapshot().values(), b.snapshot().values(), strict=True)
    return max(float(np.linalg.norm(x - y) / max(np.linalg.norm(x), 1e-12)) for x, y in pairs)
