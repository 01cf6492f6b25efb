"""The compiled loop of layered networks."""

from plasticity.compiled.cache import apart, compiled, view
from plasticity.compiled.decaying import (
    SMALL,
    add_anchor,
    add_decayed_rows,
    add_scaled,
    finish_delta,
    recover,
    scaled,
    set_now,
    settle_inputs,
    take_anchor,
)
from plasticity.compiled.kernels import answer, correct_inputs, end_block, fetch_ahead, flushed, take_block
from plasticity.compiled.listing import fill, firing, firing_mirrored, units_of
from plasticity.compiled.normalising import normalise, normalise_back
from plasticity.compiled.products import add_rows, copy, gram_matrix, teach_decayed_rows, teach_rows
from plasticity.compiled.tracing import keep_reach, note_firing, note_reach_of_layers, trace_block


@view
def matrix_of(values, deeper, layer):
    """The weights from hidden layer `layer` to the next, and a zero row."""
    rows, width, place = deeper.sizes[layer] + 1, deeper.widths[layer], deeper.places[layer]
    return values[place : place + rows * width].reshape(rows, width)


@compiled
def fired(z, matrix, rows, strength, mirrored):
    """Which of the rows that a layer feeds fire, and how strongly; returns how many. A zero row fills the last four."""
    size = matrix.shape[0] - 1
    if mirrored is None:
        count = firing(z, 0, size, rows, strength, 0)
    else:
        count = firing_mirrored(z, units_of(size, mirrored), rows, strength)
    fill(rows, strength, count, size)
    return count


@compiled
def backward_layer(change, matrix, rows, strength, count, dots, delta, mirrored, traces, sample, first):
    """From the next layer's deltas to this one's; the rows of firing units learn on the way, and are summed."""
    dots[:] = 0
    if traces is None:
        teach_rows(change, 0, matrix, rows, strength, dots, 0, count)
    else:
        traces.sizes[: count + 3] = 0
        teach_rows(change, 0, matrix, rows, strength, dots, 0, count, traces.sizes)
        if mirrored is None:
            keep_reach(traces, sample, rows, 0, count, first)
    come_back(dots, rows, count, matrix, delta, mirrored)


@compiled
def come_back(dots, rows, count, matrix, delta, mirrored):
    """Each firing unit's delta; a mirrored row feeds −z."""
    units = units_of(matrix.shape[0] - 1, mirrored)
    delta[:] = 0
    for f in range(count):
        if mirrored is None or rows[f] < units:
            delta[rows[f]] = flushed(dots[f])
        else:
            delta[rows[f] - units] = -flushed(dots[f])


@compiled
def backward_decayed(change, matrix, pull, rows, strength, count, dots, delta, decay, anchor, mirrored):
    """The same, where weights decay: what comes back is that of the weights, not of what is stored of them."""
    scaled(decay.scales, strength, 0, count + 3, decay.inverse[0] / decay.keep)
    dots[:] = 0
    if anchor is None:
        teach_decayed_rows(change, 0, matrix, rows, decay.scales, dots, 0, count, decay.whole)
    else:
        teach_decayed_rows(change, 0, matrix, rows, decay.scales, dots, 0, count, decay.whole, pull)
    come_back(dots, rows, count, matrix, delta, mirrored)


@compiled
def forward_layers(z, deeper, fire, decay, anchor, mirrored, norm):
    """From the first layer's pre-activations to the outputs'."""
    if decay is not None:
        recover(z, decay.factor, 0, z.size)
    for layer in range(deeper.sizes.size):
        width = deeper.widths[layer]
        following = fire.z[layer, :width]
        copy(following, deeper.bias[layer, :width])
        matrix, rows, strength = matrix_of(deeper.values, deeper, layer), fire.rows[layer], fire.strength[layer]
        if norm is not None:
            normalise(z, units_of(deeper.sizes[layer], mirrored), norm, layer)
        count = fired(z, matrix, rows, strength, mirrored)
        if anchor is None:
            add_rows(following, 0, matrix, rows, strength, 0, count)
        else:
            add_anchor(following, anchor.deeper_bias[layer], decay)
            pull = matrix_of(anchor.between, deeper, layer)
            add_decayed_rows(following, 0, matrix, rows, strength, 0, count, pull, decay)
        if decay is not None:
            recover(following, decay.factor, 0, width)
        fire.counts[layer] = count
        z = following


