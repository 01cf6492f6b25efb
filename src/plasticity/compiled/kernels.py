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
from plasticity.compiled.kinds import ROWS
from plasticity.compiled.products import absorb, add_rows, catch_up, feed, fill

TINY = 1e-30  # below it a delta counts as zero: denormal numbers would slow every product they enter


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
    """Gathers a block of images and their input pre-activations, as if nothing were learned inside it."""
    for i in range(rows.size):
        image, copy = images[rows[i]], block.x[i]
        for k in range(image.size):
            copy[k] = image[k]
    block.z[:] = fed.bias
    feed(block.x, rows.size, fed.panels, block.z)


@compiled
def correct_inputs(sample, gram, delta, z, live, rows, scales):
    """Adds to z[sample] what the samples before it in the block have changed."""
    start = sample // ROWS * ROWS
    if sample == start and start > 0:
        catch_up(gram, start, delta, z, live)
    for f in range(sample - start):
        rows[f], scales[f] = start + f, gram[sample, start + f]
    fill(rows, scales, sample - start, delta.shape[0] - 1)
    add_rows(z[sample], live, delta, rows, scales, 0, sample - start)


@apart
def end_block(samples, block, fed, live):
    """The input weights and the bias learn what the block's samples taught."""
    absorb(block.x, samples, block.delta, fed.panels, live)
    for i in range(samples):
        for k in range(fed.bias.size):
            fed.bias[k] += fed.one * block.delta[i, k]
