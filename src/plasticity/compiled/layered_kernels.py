"""The compiled loop of layered networks."""

from plasticity.compiled.cache import compiled
from plasticity.compiled.kernels import answer, correct_inputs, end_block, flushed, take_block
from plasticity.compiled.products import add_rows, fill, firing, gram_matrix, teach_rows
from plasticity.compiled.tracing import trace_layered


@compiled
def matrix_of(deeper, layer):
    """The weights from hidden layer `layer` to the next, and a zero row."""
    rows, width, place = deeper.sizes[layer] + 1, deeper.widths[layer], deeper.places[layer]
    return deeper.values[place : place + rows * width].reshape(rows, width)


@compiled
def forward_layer(z, matrix, rows, strength, following):
    """Adds what a layer's units fire to the next one's pre-activations; returns how many fire."""
    size = matrix.shape[0] - 1
    count = firing(z, 0, size, rows, strength, 0)
    fill(rows, strength, count, size)
    add_rows(following, 0, matrix, rows, strength, 0, count)
    return count


@compiled
def backward_layer(change, matrix, rows, strength, count, dots, delta):
    """From the next layer's deltas to this one's; the rows of firing units learn on the way."""
    dots[:] = 0
    teach_rows(change, 0, matrix, rows, strength, dots, 0, count)
    delta[:] = 0
    for f in range(count):
        delta[rows[f]] = flushed(dots[f])


@compiled
def learn_layered(lesson, fed, deeper, block, fire, traces):
    """Returns the first sample whose loss is not finite, or -1."""
    layers = deeper.sizes.size
    for begin in range(0, lesson.rows.size, block.x.shape[0]):
        part = lesson.rows[begin : begin + block.x.shape[0]]
        take_block(lesson.images, part, block, fed)
        gram_matrix(block.x, part.size, block.gram, fed.one)
        for i in range(part.size):
            correct_inputs(i, block.gram, block.delta, block.z, 0, fire.rows[0], fire.strength[0])
            z = block.z[i]
            for layer in range(layers):
                following = fire.z[layer, : deeper.widths[layer]]
                following[:] = deeper.bias[layer, : deeper.widths[layer]]
                matrix, rows, strength = matrix_of(deeper, layer), fire.rows[layer], fire.strength[layer]
                fire.counts[layer] = forward_layer(z, matrix, rows, strength, following)
                z = following
            change = fire.delta[layers - 1, : deeper.widths[layers - 1]]
            change[:] = 0
            result = answer(z, 0, deeper.outputs, lesson.labels[part[i]], lesson.step, change)
            if result < 0:
                return begin + i
            lesson.correct[begin + i] = result == 1
            for layer in range(layers - 1, -1, -1):
                earlier = fire.delta[layer - 1, : deeper.widths[layer - 1]] if layer > 0 else block.delta[i]
                deeper.bias[layer, : deeper.widths[layer]] += fed.one * change
                matrix, rows, strength = matrix_of(deeper, layer), fire.rows[layer], fire.strength[layer]
                backward_layer(change, matrix, rows, strength, fire.counts[layer], fire.dots, earlier)
                change = earlier
            if traces is not None:
                trace_layered(traces, begin + i, deeper, fire)
        end_block(part.size, block, fed, 0)
    return -1
