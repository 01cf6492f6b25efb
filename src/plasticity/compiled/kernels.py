"""The compiled loops: exact online SGD, with the input weights touched only by products of blocks.

Within a block of samples the input weights W are left alone. A step would change them by x δᵀ, so sample t's input
pre-activation is x_t W + Σ_{s<t} (x_t·x_s) δ_s: one product X W and the Gram matrix X Xᵀ give all of them, and
W += Xᵀ Δ after the block. δ here is already times minus the step size. Weights between units are updated at every
step, but only the rows of units that fired: a silent unit neither feeds nor learns.

Targets are units, then outputs; all widths are padded with zeros to vectors.BLOCK.
"""

import math

import numpy as np

from plasticity.compiled.cache import compiled
from plasticity.compiled.products import absorb, add_rows, at, catch_up, feed, fill, firing, gram_matrix, teach_rows
from plasticity.compiled.vectors import BLOCK, LANES, ROWS, collect_row, settle

TINY = 1e-30  # below it a delta counts as zero: denormal numbers would slow every product they enter


@compiled
def answer(z, first, outputs, label, step, delta):
    """Softmax cross-entropy: was the prediction right, and delta; -1 where the loss is not finite."""
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
        return -1
    for k in range(first, first + outputs):
        delta[k] = flushed(-step * delta[k] / total)
    delta[first + label] += step
    return 1 if best == first + label else 0


@compiled
def flushed(value):
    return value if abs(value) > TINY else value * 0


@compiled
def take_block(images, rows, x, fed, bias, z):
    """Gathers a block of images and their input pre-activations, as if nothing were learnt inside it."""
    for i in range(rows.size):
        image, copy = images[rows[i]], x[i]
        for k in range(image.size):
            copy[k] = image[k]
    z[:] = bias
    feed(x, rows.size, fed, z)


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


@compiled
def end_block(x, samples, delta, fed, bias, live, one):
    absorb(x, samples, delta, fed, live)
    for i in range(samples):
        for k in range(bias.size):
            bias[k] += one * delta[i, k]


