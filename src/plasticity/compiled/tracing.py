"""What kernels note about units at each sample, and what becomes of it once per block, unit by unit."""

from plasticity.compiled.bits import count_ones, first_one, last_one
from plasticity.compiled.cache import apart, compiled
from plasticity.compiled.decaying import reach_decayed
from plasticity.compiled.kinds import BLOCK
from plasticity.compiled.listing import fed_from, units_of


@compiled
def note_firing(traces, sample, z, first, mirrored):
    """What the units from `first` on fire, by their pre-activations z."""
    fires = traces.fires[sample, first : first + z.size]
    for k in range(fires.size):
        fires[k] = max(z[k], z.dtype.type(0)) if mirrored is None else abs(z[k])


@compiled
def keep_reach(traces, sample, rows, begin, end, first=0):
    """Of the units whose rows were number begin … end − 1 to learn; `first` is the first unit of their layer."""
    if traces.sizes.size > 0:
        reach = traces.reach[sample]
        for f in range(begin, end):
            reach[first + rows[f]] = traces.sizes[f]


@compiled
def note_reach_of_cascade(traces, sample, between, shape, decay, anchor, mask):
    """Where rows are not summed while they learn."""
    if traces.utility.size > 0 and (decay is not None or mask is not None or shape.frozen > 0):
        reach_of_cascade(traces.fires[sample], traces.reach[sample], between, shape, decay, anchor)


@compiled
def note_reach_of_layers(traces, sample, deeper, decay, anchor, mirrored):
    if (decay is not None or mirrored is not None) and traces.utility.size > 0:
        reach_of_layers(traces.fires[sample], traces.reach[sample], deeper, decay, anchor, mirrored)


@apart
def trace_block(traces, samples):
    """After a block of so many samples."""
    if traces.silent.size > 0:
        trace_silence(traces, samples)
    if traces.activity.size > 0:
        decay = traces.activity_decay
        for i in range(samples):
            follow(traces.activity, decay, traces.fires[i])
    if traces.utility.size > 0:
        decay = traces.utility_decay
        for i in range(samples):
            fires, reach = traces.fires[i], traces.reach[i]
            for k in range(fires.size):
                fires[k] *= reach[k]  # a silent unit adds nothing, whatever its reach was
            follow(traces.utility, decay, fires)


@compiled
def follow(mean, decay, values):
    for k in range(values.size):
        mean[k] = decay * mean[k] + (1 - decay) * values[k]


@compiled
def trace_silence(traces, samples):
    when = traces.when
    when[:] = 0
    for i in range(samples):
        fires, bit = traces.fires[i], when.dtype.type(1) << i
        for k in range(when.size):
            when[k] |= bit * (fires[k] > 0)
    for k in range(when.size):
        if when[k] == 0:
            traces.silent[k] += samples
        else:
            if traces.gaps.size > 0:
                count_gaps(traces.gaps[k], traces.bin_of, traces.silent[k], when[k])
            traces.silent[k] = samples - 1 - last_one(when[k])


@compiled
def count_gaps(gaps, bin_of, silent, when):
    """Of one unit, silent for so long before the block: many are of one sample, and counted at once."""
    gaps[bin_of[1]] += count_ones(when & (when << 1))
    begins = when & ~(when << 1)  # of a row of firings
    while begins != 0:
        at = first_one(begins)
        earlier = when & ((1 << at) - 1)
        gap = at - last_one(earlier) if earlier != 0 else at + 1 + silent
        gaps[bin_of[min(gap, bin_of.size - 1)]] += 1
        begins &= begins - 1


@apart
def reach_of_cascade(fires, reaches, between, shape, decay, anchor):
    """Of the units that fire; in a cascade a row of `between` is zero before its block."""
    values, width = between.reshape(-1), between.shape[1]
    for unit in range(shape.units):
        if fires[unit] > 0:
            row, begin = unit * width, unit // BLOCK * BLOCK if shape.lateral else 0
            if decay is None:
                reaches[unit] = reach(values, row + begin, row + width)
            else:
                reaches[unit] = reach_decayed(values, anchor, row, begin, width, decay.factor[fed_from(shape) :])


@apart
def reach_of_layers(fires, reaches, deeper, decay, anchor, mirrored):
    """Likewise; a mirrored unit has two rows."""
    first = 0
    for layer in range(deeper.sizes.size):
        units = units_of(deeper.sizes[layer], mirrored)
        for unit in range(units):
            if fires[first + unit] > 0:
                size = row_reach(deeper, layer, unit, decay, anchor)
                if mirrored is not None:
                    size += row_reach(deeper, layer, units + unit, decay, anchor)
                reaches[first + unit] = size
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
