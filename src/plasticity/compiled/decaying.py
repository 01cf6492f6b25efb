"""Weights that decay, exact inside blocks: kernels keep them divided by what is left of a first weight by now.

Let c = keepᵗ after t steps. A weight w = a + c·v, with its anchor a (nothing, for plain decay), takes the step
w ← keep·w + (1 − keep)·a + δ as v ← v + δ/(c·keep). So v only ever learns, as weights without decay do, and blocks, the
Gram matrix and rows of silent units stay as they are; pre-activations are multiplied by c on the way out, deltas
divided by c·keep on the way in. Now and then c goes into the weights and starts again at 1.
"""

from plasticity.compiled.cache import apart, compiled
from plasticity.compiled.cascade_vectors import activate_anchored, activate_decayed
from plasticity.compiled.kinds import PANEL
from plasticity.compiled.products import add_anchored_rows, at, copy_to_rows, feed

SMALL = 0.5  # below it c goes into the weights, after the block


@compiled
def set_now(decay, now):
    decay.now[0] = now
    decay.inverse[0], decay.whole[0] = 1 / now, now
    decay.factor[decay.first :] = now


@compiled
def scaled(target, values, first, last, by):
    number = values.dtype.type(by)
    for f in range(first, last):
        target[f] = values[f] * number


@compiled
def add_scaled(target, values, by):
    number = values.dtype.type(by)
    for k in range(values.size):
        target[k] += values[k] * number


@compiled
def recover(z, factor, begin, end):
    """From the stored weights' pre-activations to the weights'."""
    for k in range(begin, end):
        z[k] *= factor[k]


@apart
def take_anchor(block, samples, anchor):
    copy_to_rows(anchor.z, anchor.bias)
    feed(block.x, samples, block.listed, block.counts, anchor.panels, anchor.z)


@compiled
def add_anchor(z, anchored, decay):
    add_scaled(z, anchored[: z.size], decay.inverse[0])


@compiled
def add_decayed_rows(target, start, matrix, rows, strength, first, last, pull, decay):
    """To the sum that stored weights give; recovering it multiplies by c."""
    add_anchored_rows(target, start, matrix, rows, strength, first, last, pull, decay.inverse)


@compiled
def activate_decaying_block(z, start, between, decay, anchor):
    width = between.shape[1]
    here = at(between, start * width + start)
    if anchor is None:
        activate_decayed(z, (at(z, start), at(decay.factor, start), here, width))
    else:
        pull = at(anchor.between, start * width + start)
        activate_anchored(z, (at(z, start), at(decay.factor, start), here, width, pull, at(decay.inverse, 0)))


@compiled
def finish_delta(delta, decay):
    """As the stored weights take it; then the next sample finds the weights decayed."""
    after = decay.now[0] * decay.keep
    scaled(delta, delta, 0, delta.size, 1 / after)
    set_now(decay, after)


@apart
def settle_inputs(fed, inputs, decay):
    """c goes into the input weights and the bias."""
    width = fed.bias.size
    recover(fed.bias, decay.factor, 0, width)
    for column in range(0, width, PANEL):
        wide = min(PANEL, width - column)
        factor = decay.factor[column : column + wide]
        panel = fed.panels[column * inputs : (column + wide) * inputs]
        for row in range(inputs):
            recover(panel[row * wide : (row + 1) * wide], factor, 0, wide)


@apart
def settle_rows(matrix, factor):
    for row in range(matrix.shape[0]):
        recover(matrix[row], factor, 0, matrix.shape[1])


@compiled
def reach_decayed(values, anchor, place, begin, end, factor):
    """Σ|w| of targets begin … end − 1, in a row of stored weights that begins at `place`."""
    weights, by, total = values[place + begin : place + end], factor[begin:end], values.dtype.type(0)
    if anchor is None:
        for k in range(weights.size):
            total += abs(by[k] * weights[k])
    else:
        pull = anchor.between.reshape(-1)[place + begin : place + end]
        for k in range(weights.size):
            total += abs(pull[k] + by[k] * weights[k])
    return total
