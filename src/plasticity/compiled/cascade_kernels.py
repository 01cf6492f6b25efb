"""The compiled loops of cascades and flat networks."""

from plasticity.compiled.cache import apart, compiled
from plasticity.compiled.cascade_vectors import (
    activate_block,
    settle_anchored_block,
    settle_block,
    settle_decayed_block,
    settle_sized_block,
)
from plasticity.compiled.decaying import (
    SMALL,
    activate_decaying_block,
    add_anchor,
    add_decayed_rows,
    finish_delta,
    recover,
    scaled,
    set_now,
    settle_inputs,
    settle_rows,
    take_anchor,
)
from plasticity.compiled.kernels import answer, correct_inputs, end_block, fetch_ahead, flushed, take_block
from plasticity.compiled.kinds import BLOCK
from plasticity.compiled.listing import fed_from, fill, firing
from plasticity.compiled.products import add_rows, at, copy, gram_matrix, teach_decayed_rows, teach_rows
from plasticity.compiled.tracing import keep_reach, note_firing, note_reach_of_cascade, trace_block


@compiled
def forward_cascade(z, between, shape, fire, decay, anchor):
    """Turns input pre-activations into all pre-activations; returns how many units fire."""
    width, count, fed = between.shape[1], 0, z[fed_from(shape) :]
    for start in range(0, shape.units, BLOCK):
        stop = min(start + BLOCK, shape.units)
        if shape.lateral:
            if decay is None:
                activate_block(z, (at(z, start), at(between, start * width + start), width))
            else:
                activate_decaying_block(z, start, between, decay, anchor)
        if decay is not None:
            recover(z, decay.factor, start, stop)
        fire.block_start[start // BLOCK] = count
        last = firing(z, start, stop, fire.rows, fire.strength, count)
        begin = start + BLOCK if shape.lateral else 0
        if anchor is None:
            add_rows(fed, begin, between, fire.rows, fire.strength, count, last)
        else:
            add_decayed_rows(fed, begin, between, fire.rows, fire.strength, count, last, anchor.between, decay)
        count = last
    if decay is not None:
        recover(z, decay.factor, shape.first_output, shape.first_output + shape.outputs)
    return count


@compiled
def teach_later(delta, start, between, fire, strength, first, last, decay, anchor, traces):
    """What comes back to firing units from the targets from `start` on, of those that they feed; their rows learn."""
    rows, dots = fire.rows, fire.dots
    if anchor is not None:
        teach_decayed_rows(delta, start, between, rows, strength, dots, first, last, decay.whole, anchor.between)
    elif decay is not None:
        teach_decayed_rows(delta, start, between, rows, strength, dots, first, last, decay.whole)
    elif traces is None:
        teach_rows(delta, start, between, rows, strength, dots, first, last)
    else:
        teach_rows(delta, start, between, rows, strength, dots, first, last, traces.sizes)


@compiled
def teach_within(delta, start, between, shape, fire, strength, first, last, decay, anchor, traces):
    """From the targets of their own block, which begins at `start`; a unit that is not frozen gets its delta."""
    width = between.shape[1]
    units = at(fire.rows, first), last - first, start, shape.frozen - start
    given = *units, at(delta, start), at(between, start), width, at(fire.dots, first), at(strength, first)
    if anchor is not None:
        settle_anchored_block(delta, (*given, at(decay.whole, 0), at(anchor.between, 0) - at(between, 0)))
    elif decay is not None:
        settle_decayed_block(delta, (*given, at(decay.whole, 0)))
    elif traces is None:  # noqa: SIM114 (numba leaves out what follows a plain `is None`)
        settle_block(delta, given)
    elif traces.sizes.size == 0:
        settle_block(delta, given)
    else:
        settle_sized_block(delta, (*given, at(traces.sizes, first)))


@compiled
def pass_back(delta, shape, fire, first, last):
    """Units get their deltas where they feed none of their own block."""
    for f in range(first, last):
        if fire.rows[f] >= shape.frozen:
            delta[fire.rows[f]] = flushed(fire.dots[f])


@compiled
def take_back(between, mask, units, start, rows, first, last):
    """Rows learn as a whole: what does not exist is zero again. `start`: where the rows' own block begins."""
    for f in range(first, last):
        row, exists = between[rows[f], start:units], mask[rows[f], start:units]
        for k in range(row.size):
            row[k] *= exists[k]


@compiled
def backward_cascade(delta, between, shape, fire, count, decay, anchor, traces, sample, mask):
    """From the outputs' deltas to the units', last block first; the rows of firing units learn on the way."""
    zero_row, live, last = between.shape[0] - 1, shape.frozen // BLOCK * BLOCK, count
    fed = delta[fed_from(shape) :]
    if decay is None:
        strength = fire.strength
    else:
        strength = decay.scales
        scaled(strength, fire.strength, 0, count, decay.inverse[0] / decay.keep)
    for start in range((shape.units - 1) // BLOCK * BLOCK, -1, -BLOCK):
        first = fire.block_start[start // BLOCK]
        fill(fire.rows, strength, last, zero_row)  # over the next block's units, which have been taught
        fire.dots[first : last + 3] = 0
        rest = max(start + BLOCK, live) if shape.lateral else 0
        teach_later(fed, rest, between, fire, strength, first, last, decay, anchor, traces)
        if last > first and shape.lateral and start >= live:
            teach_within(delta, start, between, shape, fire, strength, first, last, decay, anchor, traces)
        else:
            pass_back(delta, shape, fire, first, last)
        if mask is not None:
            take_back(between, mask, shape.units, start, fire.rows, first, last)
        if traces is not None:
            keep_reach(traces, sample, fire.rows, first, last)
        last = first


@compiled
def teach_output_bias(bias, one, shape, delta):
    """At once, where inputs do not feed the outputs: then nothing is left for the block's end to teach."""
    for k in range(shape.first_output, shape.first_output + shape.outputs):
        bias[k] += one * delta[k]
        delta[k] = 0


@apart
def evaluate_cascade(images, rows, fed, between, shape, block, fire, hidden, output):
    """What each unit and each output says to each image, without learning."""
    for begin in range(0, rows.size, block.x.shape[0]):
        part = rows[begin : begin + block.x.shape[0]]
        take_block(images, part, block, fed)
        for i in range(part.size):
            z = block.z[i]
            fetch_ahead(images, rows, begin + i)
            forward_cascade(z, between, shape, fire, None, None)
            for unit in range(shape.units):
                hidden[begin + i, unit] = max(z[unit], 0)
            copy(output[begin + i], z[shape.first_output : shape.first_output + shape.outputs])


@apart
def learn_cascade(lesson, fed, between, shape, block, fire, traces, decay, anchor, mask, cut):
    """Returns the first sample whose loss is not finite, or -1. The last row of `between` is zero."""
    live = shape.frozen // BLOCK * BLOCK
    for begin in range(0, lesson.rows.size, block.x.shape[0]):
        part = lesson.rows[begin : begin + block.x.shape[0]]
        columns = block.columns[: take_block(lesson.images, part, block, fed)]
        gram_matrix(block.x, part.size, block.gram, fed.one)
        if anchor is not None:
            take_anchor(block, part.size, anchor)
        for i in range(part.size):
            z, delta = block.z[i], block.delta[i]
            fetch_ahead(lesson.images, lesson.rows, begin + i)
            correct_inputs(i, block.gram, block.delta, block.z, live, fire.rows, fire.strength)
            if cut is not None:
                outputs = slice(shape.first_output, shape.first_output + shape.outputs)
                copy(z[outputs], fed.bias[outputs])
            if anchor is not None:
                add_anchor(z, anchor.z[i], decay)
            count = forward_cascade(z, between, shape, fire, decay, anchor)
            delta[:] = 0
            result, loss = answer(z, shape.first_output, shape.outputs, lesson.labels[part[i]], lesson.step, delta)
            if result < 0:
                return begin + i
            lesson.correct[begin + i], lesson.loss[begin + i] = result == 1, loss
            if traces is not None:
                note_firing(traces, i, z[: shape.units], 0, None)
                traces.sizes[: count + 3] = 0
            backward_cascade(delta, between, shape, fire, count, decay, anchor, traces, i, mask)
            if decay is not None:
                finish_delta(delta, decay)
            if cut is not None:
                teach_output_bias(fed.bias, fed.one, shape, delta)
            if traces is not None:
                note_reach_of_cascade(traces, i, between, shape, decay, anchor, mask)
        end_block(part.size, block, columns, fed, live)
        if traces is not None:
            trace_block(traces, part.size)
        if decay is not None and (decay.now[0] < SMALL or begin + part.size == lesson.rows.size):
            settle_inputs(fed, block.x.shape[1], decay)
            settle_rows(between, decay.factor[fed_from(shape) :])
            set_now(decay, 1.0)
    return -1
