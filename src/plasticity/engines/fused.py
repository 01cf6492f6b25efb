"""The fast engine: the reference's steps, compiled, on one CPU thread."""

from dataclasses import dataclass

import numpy as np

from plasticity.arrays import Bools, Indices
from plasticity.compiled.cascade_layout import CascadeLayout
from plasticity.compiled.layered_layout import LayeredArrays, LayeredLayout
from plasticity.compiled.traces import Traces
from plasticity.errors import Diverged
from plasticity.networks import Cascade, Network
from plasticity.stream import Samples

PIECE = 1024  # samples between two chances for a signal to be heard


@dataclass(frozen=True)
class Fused:
    step_size: float

    def learn(self, network: Network, samples: Samples) -> Bools:
        layout, traces = lay_out(network, samples.permutation), traces_of(network)
        correct = np.zeros(len(samples), bool)
        for start in range(0, len(samples), PIECE):
            part = slice(start, start + PIECE)
            bad = layout.learn(samples[part], self.step_size, correct[part], traces)
            if bad >= 0:
                raise Diverged(start + bad)
        layout.store()
        if not all(np.isfinite(weight).all() for weight in network.weights):  # a unit that is not a number is silent
            raise Diverged(len(samples) - 1)
        for name, values in traces.values.items() if traces else ():
            network.traces[name][:] = values  # pyright: ignore[reportAttributeAccessIssue]
        return correct


def lay_out(network: Network, permutation: Indices) -> CascadeLayout | LayeredLayout:
    if isinstance(network, Cascade):
        return CascadeLayout(network.arrays, permutation)
    return LayeredLayout(LayeredArrays(network.weight, network.bias, network.has_bias), permutation)


def traces_of(network: Network) -> Traces | None:
    """A copy: like the weights, traces change only when the whole segment has been learnt."""
    values = getattr(network, "traces", None)
    if not values:
        return None
    return Traces({name: np.array(kept) for name, kept in values.items()}, getattr(network, "decays", {}))
