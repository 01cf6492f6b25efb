"""What kernels write down about each unit, only when it fires; `Traces` brings the rest up to date at the end."""

from typing import NamedTuple

from plasticity.arrays import Floats, Indices
from plasticity.compiled.cache import compiled
from plasticity.compiled.decaying import reach_decayed
from plasticity.compiled.kinds import BLOCK
from plasticity.compiled.products import units_of


class Kept(NamedTuple):
    """Traces while a kernel runs; an array that nobody asked for is empty."""

    fired: Indices  # (units,) the sample at which each unit last fired, negative: before the first
    gaps: Indices  # (units, bins) how often so many samples lay between two firings
    bin_of: Indices  # (largest gap + 1,)
    activity: Floats  # (units,) as of `fired`, but of the first sample where that was earlier
    utility: Floats  # (units,) likewise
    activity_powers: Floats  # (samples + 1,) of the decay
    utility_powers: Floats  # (samples + 1,)
    rows: Indices  # (units,) room for the units that fire on a sample
    strength: Floats  # (units,) how strongly each of them does
    sizes: Floats  # (units + 4,) Σ|outgoing weights after the step| of each, as they are summed while they learn
    worth: Floats  # (units,) its strength times that
    passed: Indices  # (units,) samples since it last fired


@compiled
def remember(traces, rows, strength, count):
    for f in range(count):
        traces.rows[f], traces.strength[f] = rows[f], strength[f]


@compiled
def trace_cascade(traces, sample, count, between, shape, decay, anchor):
    """After the step on a sample, for the units that were remembered; a row of `between` is zero before its block."""
    rows, strength, width = traces.rows, traces.strength, between.shape[1]
    if traces.utility.size > 0:
        values, start = between.reshape(-1), 0 if shape.lateral else shape.first_output
        for f in range(count):
            row, begin = rows[f] * width, max(start, rows[f] // BLOCK * BLOCK)
            if decay is None:
                size = traces.sizes[f] if shape.frozen == 0 else reach(values, row + begin, row + width)
            else:
                size = reach_decayed(values, anchor, row, begin, width, decay.factor)
            traces.worth[f] = strength[f] * size
    trace(traces, sample, 0, rows, strength, count)


@compiled
def trace_layered(traces, sample, deeper, fire, decay, anchor, mirrored):
    first = 0
    for layer in range(deeper.sizes.size):
        rows, strength, count = fire.rows[layer], fire.strength[layer], fire.counts[layer]
        units = units_of(deeper.sizes[layer], mirrored)
        if mirrored is not None:  # both rows of a unit are its own
            for f in range(count):
                rows[f] -= units * (rows[f] >= units)
        if traces.utility.size > 0:
            for f in range(count):
                if decay is None and mirrored is None:
                    size = traces.sizes[first + f]
                else:
                    size = row_reach(deeper, layer, rows[f], decay, anchor)
                if mirrored is not None:
                    size += row_reach(deeper, layer, units + rows[f], decay, anchor)
                traces.worth[f] = strength[f] * size
        trace(traces, sample, first, rows, strength, count)
        first += units


@compiled
def row_reach(deeper, layer, row, decay, anchor):
    """Σ|w| of a row of weights behind a hidden layer."""
    width = deeper.widths[layer]
    place = deeper.places[layer] + row * width
    if decay is None:
        return reach(deeper.values, place, place + width)
    return reach_decayed(deeper.values, anchor, place, 0, width, decay.factor)


@compiled
def reach(values, begin, end):
    """Σ|w|, over a slice: an index that might be negative would keep LLVM from using vectors."""
    weights, total = values[begin:end], values.dtype.type(0)
    for k in range(weights.size):
        total += abs(weights[k])
    return total


@compiled
def trace(traces, sample, first, rows, strength, count):
    """Units `first` + rows fired. A loop for each trace, as a call for each unit would cost more than the work."""
    if traces.gaps.size > 0:
        count_gaps(traces.gaps, traces.bin_of, traces.fired, sample, first, rows, count)
    since(traces.fired, sample, first, rows, count, traces.passed)
    if traces.activity.size > 0:
        average(traces.activity, traces.activity_powers, first, rows, count, traces.passed, strength)
    if traces.utility.size > 0:
        average(traces.utility, traces.utility_powers, first, rows, count, traces.passed, traces.worth)


@compiled
def count_gaps(gaps, bin_of, fired, sample, first, rows, count):
    for f in range(count):
        unit = first + rows[f]
        gaps[unit, bin_of[min(sample - fired[unit], bin_of.size - 1)]] += 1


@compiled
def since(fired, sample, first, rows, count, passed):
    for f in range(count):
        unit = first + rows[f]
        passed[f], fired[unit] = sample - max(fired[unit], -1), sample


@compiled
def average(averages, powers, first, rows, count, passed, values):
    """On the samples since a unit last fired, its average only decayed."""
    for f in range(count):
        unit = first + rows[f]
        averages[unit] = powers[passed[f]] * averages[unit] + (1 - powers[1]) * values[f]
