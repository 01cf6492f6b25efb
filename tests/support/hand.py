"""A network of 4 inputs, 3 units and 2 outputs whose first step can be worked out on paper.

The sample is x = (1, 0, 1, 0) with label 0. Pre-activations are 1, −1 and 2, so h = (1, 0, 2). Both outputs are 0.3
(1·0.3 + 2·0 and 1·0.1 + 2·0.1), so softmax gives (½, ½), and the gradient at the outputs is (−½, ½). Gradients:
output weights h × that: unit 0 (−½, ½), unit 1 nothing, unit 2 (−1, 1). Back to unit 0: 0.3·(−½) + 0.1·½ = −0.1, to
unit 1 nothing as it is silent, to unit 2: 0·(−½) + 0.1·½ = 0.05. Input weights: x × that.
"""

import numpy as np

from plasticity.networks import Cascade, Layered
from plasticity.streams import Samples, Stream

X, LABEL = np.array([[1.0, 0.0, 1.0, 0.0]]), np.array([0])
SAMPLE = Samples.of(X, LABEL)
AGAIN = Samples.of(np.vstack([X, X]), np.array([0, 1]))  # and once more, with label 1
INCOMING = np.array([[0.5, -1.0, 1.5], [0.2, 0.4, -0.2], [0.5, 0.0, 0.5], [0.1, 0.1, 0.1]])
OUTGOING = np.array([[0.3, 0.1], [0.7, -0.7], [0.0, 0.1]])
GRADIENT_INCOMING = np.array([[-0.1, 0.0, 0.05], [0.0, 0.0, 0.0], [-0.1, 0.0, 0.05], [0.0, 0.0, 0.0]])
GRADIENT_OUTGOING = np.array([[-0.5, 0.5], [0.0, 0.0], [-1.0, 1.0]])
GRADIENT_BIAS = (np.array([-0.1, 0.0, 0.05]), np.array([-0.5, 0.5]))


class Once(Stream):
    """Every task is the same samples, in their order."""

    def __init__(self, samples: Samples):
        self._samples = samples

    def samples(self, task: int) -> Samples:
        return self._samples


def layered() -> Layered:
    rng = np.random.default_rng(0)
    network = Layered(rng, 4, 2, layers=1, width=3, bias=True, initial_weights="kaiming", dtype=np.float64)
    network.weight[0][:], network.weight[1][:] = INCOMING, OUTGOING
    return network


def flat() -> Cascade:
    """The same as a two-layer network: its inputs also reach the outputs, with weights of zero."""
    how = dict(lateral=False, freezing=False, bias=True, incoming="kaiming", outgoing="zero", first="zero")
    network = Cascade(np.random.default_rng(0), 4, 2, dtype=np.float64, **how)  # type: ignore[arg-type]
    for unit in range(3):
        network.grow(np.random.default_rng(unit))
    network.weight[:4, 2:], network.weight[4:, :2] = INCOMING, OUTGOING
    return network
