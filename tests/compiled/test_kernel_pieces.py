"""The pieces that the learning loops are made of do what their plain twins do."""

import numpy as np
import pytest
from support import twins
from support.pairs import NUMBERS, agree, both, close, from_python, normal

from plasticity.compiled import cascade_kernels, kernels, layered_kernels, normalising, tracing
from plasticity.compiled.arguments import Block, CascadeShape, Fed, Firing, Kept, Norm
from plasticity.compiled.kinds import ROWS, TILES
from plasticity.compiled.layered_layout import stacked
from plasticity.compiled.layout import SAMPLES, decay_of, padded

numbers = pytest.mark.parametrize("number", NUMBERS)
OUTPUTS = 10


@numbers
@pytest.mark.parametrize("outputs", [1, 7, 10])
@pytest.mark.parametrize("first", [0, 5])
def test_the_answer_is_a_softmax(outputs: int, first: int, number: type) -> None:
    z = 3 * normal(0, number, 32)
    for label in (0, outputs - 1):
        agree(kernels.answer, twins.answer, z, first, outputs, label, number(0.1), np.zeros(32, number), number=number)


@numbers
@pytest.mark.parametrize(("value", "place", "bad"), [(np.nan, 4, True), (np.inf, 4, True), (-np.inf, 4, False)])
@pytest.mark.parametrize("label", [2, 0])
def test_a_loss_that_is_not_finite_is_no_answer(value: float, place: int, bad: bool, label: int, number: type) -> None:
    """The place is that of label 2, whose loss is infinite where its output is minus infinity."""
    z = normal(0, number, 32)
    z[place] = value
    left, right = both(kernels.answer, twins.answer, z, 2, OUTPUTS, label, number(0.1), np.zeros(32, number))
    assert left[-1][0] == right[-1][0]
    assert (left[-1] == (-1, np.inf)) == (bad or label == 2)


def block_of(number: type, inputs: int, width: int, seed: int = 0) -> tuple[Block, Fed]:
    block = Block(
        x=np.zeros((SAMPLES, padded(inputs)), number),
        gram=normal(seed, number, SAMPLES, SAMPLES),
        z=normal(seed + 1, number, SAMPLES, width),
        delta=normal(seed + 2, number, SAMPLES, width),
        columns=np.zeros(padded(inputs) + 1, np.int64),
        on=np.zeros(padded(inputs), np.uint32),
        listed=np.zeros((TILES, padded(inputs) + 1), np.int64),
        counts=np.zeros(TILES, np.int64),
    )
    weight = normal(seed + 3, number, padded(inputs), width)
    return block, Fed(twins.panels(weight), normal(seed + 4, number, width), number(1))


