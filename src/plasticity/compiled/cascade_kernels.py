"""The compiled loops of cascades and flat networks."""

from plasticity.compiled.cache import apart, compiled
from plasticity.compiled.decaying import (
    SMALL,
    activate_decaying_block,
    add_anchor,
    add_anchor_rows,
    finish_delta,
    look_at_anchor,
    recover,
    scaled,
    set_now,
    settle_inputs,
    settle_rows,
    take_anchor,
)
from plasticity.compiled.kernels import answer, correct_inputs, end_block, flushed, take_block
from plasticity.compiled.kinds import BLOCK, LANES
from plasticity.compiled.products import add_rows, at, fill, firing, gram_matrix, teach_rows
from plasticity.compiled.tracing import keep_reach, trace_firing, trace_step_of_cascade
from plasticity.compiled.vectors import activate_block, collect_row, collect_sized_row, dot_row


@compiled
def forward_cascade(z, between, shape, fire, decay, anchor):
    """Turns input pre-activations into all pre-activations; returns how many units fire."""
    width, zero_row, count = between.shape[1], between.shape[0] - 1, 0
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
        fill(fire.rows, fire.strength, last, zero_row)
        begin = start + BLOCK if shape.lateral else shape.first_output
        add_rows(z, begin, between, fire.rows, fire.strength, count, last)
        if anchor is not None:
            add_anchor_rows(z, begin, anchor.between, fire.rows, fire.strength, count, last, decay, anchor)
        count = last
    if decay is not None:
        recover(z, decay.factor, shape.first_output, shape.first_output + shape.outputs)
    return count


@compiled
def backward_cascade(delta, between, shape, fire, count, decay, anchor, traces):
    """From the outputs' deltas to the units', last block first; the rows of firing units learn on the way."""
    width, zero_row, live = between.shape[1], between.shape[0] - 1, shape.frozen // BLOCK * BLOCK
    last = count
    if decay is None:
        strength = fire.strength
    else:
        strength = decay.scales
        scaled(strength, fire.strength, 0, count, decay.inverse[0] / decay.keep)
    for start in range((shape.units - 1) // BLOCK * BLOCK, -1, -BLOCK):
        first = fire.block_start[start // BLOCK]
        fill(fire.rows, strength, last, zero_row)  # over the next block's units, which have been taught
        fire.dots[first : last + 3] = 0
        rest = max(start + BLOCK, live) if shape.lateral else shape.first_output
        if traces is None:
            teach_rows(delta, rest, between, fire.rows, strength, fire.dots, first, last)
        else:
            teach_rows(delta, rest, between, fire.rows, strength, fire.dots, first, last, traces.sizes)
        if anchor is not None:
            look_at_anchor(delta, rest, anchor.between, fire.rows, first, last, anchor)
        for f in range(last - 1, first - 1, -1):  # the last unit first: others of the block need its delta
            unit = fire.rows[f]
            if shape.lateral and start >= live:
                place = unit * width + start
                row = at(between, place)
                here = at(fire.dots, f), at(strength, f), at(delta, start), row, BLOCK // LANES
                if traces is None:  # noqa: SIM114 (numba leaves out what follows a plain `is None`)
                    collect_row(delta, here)
                elif traces.sizes.size == 0:
                    collect_row(delta, here)
                else:
                    collect_sized_row(delta, (at(traces.sizes, f), *here))
                if anchor is not None:
                    row, dot = at(anchor.between, place), at(anchor.dots, f)
                    dot_row(delta, (dot, dot, at(delta, start), row, BLOCK // LANES))
            if decay is not None:
                fire.dots[f] *= decay.now[0]
            if anchor is not None:
                fire.dots[f] += anchor.dots[f]
            if unit >= shape.frozen:
                delta[unit] = flushed(fire.dots[f])
            if traces is not None:
                keep_reach(traces, unit, f)
        last = first


@apart
def evaluate_cascade(images, rows, fed, between, shape, block, fire, hidden, output):
    """What each unit and each output says to each image, without learning."""
    for begin in range(0, rows.size, block.x.shape[0]):
        part = rows[begin : begin + block.x.shape[0]]
        take_block(images, part, block, fed)
        for i in range(part.size):
            z = block.z[i]
            forward_cascade(z, between, shape, fire, None, None)
            for unit in range(shape.units):
                hidden[begin + i, unit] = max(z[unit], 0)
            output[begin + i] = z[shape.first_output : shape.first_output + shape.outputs]


@apart
def learn_cascade(lesson, fed, between, shape, block, fire, traces, decay, anchor):
    """Returns the first sample whose loss is not finite, or -1. The last row of `between` is zero."""
    live = shape.frozen // BLOCK * BLOCK
    for begin in range(0, lesson.rows.size, block.x.shape[0]):
        part = lesson.rows[begin : begin + block.x.shape[0]]
        take_block(lesson.images, part, block, fed)
        gram_matrix(block.x, part.size, block.gram, fed.one)
        if anchor is not None:
            take_anchor(block.x, part.size, anchor)
        for i in range(part.size):
            z, delta = block.z[i], block.delta[i]
            correct_inputs(i, block.gram, block.delta, block.z, live, fire.rows, fire.strength)
            if anchor is not None:
                add_anchor(z, anchor.z[i], decay)
            count = forward_cascade(z, between, shape, fire, decay, anchor)
            delta[:] = 0
            result, loss = answer(z, shape.first_output, shape.outputs, lesson.labels[part[i]], lesson.step, delta)
            if result < 0:
                return begin + i
            lesson.correct[begin + i], lesson.loss[begin + i] = result == 1, loss
            if traces is not None:  # before the way back, which overwrites some of what fires
                trace_firing(traces, z[: shape.units], 0, fire.rows, count, None)
                traces.sizes[: count + 3] = 0
            backward_cascade(delta, between, shape, fire, count, decay, anchor, traces)
            if decay is not None:
                finish_delta(delta, decay)
            if traces is not None:
                trace_step_of_cascade(traces, between, shape, decay, anchor)
        end_block(part.size, block, fed, live)
        if decay is not None and (decay.now[0] < SMALL or begin + part.size == lesson.rows.size):
            settle_inputs(fed, block.x.shape[1], decay)
            settle_rows(between, decay)
            set_now(decay, 1.0)
    return -1
