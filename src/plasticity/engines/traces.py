"""Per-unit traces, sample by sample: the definition that compiled code agrees with."""

import numpy as np

from plasticity.compiled.traces import BIN_OF
from plasticity.ground.arrays import Floats


def follow(
    traces: dict[str, np.ndarray], decays: dict[str, float], hidden: Floats, outgoing: Floats, ratio: Floats | None
) -> None:
    """After one sample: `hidden` (units,) of its forward pass. Of each unit's weights after its step, `outgoing`
    (units,) is the sum of the absolute outgoing ones, `ratio` (units,) the mean of those over that of the incoming.

    age: samples since birth. silent_for: samples since it last fired. gaps: how often so many samples lay between two
    of its firings, by bin. activity: running mean of its output. utility: running mean of its output times `outgoing`,
    the contribution utility of continual backprop (Dohare et al., 2024). adaptable_utility: that of its authors' MNIST
    code, running mean of `ratio` times how far its output is from `activity`, which holds this sample already and is
    corrected for the unit's age; so a unit's first sample adds 0.
    """
    if "age" in traces:
        traces["age"] += 1
    if "gaps" in traces:
        units = np.flatnonzero(hidden > 0)
        bins = BIN_OF[np.minimum(traces["silent_for"][units] + 1, len(BIN_OF) - 1)]
        traces["gaps"][units, bins] += 1
    if "silent_for" in traces:
        traces["silent_for"][:] = np.where(hidden > 0, 0, traces["silent_for"] + 1)
    for name, value in (("activity", hidden), ("utility", hidden * outgoing)):
        if name in traces:
            traces[name][:] = decays[name] * traces[name] + (1 - decays[name]) * value
    if ratio is not None:
        decay, mean = decays["adaptable_utility"], traces["activity"] / (1 - decays["activity"] ** traces["age"])
        traces["adaptable_utility"] *= decay
        traces["adaptable_utility"] += (1 - decay) * ratio * np.abs(hidden - mean)