@compiled
def forward_cascade(z, between, units, first_output, lateral, fire, strength, block_start):
    """Turns input pre-activations into all pre-activations; returns how many units fire."""
    width, zero_row, count = between.shape[1], between.shape[0] - 1, 0
    for start in range(0, units, BLOCK):
        if lateral:
            settle(z, (at(z, start), at(between, start * width + start), width))
        block_start[start // BLOCK] = count
        last = firing(z, start, min(start + BLOCK, units), fire, strength, count)
        fill(fire, strength, last, zero_row)
        add_rows(z, start + BLOCK if lateral else first_output, between, fire, strength, count, last)
        count = last
    return count


@compiled
def backward_cascade(delta, between, units, first_output, lateral, frozen, fire, strength, count, block_start, dots):
    """From the outputs' deltas to the units', last block first; the rows of firing units learn on the way."""
    width, zero_row, live = between.shape[1], between.shape[0] - 1, frozen // BLOCK * BLOCK
    last = count
    for start in range((units - 1) // BLOCK * BLOCK, -1, -BLOCK):
        first = block_start[start // BLOCK]
        fill(fire, strength, last, zero_row)  # over the next block's units, which have been taught
        dots[first : last + 3] = 0
        rest = max(start + BLOCK, live) if lateral else first_output
        teach_rows(delta, rest, between, fire, strength, dots, first, last)
        for f in range(last - 1, first - 1, -1):
            if lateral and start >= live:
                row = at(between, fire[f] * width + start)
                collect_row(delta, (at(dots, f), at(strength, f), at(delta, start), row, BLOCK // LANES))
            if fire[f] >= frozen:
                delta[fire[f]] = flushed(dots[f])
        last = first


@compiled
def evaluate_cascade(
    images, rows, fed, between, bias, units, first_output, outputs, lateral, x, z, fire, strength, block_start,
    hidden, output,
):  # fmt: skip
    """What each unit and each output says to each image, without learning."""
    for begin in range(0, rows.size, x.shape[0]):
        part = rows[begin : begin + x.shape[0]]
        take_block(images, part, x, fed, bias, z)
        for i in range(part.size):
            forward_cascade(z[i], between, units, first_output, lateral, fire, strength, block_start)
            for unit in range(units):
                hidden[begin + i, unit] = max(z[i, unit], 0)
            output[begin + i] = z[i, first_output : first_output + outputs]


@compiled
def learn_cascade(
    images, labels, rows, fed, between, bias, units, first_output, outputs, lateral, frozen, step, one,
    x, gram, z, delta, fire, strength, dots, block_start, correct,
):  # fmt: skip
    """Returns the first sample whose loss is not finite, or -1. The last row of `between` and of `delta` is zero."""
    live = frozen // BLOCK * BLOCK
    for begin in range(0, rows.size, x.shape[0]):
        part = rows[begin : begin + x.shape[0]]
        take_block(images, part, x, fed, bias, z)
        gram_matrix(x, part.size, gram, one)
        for i in range(part.size):
            correct_inputs(i, gram, delta, z, live, fire, strength)
            count = forward_cascade(z[i], between, units, first_output, lateral, fire, strength, block_start)
            delta[i] = 0
            result = answer(z[i], first_output, outputs, labels[part[i]], step, delta[i])
            if result < 0:
                return begin + i
            correct[begin + i] = result == 1
            backward_cascade(
                delta[i],
                between,
                units,
                first_output,
                lateral,
                frozen,
                fire,
                strength,
                count,
                block_start,
                dots,
            )
        end_block(x, part.size, delta, fed, bias, live, one)
    return -1


@compiled
def learn_layered(
    images, labels, rows, fed, bias, weights, biases, sizes, widths, places, outputs, step, one,
    x, gram, z, delta, deeper, deltas, fire, strength, counts, dots, correct,
):  # fmt: skip
    """Like `learn_cascade`. Hidden layer l has sizes[l] units; `weights` holds, for each of them, its rows to the next
    layer of widths[l] columns and a zero row, from places[l] on."""
    layers, room = sizes.size, fire.shape[1]
    for begin in range(0, rows.size, x.shape[0]):
        part = rows[begin : begin + x.shape[0]]
        take_block(images, part, x, fed, bias, z)
        gram_matrix(x, part.size, gram, one)
        for i in range(part.size):
            correct_inputs(i, gram, delta, z, 0, fire[0], strength[0])
            values = z[i]
            for layer in range(layers):
                matrix = matrix_of(weights, places, sizes, widths, layer)
                counts[layer] = firing(values, 0, sizes[layer], fire[layer], strength[layer], 0)
                fill(fire[layer], strength[layer], counts[layer], sizes[layer])
                values = deeper[layer, : widths[layer]]
                values[:] = biases[layer, : widths[layer]]
                add_rows(values, 0, matrix, fire[layer], strength[layer], 0, counts[layer])
            change = deltas[layers - 1, : widths[layers - 1]]
            change[:] = 0
            result = answer(values, 0, outputs, labels[part[i]], step, change)
            if result < 0:
                return begin + i
            correct[begin + i] = result == 1
            for layer in range(layers - 1, -1, -1):
                matrix = matrix_of(weights, places, sizes, widths, layer)
                biases[layer, : widths[layer]] += one * change
                dots[:room] = 0
                teach_rows(change, 0, matrix, fire[layer], strength[layer], dots, 0, counts[layer])
                change = deltas[layer - 1, : widths[layer - 1]] if layer > 0 else delta[i]
                change[:] = 0
                for f in range(counts[layer]):
                    change[fire[layer, f]] = flushed(dots[f])
        end_block(x, part.size, delta, fed, bias, 0, one)
    return -1


@compiled
def matrix_of(weights, places, sizes, widths, layer):
    rows = sizes[layer] + 1
    return weights[places[layer] : places[layer] + rows * widths[layer]].reshape(rows, widths[layer])