@numbers
@pytest.mark.parametrize("inputs", [16, 37])
@pytest.mark.parametrize("samples", [1, 5, 31, 32])
@pytest.mark.parametrize("live", [0, 32])
def test_a_block_is_taken_corrected_and_ended(inputs: int, samples: int, live: int, number: type) -> None:
    block, fed = block_of(number, inputs, 80)
    block.delta[:, :live] = 0
    images, rows = normal(9, number, 50, inputs), np.random.default_rng(0).permutation(50)[:samples]
    images[:, [2, 3, 11]] = 0
    images[rows[: min(samples, ROWS)], 7] = 0  # in the first tile alone
    left, right = both(kernels.take_block, twins.take_block, images, rows, block, fed)
    assert left[-1] == right[-1]
    for name in ("x", "z"):
        close(getattr(left[2], name), getattr(right[2], name), number)
    np.testing.assert_array_equal(left[2].on, right[2].on)
    columns, right_on = right[2].columns[: right[-1]], right[2].on
    np.testing.assert_array_equal(left[2].columns[: left[-1]], columns)
    for tile in range(-(-samples // ROWS)):
        listed, again = (each[2].listed[tile, : each[2].counts[tile]] for each in (left, right))
        np.testing.assert_array_equal(listed, again)
    left, right = block.z.copy(), block.z.copy()
    for sample in range(samples):
        for z, correct in ((left, from_python(kernels.correct_inputs)), (right, twins.correct_inputs)):
            room = np.zeros(SAMPLES + 4, np.int64), np.zeros(SAMPLES + 4, number)
            correct(sample, block.gram, block.delta, z, live, *room)
    close(left[:samples], right[:samples], number)
    block.x[:samples, :inputs], block.on[:] = images[rows], right_on
    for one in (0, 1):
        changed = fed._replace(one=number(one))
        agree(kernels.end_block, twins.end_block, samples, block, columns, changed, live, number=number)


def cascade_of(number: type, units: int, lateral: bool, frozen: int) -> tuple[np.ndarray, CascadeShape, Firing]:
    shape = CascadeShape(units, units if lateral else padded(units), OUTPUTS, lateral, frozen)
    between = np.zeros((padded(units) + 1, padded(units + OUTPUTS if lateral else OUTPUTS)), number)
    here = between[:units, : units + OUTPUTS if lateral else OUTPUTS]
    here[:] = normal(0, number, *here.shape) / 4
    if lateral:
        here[:] = np.triu(here, 1)
    room = max(units, SAMPLES) + 4
    fire = Firing(
        rows=np.zeros(room, np.int64),
        strength=np.zeros(room, number),
        dots=np.zeros(room, number),
        block_start=np.zeros(room, np.int64),
    )
    return between, shape, fire


@numbers
@pytest.mark.parametrize("lateral", [True, False])
@pytest.mark.parametrize(("units", "frozen"), [(0, 0), (1, 0), (5, 4), (16, 0), (17, 3), (40, 0), (40, 39), (40, 20)])
def test_forward_and_backward_through_a_cascade(units: int, frozen: int, lateral: bool, number: type) -> None:
    between, shape, fire = cascade_of(number, units, lateral, frozen)
    width = padded(shape.first_output + OUTPUTS)
    z, delta = normal(1, number, width), np.zeros(width, number)
    z[shape.first_output + OUTPUTS :] = 0
    left, right = both(cascade_kernels.forward_cascade, twins.forward_cascade, z, between, shape, fire, None, None)
    assert left[-1] == right[-1]
    close(left[0], right[0], number)
    for one, other in zip(left[3][:2], right[3][:2], strict=True):
        close(one[: left[-1]], other[: left[-1]], number)
    blocks = padded(units) // 16
    np.testing.assert_array_equal(left[3].block_start[:blocks], right[3].block_start[:blocks])
    delta[shape.first_output : shape.first_output + OUTPUTS] = normal(2, number, OUTPUTS)
    back = cascade_kernels.backward_cascade, twins.backward_cascade
    left, right = both(*back, delta, between, shape, right[3], right[-1], None, None, None, 0, None)
    close(left[0], right[0], number)
    close(left[1], right[1], number)


@numbers
@pytest.mark.parametrize("frozen", [0, 20])
def test_weights_that_do_not_exist_stay_zero(frozen: int, number: type) -> None:
    between, shape, fire = cascade_of(number, 40, True, frozen)
    mask = (np.random.default_rng(0).random((40, padded(40))) < 0.5).astype(number)
    between[:40, :40] *= mask[:, :40]
    z, delta = normal(1, number, between.shape[1]), np.zeros(between.shape[1], number)
    count = twins.forward_cascade(z, between, shape, fire, None, None)
    delta[40 : 40 + OUTPUTS] = normal(2, number, OUTPUTS)
    back = cascade_kernels.backward_cascade, twins.backward_cascade
    left, right = both(*back, delta, between, shape, fire, count, None, None, None, 0, mask)
    close(left[0], right[0], number)
    close(left[1], right[1], number)
    assert not left[1][:40, :40][mask[:, :40] == 0].any()


@numbers
@pytest.mark.parametrize("units", [1, 7, 18])
@pytest.mark.parametrize("mirrored", [None, True])
def test_forward_and_backward_through_a_layer(units: int, mirrored: bool | None, number: type) -> None:
    size = 2 * units if mirrored else units
    matrix, z, change = normal(0, number, size + 1, 32), normal(1, number, padded(units)), normal(2, number, 32)
    matrix[-1] = 0
    rows, strength = np.zeros(size + 4, np.int64), np.zeros(size + 4, number)
    left, right = both(layered_kernels.fired, twins.fired, z, matrix, rows, strength, mirrored)
    count = left[-1]
    assert count == right[-1]
    np.testing.assert_array_equal(left[2][: count + 3], np.append(right[2][:count], [size] * 3))
    close(left[3][:count], right[3][:count], number)
    twins.fill(right[2], right[3], count, size)
    back = layered_kernels.backward_layer, twins.backward_layer
    arguments = change, matrix, right[2], right[3], count, np.zeros(size + 4, number), normal(4, number, padded(units))
    left, right = both(*back, *arguments, mirrored, None, 0, 0)
    close(left[1], right[1], number)
    close(left[6], right[6], number)


@numbers
@pytest.mark.parametrize("units", [1, 7, 18])
@pytest.mark.parametrize("keep", [None, 0.9])
def test_a_layer_is_normalised_and_its_deltas_come_back(units: int, keep: float | None, number: type) -> None:
    width, precise = padded(units), number if keep is None else np.float64
    gain, shift, gain_anchor, shift_anchor = (normal(seed, precise, 2, width) for seed in range(4))
    room = np.zeros((2, width), number), np.ones(2, number), np.zeros(width, number)
    norm = Norm(gain, shift, gain_anchor, shift_anchor, *room)
    decay = None if keep is None else decay_of(keep, width, 0, width, np.dtype(number))
    agree(normalising.normalise, twins.normalise, normal(5, number, width), units, norm, 1, number=number)
    twins.normalise(normal(5, number, width), units, norm, 1)
    back = normalising.normalise_back, twins.normalise_back
    agree(*back, normal(6, number, width), units, norm, 1, decay, number=number)


def kept(number: type, units: int, asked: bool = True) -> Kept:
    rng, room = np.random.default_rng(0), units if asked else 0
    return Kept(
        silent=rng.integers(0, 9, room),
        gaps=np.zeros((room, 5), np.int32),
        bin_of=np.minimum(np.arange(7), 4),
        activity=rng.random(room),
        activity_decay=0.9,
        utility=rng.random(room),
        utility_decay=0.8,
        fires=np.maximum(normal(2, number, SAMPLES, units) - number(0.5), 0),
        reach=rng.random((SAMPLES, units)).astype(number),
        sizes=np.zeros(room + 4, number),
        when=np.zeros(room, np.int64),
    )


def same_traces(one: Kept, other: Kept, number: type) -> None:
    for name in ("silent", "gaps"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for name in ("activity", "utility", "fires", "reach"):
        close(getattr(one, name), getattr(other, name), number)


@numbers
@pytest.mark.parametrize("mirrored", [None, True])
def test_what_units_fire_is_noted(mirrored: bool | None, number: type) -> None:
    left, right = both(tracing.note_firing, twins.note_firing, kept(number, 25), 5, normal(3, number, 18), 7, mirrored)
    same_traces(left[0], right[0], number)


@numbers
@pytest.mark.parametrize("asked", [True, False])
@pytest.mark.parametrize("samples", [1, 2, 31, 32])
def test_traces_after_a_block_are_those_of_one_sample_after_the_other(samples: int, asked: bool, number: type) -> None:
    traces = kept(number, 40, asked)
    traces.fires[:, :4] = [0, 1, 0, 0]  # never, always, in the first and in the last sample
    traces.fires[0, 2] = traces.fires[samples - 1, 3] = 1
    left, right = both(tracing.trace_block, twins.trace_block, traces, samples)
    same_traces(left[0], right[0], number)


@numbers
@pytest.mark.parametrize("lateral", [True, False])
def test_how_far_a_cascades_units_reach(lateral: bool, number: type) -> None:
    between, shape, _ = cascade_of(number, 19, lateral, 0)
    fires, reach = kept(number, 19).fires[0], np.zeros(19, number)
    agree(tracing.reach_of_cascade, twins.reach_of_cascade, fires, reach, between, shape, None, None, number=number)


@numbers
@pytest.mark.parametrize("mirrored", [None, True])
def test_how_far_layered_units_reach(mirrored: bool | None, number: type) -> None:
    feeds = 2 if mirrored else 1
    weights = [normal(i, number, *shape) for i, shape in enumerate([(feeds * 7, 18), (feeds * 18, 10)])]
    deeper = stacked(weights, [np.zeros(size, number) for size in (18, 10)])
    fires, reach = kept(number, 25).fires[0], np.zeros(25, number)
    agree(tracing.reach_of_layers, twins.reach_of_layers, fires, reach, deeper, None, None, mirrored, number=number)
