"""Per-unit traces, sample by sample: the definition that compiled code agrees with."""

import numpy as np

from plasticity.arrays import Floats


def follow(traces: dict[str, np.ndarray], decays: dict[str, float], hidden: Floats, outgoing: Floats) -> None:
    """After one sample: `hidden` (units,) of its forward pass, `outgoing` (units,) the sum of each unit's absolute
    outgoing weights after its step.

    age: samples since birth. silent_for: samples since it last fired. activity: running mean of its output. utility:
    running mean of its output times `outgoing`, the contribution utility of continual backprop (Dohare et al., 2024).
    """
    if "age" in traces:
        traces["age"] += 1
    if "silent_for" in traces:
        traces["silent_for"][:] = np.where(hidden > 0, 0, traces["silent_for"] + 1)
    for name, value in (("activity", hidden), ("utility", hidden * outgoing)):
        if name in traces:
            traces[name][:] = decays[name] * traces[name] + (1 - decays[name]) * value
