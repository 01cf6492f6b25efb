"""What kernels are given: named groups of arrays and numbers, which numba takes as they are.

Widths are padded to kinds.BLOCK with zeros. `number` is the type of the weights.
"""

from typing import NamedTuple

import numpy as np

from plasticity.ground.arrays import Bools, Floats, Indices, Labels

EPSILON = 1e-5  # of layer norm, as in torch


class Lesson(NamedTuple):
    """Samples in the order learned, the step, and a place for what came of each prediction."""

    images: Floats  # (images, inputs), not padded
    labels: Labels  # (images,)
    rows: Indices  # (samples,) which images
    step: np.floating
    correct: Bools  # (samples,) was it right
    loss: Floats  # (samples,)


class Block(NamedTuple):
    """Room for a block of samples."""

    x: Floats  # (SAMPLES, inputs)
    gram: Floats  # (SAMPLES, SAMPLES) x xᵀ, plus one where there is a bias
    z: Floats  # (SAMPLES, width) pre-activations
    delta: Floats  # (SAMPLES, width) minus the step times the loss's gradient at z
    columns: Indices  # (inputs,) those that are not zero in all samples come first
    on: Indices  # (inputs,) in which samples it is not zero, a bit for each
    listed: Indices  # (tiles, inputs + 1) those that are not zero in all samples of a tile
    counts: Indices  # (tiles,) how many


class Fed(NamedTuple):
    """What the inputs feed: weights in panels of columns, and the bias."""

    panels: Floats  # (inputs × width,) each panel contiguous
    bias: Floats  # (width,)
    one: np.floating  # 1 where the bias learns, otherwise 0


class CascadeShape(NamedTuple):
    """Targets are units, then outputs."""

    units: int
    first_output: int
    outputs: int
    lateral: bool
    frozen: int  # the oldest units, whose incoming weights and bias do not learn


class Firing(NamedTuple):
    """Which units of a cascade fire; with room to take rows four at a time."""

    rows: Indices  # (units + 4,)
    strength: Floats  # (units + 4,)
    dots: Floats  # (units + 4,) what comes back to each
    block_start: Indices  # where each block's units begin in `rows`


class LayeredWeights(NamedTuple):
    """The layers behind the first; hidden layer l feeds sizes[l] numbers, one or two per unit, to widths[l] columns."""

    values: Floats  # one after the other: sizes[l] rows and a zero row, from places[l] on
    bias: Floats  # (layers, widest)
    sizes: Indices  # (layers,)
    widths: Indices  # (layers,)
    places: Indices  # (layers,)
    outputs: int


class LayeredFiring(NamedTuple):
    """Which units of each layer fire, and room for what passes between the layers."""

    rows: Indices  # (layers, widest + 4)
    strength: Floats  # (layers, widest + 4)
    counts: Indices  # (layers,)
    dots: Floats  # (widest + 4,)
    z: Floats  # (layers, widest) pre-activations of the layer behind each
    delta: Floats  # (layers, widest)


class Pull(NamedTuple):
    """What the weights of a network are drawn to, and how fast."""

    keep: float  # the share of a weight's distance that is left after a step
    anchor: list[Floats] | None  # an array for each of the network's parameters; None: zero


class Decay(NamedTuple):
    keep: float  # the share of a weight that is left after a step; in double: 1 − 1e-8 is no float32
    now: Floats  # (1,) c, in double
    factor: Floats  # (width,) c for each target, 1 for those that are frozen
    first: int  # the first target that is not
    scales: Floats  # room for what the firing units give
    inverse: Floats  # (1,) 1/c, in the weights' type
    whole: Floats  # (1,) c, likewise


class Anchor(NamedTuple):
    """Weights like the network's own, zero where those are frozen, which its own are the distance to."""

    panels: Floats
    bias: Floats
    between: Floats  # a cascade's, or all of a layered network's later layers
    deeper_bias: Floats  # (layers, widest)
    z: Floats  # (SAMPLES, width) what they alone give for a block


class Norm(NamedTuple):
    """Gains and shifts of each layer's units. Where they decay they are in double: 1e-7 of a float32 is nothing."""

    gain: Floats  # (layers, widest)
    shift: Floats  # (layers, widest)
    gain_anchor: Floats  # (layers, widest) what they are drawn to where weights decay
    shift_anchor: Floats  # (layers, widest)
    normal: Floats  # (layers, widest) n of the latest sample
    inverse: Floats  # (layers,) 1/√(variance + ε) of it
    back: Floats  # (widest,) room for δn


class Kept(NamedTuple):
    """Traces while a kernel runs; an array that nobody asked for is empty."""

    silent: Indices  # (units,) samples since it last fired
    gaps: Indices  # (units, bins) how often so many samples lay between two firings
    bin_of: Indices  # (largest gap + 1,)
    activity: Floats  # (units,)
    activity_decay: float
    utility: Floats  # (units,)
    utility_decay: float
    fires: Floats  # (SAMPLES, units) what each unit fires on each sample of the block
    reach: Floats  # (SAMPLES, units) Σ|outgoing weights| after the step on it, of the units that fire on it
    sizes: Floats  # (units + 4,) room for those sums while rows learn
    when: Indices  # (units,) on which samples of the block it fires, a bit for each
