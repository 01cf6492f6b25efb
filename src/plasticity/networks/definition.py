"""What a network computes, in plain numpy."""

import numpy as np

from plasticity.ground.arrays import Floats
from plasticity.networks.cascade import Cascade
from plasticity.streams import Samples


def responses(network: Cascade, samples: Samples) -> tuple[Floats, Floats]:  # (n, units), (n, outputs)
    """What each unit and each output says to each sample: a unit sees the inputs and the units before it."""
    sources = np.array(samples.x, network.weight.dtype)
    for unit in range(network.units):
        target = network.outputs + unit
        total = sources @ network.weight[: network.inputs + unit, target] + network.bias[target]
        sources = np.column_stack([sources, np.maximum(total, 0)])
    output = sources @ network.weight[:, : network.outputs] + network.bias[: network.outputs]
    return sources[:, network.inputs :], output
