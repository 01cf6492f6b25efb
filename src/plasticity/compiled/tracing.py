"""What kernels write down about each unit, only when it fires; `Traces` brings the rest up to date at the end."""

from typing import NamedTuple

from plasticity.arrays import Floats, Indices
from plasticity.compiled.cache import compiled
from plasticity.compiled.kinds import BLOCK


class Kept(NamedTuple):
    """Traces while a kernel runs; an array that nobody asked for is empty."""

    fired: Indices  # (units,) the sample at which each unit last fired, negative: before the first
    activity: Floats  # (units,) as of `fired`, but of the first sample where that was earlier
    utility: Floats  # (units,) likewise
    activity_powers: Floats  # (samples + 1,) of the decay
    utility_powers: Floats  # (samples + 1,)
    rows: Indices  # (units,) room for the units that fire on a sample
    strength: Floats  # (units,)


@compiled
def remember(traces, rows, strength, count):
    for f in range(count):
        traces.rows[f], traces.strength[f] = rows[f], strength[f]


@compiled
def trace_cascade(traces, sample, count, between, shape):
    """After the step on a sample, for the units that were remembered; rows of `between` are zero up to the unit."""
    for f in range(count):
        unit = traces.rows[f]
        start = unit // BLOCK * BLOCK if shape.lateral else shape.first_output
        trace(traces, sample, unit, traces.strength[f], between[unit, start:])


@compiled
def trace_layered(traces, sample, deeper, fire):
    first = 0
    for layer in range(deeper.sizes.size):
        size, width, place = deeper.sizes[layer], deeper.widths[layer], deeper.places[layer]
        for f in range(fire.counts[layer]):
            unit = fire.rows[layer, f]
            start = place + unit * width
            row = deeper.values[start : start + width]
            trace(traces, sample, first + unit, fire.strength[layer, f], row)
        first += size


@compiled
def trace(traces, sample, unit, strength, outgoing):
    """One unit fired; on the samples since it last did, its averages only decayed."""
    passed = sample - max(traces.fired[unit], -1)
    traces.fired[unit] = sample
    if traces.activity.size > 0:
        fade(traces.activity, unit, traces.activity_powers, passed, strength)
    if traces.utility.size > 0:
        fade(traces.utility, unit, traces.utility_powers, passed, strength * reach(outgoing))


@compiled
def fade(average, unit, powers, passed, value):
    average[unit] = powers[passed] * average[unit] + (1 - powers[1]) * value


@compiled
def reach(outgoing):
    """Σ|w|"""
    total = outgoing.dtype.type(0)
    for k in range(outgoing.size):
        total += abs(outgoing[k])
    return total
