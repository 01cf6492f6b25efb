"""What kernels write down about units after each sample: in plain loops over all of them, which LLVM makes vectors."""

from typing import NamedTuple

from plasticity.arrays import Floats, Indices
from plasticity.compiled.cache import apart, compiled
from plasticity.compiled.decaying import reach_decayed
from plasticity.compiled.kinds import BLOCK
from plasticity.compiled.products import units_of


class Kept(NamedTuple):
    """Traces while a kernel runs; an array that nobody asked for is empty."""

    silent: Indices  # (units,) samples since it last fired
    gaps: Indices  # (units, bins) how often so many samples lay between two firings
    bin_of: Indices  # (largest gap + 1,)
    activity: Floats  # (units,)
    activity_decay: float
    utility: Floats  # (units,)
    utility_decay: float
    fed: Floats  # (units,) what each unit fires on a sample
    reach: Floats  # (units,) Σ|outgoing weights| after the step on the sample on which it last fired
    sizes: Floats  # (units + 4,) room for those sums while rows learn


@apart
def trace_firing(traces, z, first, rows, count, mirrored):
    """What a forward pass says about the units from `first` on: their pre-activations z, and the rows that fire."""
    here = slice(first, first + z.size)
    fed = traces.fed[here]
    for k in range(fed.size):
        fed[k] = max(z[k], 0) if mirrored is None else abs(z[k])
    if traces.silent.size > 0:
        silent = traces.silent[here]
        if traces.gaps.size > 0:
            count_gaps(traces.gaps[here], traces.bin_of, silent, rows, count, mirrored)
        for k in range(fed.size):
            silent[k] = (silent[k] + 1) * (fed[k] <= 0)
    if traces.activity.size > 0:
        activity, decay = traces.activity[here], traces.activity_decay
        for k in range(fed.size):
            activity[k] = decay * activity[k] + (1 - decay) * fed[k]


@compiled
def count_gaps(gaps, bin_of, silent, rows, count, mirrored):
    """Before `silent` hears of the sample."""
    units = silent.size
    for f in range(count):
        unit = rows[f] if mirrored is None else rows[f] - units * (rows[f] >= units)
        gaps[unit, bin_of[min(silent[unit] + 1, bin_of.size - 1)]] += 1


@compiled
def keep_reach(traces, unit, f):
    """Of the unit whose row was the f-th to learn."""
    if traces.sizes.size > 0:
        traces.reach[unit] = traces.sizes[f]


@compiled
def trace_step_of_cascade(traces, between, shape, decay, anchor):
    if traces.utility.size > 0:
        if decay is not None or shape.frozen > 0:
            reach_of_cascade(traces, between, shape, decay, anchor)
        trace_utility(traces)


@compiled
def trace_step_of_layers(traces, deeper, decay, anchor, mirrored):
    if traces.utility.size > 0:
        if decay is not None or mirrored is not None:
            reach_of_layers(traces, deeper, decay, anchor, mirrored)
        trace_utility(traces)


@compiled
def trace_utility(traces):
    """A silent unit adds nothing, whatever its reach was."""
    decay = traces.utility_decay
    for k in range(traces.utility.size):
        traces.utility[k] = decay * traces.utility[k] + (1 - decay) * (traces.fed[k] * traces.reach[k])


@apart
def reach_of_cascade(traces, between, shape, decay, anchor):
    """Where rows are not summed while they learn; a row of `between` is zero before its block."""
    values, width, start = between.reshape(-1), between.shape[1], 0 if shape.lateral else shape.first_output
    for unit in range(shape.units):
        if traces.fed[unit] > 0:
            row, begin = unit * width, max(start, unit // BLOCK * BLOCK)
            if decay is None:
                traces.reach[unit] = reach(values, row + begin, row + width)
            else:
                traces.reach[unit] = reach_decayed(values, anchor, row, begin, width, decay.factor)


@apart
def reach_of_layers(traces, deeper, decay, anchor, mirrored):
    """Likewise; a mirrored unit has two rows."""
    first = 0
    for layer in range(deeper.sizes.size):
        units = units_of(deeper.sizes[layer], mirrored)
        for unit in range(units):
            if traces.fed[first + unit] > 0:
                size = row_reach(deeper, layer, unit, decay, anchor)
                if mirrored is not None:
                    size += row_reach(deeper, layer, units + unit, decay, anchor)
                traces.reach[first + unit] = size
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
