"""Layer norm in compiled loops: a layer's pre-activations are normalised over its units, then scaled and shifted.

With n = (z − mean)/√(variance + ε), units fire gain·n + shift. Every unit's pre-activation moves the mean and the
variance, so deltas are dense: δz = (δn − mean(δn) − n·mean(δn·n))/√(variance + ε), with δn = gain·δ. The Gram matrix
stays as it is, since it needs nothing of deltas but that they are known after each sample.
"""

import math

from plasticity.compiled.arguments import EPSILON
from plasticity.compiled.cache import apart, compiled
from plasticity.compiled.kernels import flushed


@apart
def normalise(z, units, norm, layer):
    """z becomes gain·n + shift."""
    number, values, normal = z.dtype.type, z[:units], norm.normal[layer, :units]
    gain, shift, share = norm.gain[layer, :units], norm.shift[layer, :units], number(1 / units)
    mean, variance = number(0), number(0)
    for k in range(units):
        mean += values[k]
    mean *= share
    for k in range(units):
        normal[k] = values[k] - mean
        variance += normal[k] * normal[k]
    inverse = number(1 / math.sqrt(variance * share + EPSILON))
    for k in range(units):
        normal[k] *= inverse
        values[k] = gain[k] * normal[k] + shift[k]
    norm.inverse[layer] = inverse


@apart
def normalise_back(delta, units, norm, layer, decay):
    """From the deltas of gain·n + shift to those of z; gain and shift learn on the way."""
    number, values, back, normal = delta.dtype.type, delta[:units], norm.back[:units], norm.normal[layer, :units]
    gain, shift, inverse = norm.gain[layer, :units], norm.shift[layer, :units], norm.inverse[layer]
    mean, along, share = number(0), number(0), number(1 / units)
    for k in range(units):
        back[k] = gain[k] * values[k]
        mean += back[k]
        along += back[k] * normal[k]
    mean, along = mean * share, along * share
    if decay is not None:
        draw(gain, norm.gain_anchor[layer, :units], decay.keep)
        draw(shift, norm.shift_anchor[layer, :units], decay.keep)
    for k in range(units):
        gain[k] += values[k] * normal[k]
        shift[k] += values[k]
        values[k] = flushed(inverse * (back[k] - mean - along * normal[k]))


@compiled
def draw(values, anchor, keep):
    """One step of decay, as an update takes it."""
    for k in range(values.size):
        values[k] = keep * values[k] + (1 - keep) * anchor[k]
