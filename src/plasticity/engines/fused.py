"""The fast engine: the reference's steps, compiled, on one CPU thread."""

from dataclasses import dataclass

import numpy as np

from plasticity.arrays import Bools, Indices
from plasticity.compiled.layout import CascadeLayout, LayeredLayout
from plasticity.errors import Diverged
from plasticity.networks import Cascade, Network
from plasticity.streams.permuted import Samples

PIECE = 1024  # samples between two chances for a signal to be heard


@dataclass(frozen=True)
class Fused:
    step_size: float

    def learn(self, network: Network, samples: Samples) -> Bools:
        layout = lay_out(network, samples.permutation)
        correct = np.zeros(len(samples), bool)
        for start in range(0, len(samples), PIECE):
            part = slice(start, start + PIECE)
            bad = layout.learn(samples[part], self.step_size, correct[part])
            if bad >= 0:
                raise Diverged(start + bad)
        layout.store()
        if not all(np.isfinite(weight).all() for weight in network.weights):  # a unit that is not a number is silent
            raise Diverged(len(samples) - 1)
        return correct


def lay_out(network: Network, permutation: Indices) -> CascadeLayout | LayeredLayout:
    if isinstance(network, Cascade):
        return CascadeLayout(network, permutation)
    return LayeredLayout(network, permutation)
