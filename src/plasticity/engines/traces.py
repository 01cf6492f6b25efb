"""Per-unit traces, sample by sample: the definition that compiled code agrees with."""

import numpy as np

from plasticity.arrays import Floats
from plasticity.compiled.traces import BIN_OF


def follow(traces: dict[str, np.ndarray], decays: dict[str, float], hidden: Floats, outgoing: Floats) -> None:
    """After one sample: `hidden` (units,) of its forward pass, `outgoing` (units,) the sum of each unit's absolute
    outgoing weights after its step.

    age: samples since birth. silent_for: samples since it last fired. gaps: how often so many samples lay between two
    of its firings, by bin. activity: running mean of its output. utility:
    running mean of its output times `outgoing`, the contribution utility of continual backprop (Dohare et al., 2024).
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