@compiled
def backward_layers(first_delta, one, deeper, fire, decay, anchor, mirrored, norm, traces, sample):
    """From the outputs' deltas to the first layer's."""
    layers = deeper.sizes.size
    change = fire.delta[layers - 1, : deeper.widths[layers - 1]]
    for layer in range(layers - 1, -1, -1):
        earlier = fire.delta[layer - 1, : deeper.widths[layer - 1]] if layer > 0 else first_delta
        matrix, rows, strength = matrix_of(deeper.values, deeper, layer), fire.rows[layer], fire.strength[layer]
        if decay is None:
            add_scaled(deeper.bias[layer], change, one)
            count = fire.counts[layer]
            first = units_of(deeper.sizes[:layer].sum(), mirrored)
            backward_layer(change, matrix, rows, strength, count, fire.dots, earlier, mirrored, traces, sample, first)
        else:
            add_scaled(deeper.bias[layer], change, one * decay.inverse[0] / decay.keep)
            pull = matrix if anchor is None else matrix_of(anchor.between, deeper, layer)
            count = fire.counts[layer]
            backward_decayed(change, matrix, pull, rows, strength, count, fire.dots, earlier, decay, anchor, mirrored)
        if norm is not None:
            normalise_back(earlier, units_of(deeper.sizes[layer], mirrored), norm, layer, decay)
        change = earlier


@compiled
def note_firing_of_layers(traces, sample, z, deeper, fire, mirrored):
    """Of all units; z of the first layer."""
    first = 0
    for layer in range(deeper.sizes.size):
        units = units_of(deeper.sizes[layer], mirrored)
        note_firing(traces, sample, z[:units], first, mirrored)
        z, first = fire.z[layer], first + units


@apart
def settle_layers(deeper, decay):
    """c goes into the weights behind the first layer; it is the same for all of them."""
    scaled(deeper.values, deeper.values, 0, deeper.values.size, decay.now[0])
    for layer in range(deeper.sizes.size):
        scaled(deeper.bias[layer], deeper.bias[layer], 0, deeper.widths[layer], decay.now[0])


@apart
def learn_layered(lesson, fed, deeper, block, fire, traces, decay, anchor, mirrored, norm):
    """Returns the first sample whose loss is not finite, or -1."""
    layers = deeper.sizes.size
    for begin in range(0, lesson.rows.size, block.x.shape[0]):
        part = lesson.rows[begin : begin + block.x.shape[0]]
        columns = block.columns[: take_block(lesson.images, part, block, fed)]
        gram_matrix(block.x, part.size, block.gram, fed.one)
        if anchor is not None:
            take_anchor(block, part.size, anchor)
        for i in range(part.size):
            fetch_ahead(lesson.images, lesson.rows, begin + i)
            correct_inputs(i, block.gram, block.delta, block.z, 0, fire.rows[0], fire.strength[0])
            if anchor is not None:
                add_anchor(block.z[i], anchor.z[i], decay)
            forward_layers(block.z[i], deeper, fire, decay, anchor, mirrored, norm)
            change = fire.delta[layers - 1, : deeper.widths[layers - 1]]
            change[:] = 0
            result, loss = answer(fire.z[layers - 1], 0, deeper.outputs, lesson.labels[part[i]], lesson.step, change)
            if result < 0:
                return begin + i
            lesson.correct[begin + i], lesson.loss[begin + i] = result == 1, loss
            if traces is not None:
                note_firing_of_layers(traces, i, block.z[i], deeper, fire, mirrored)
            backward_layers(block.delta[i], fed.one, deeper, fire, decay, anchor, mirrored, norm, traces, i)
            if decay is not None:
                finish_delta(block.delta[i], decay)
            if traces is not None:
                note_reach_of_layers(traces, i, deeper, decay, anchor, mirrored)
        end_block(part.size, block, columns, fed, 0)
        if traces is not None:
            trace_block(traces, part.size)
        if decay is not None and (decay.now[0] < SMALL or begin + part.size == lesson.rows.size):
            settle_inputs(fed, block.x.shape[1], decay)
            settle_layers(deeper, decay)
            set_now(decay, 1.0)
    return -1
