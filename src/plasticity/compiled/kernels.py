"""What the compiled loops of all networks share: exact online SGD, with the input weights touched only by products of
blocks.

Within a block of samples the input weights W are left alone. A step would change them by x δᵀ, so sample t's input
pre-activation is x_t W + Σ_{s<t} (x_t·x_s) δ_s: one product X W and the Gram matrix X Xᵀ give all of them, and
W += Xᵀ Δ after the block. δ here is already times minus the step size. Weights between units are updated at every
step, but only the rows of units that fired: a silent unit neither feeds nor learns.
"""

import math

import numpy as np

from plasticity.compiled.cache import apart, compiled
from plasticity.compiled.emit import TINY
from plasticity.compiled.kinds import LINE, ROWS, SAMPLES, TILES
from plasticity.compiled.listing import list_again, list_columns
from plasticity.compiled.products import absorb, add_rows, at, catch_up, copy_to_rows, feed
from plasticity.compiled.vectors import fetch


@compiled
def answer(z, first, outputs, label, step, delta):
    """Softmax cross-entropy: was the prediction right, the loss, and delta; -1 where the loss is not finite."""
    best = first
    for k in range(first + 1, first + outputs):
        if z[k] > z[best]:
            best = k
    total = z.dtype.type(0)
    for k in range(first, first + outputs):
        delta[k] = math.exp(z[k] - z[best])
        total += delta[k]
    right = z[first + label] - z[best]
    if not (total >= 1 and total <= outputs and right > -np.inf):
        return -1, z.dtype.type(np.inf)
    for k in range(first, first + outputs):
        delta[k] = flushed(-step * delta[k] / total)
    delta[first + label] += step
    return 1 if best == first + label else 0, math.log(total) - right


@compiled
def flushed(value):
    return value if abs(value) > TINY else value * 0


@apart
def take_block(images, rows, block, fed):
    """Gathers a block of images and their input pre-activations, as if nothing were learned inside it; returns how
    many inputs are not zero in all of them, which `block.columns` begins with."""
    block.on[:] = 0
    for i in range(rows.size):
        image, x, on, bit = images[rows[i]], block.x[i], block.on, np.uint32(1 << i)
        for k in range(image.size):
            x[k] = image[k]
            on[k] |= bit * (image[k] != 0)
    count = list_inputs(block)
    copy_to_rows(block.z, fed.bias)
    feed(block.x, rows.size, block.listed, block.counts, fed.panels, block.z)
    return count


@compiled
def list_inputs(block):
    """Which are on in any sample of the block, and of these, which in each tile."""
    count = list_columns(block.on, block.columns)
    for tile in range(TILES):
        samples = np.uint32(((1 << ROWS) - 1) << (tile * ROWS))
        block.counts[tile] = list_again(block.on, samples, block.columns[:count], block.listed[tile])
    return count


@compiled
def fetch_ahead(images, rows, sample):
    """The image that will be at this place of the next block, so that it need not be waited for."""
    if sample + SAMPLES < rows.size:
        width = images.shape[1]
        fetch(images, (at(images, rows[sample + SAMPLES] * width), width * images.itemsize // LINE))


@compiled
def correct_inputs(sample, gram, delta, z, live, rows, scales):
    """Adds to z[sample] what the samples before it in the block have changed."""
    start = sample // ROWS * ROWS
    if sample == start and start > 0:
        catch_up(gram, start, delta, z, live)
    for f in range(sample - start):
        rows[f], scales[f] = start + f, gram[sample, start + f]
    add_rows(z[sample], live, delta, rows, scales, 0, sample - start)


@apart
def end_block(samples, block, columns, fed, live):
    """The input weights and the bias learn what the block's samples taught."""
    absorb(block.x, block.on, columns, block.delta, fed.panels, live)
    for i in range(samples):
        for k in range(fed.bias.size):
            fed.bias[k] += fed.one * block.delta[i, k]
