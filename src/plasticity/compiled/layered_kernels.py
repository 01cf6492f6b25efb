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
def forward_layer(layer, z, deeper, fire):
    """From a layer's pre-activations to the next one's, which it returns."""
    size, width = deeper.sizes[layer], deeper.widths[layer]
    rows, strength = fire.rows[layer], fire.strength[layer]
    count = firing(z, 0, size, rows, strength, 0)
    fill(rows, strength, count, size)
    following = fire.z[layer, :width]
    following[:] = deeper.bias[layer, :width]
    add_rows(following, 0, matrix_of(deeper, layer), rows, strength, 0, count)
    fire.counts[layer] = count
    return following


@compiled
def backward_layer(layer, change, one, deeper, fire, delta):
    """From the next layer's deltas to this one's, written to `delta`; weights and bias learn on the way."""
    deeper.bias[layer, : deeper.widths[layer]] += one * change
    rows, count = fire.rows[layer], fire.counts[layer]
    fire.dots[:] = 0
    teach_rows(change, 0, matrix_of(deeper, layer), rows, fire.strength[layer], fire.dots, 0, count)
    delta[:] = 0
    for f in range(count):
        delta[rows[f]] = flushed(fire.dots[f])


@compiled
def learn_layered(lesson, fed, deeper, block, fire, traces):
    """Returns the first sample whose loss is not finite, or -1."""
    layers = deeper.sizes.size
    for begin in range(0, lesson.rows.size, block.x.shape[0]):
        part = lesson.rows[begin : begin + block.x.shape[0]]
        take_block(lesson.images, part, block, fed)
        gram_matrix(block.x, part.size, block.gram, fed.one)
        for i in range(part.size):
            correct_inputs(i, block, 0, fire.rows[0], fire.strength[0])
            z = block.z[i]
            for layer in range(layers):
                z = forward_layer(layer, z, deeper, fire)
            change = fire.delta[layers - 1, : deeper.widths[layers - 1]]
            change[:] = 0
            result = answer(z, 0, deeper.outputs, lesson.labels[part[i]], lesson.step, change)
            if result < 0:
                return begin + i
            lesson.correct[begin + i] = result == 1
            for layer in range(layers - 1, -1, -1):
                earlier = fire.delta[layer - 1, : deeper.widths[layer - 1]] if layer > 0 else block.delta[i]
                backward_layer(layer, change, fed.one, deeper, fire, earlier)
                change = earlier
            if traces is not None:
                trace_layered(traces, begin + i, deeper, fire)
        end_block(part.size, block, fed, 0)
    return -1
