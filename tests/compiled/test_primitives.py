"""Vector primitives and products do what their plain twins do."""

import numba
import numpy as np
import pytest
from support import twins
from support.pairs import NUMBERS, agree, both, close, from_python, normal

from plasticity.compiled import listing, products
from plasticity.compiled.cascade_vectors import (
    activate_anchored,
    activate_block,
    activate_decayed,
    settle_anchored_block,
    settle_block,
    settle_decayed_block,
    settle_sized_block,
)
from plasticity.compiled.kinds import BLOCK, LANES, PANEL, ROWS
from plasticity.compiled.products import at
from plasticity.compiled.vectors import (
    ACROSS,
    DOWN,
    MOST,
    collect_anchored_rows,
    collect_decayed_rows,
    collect_rows,
    collect_sized_rows,
    dots_tile,
    fetch,
    gather_anchored_rows,
    gather_rows,
    product_dense,
    product_rows,
    product_steps,
)

WIDTHS = [16, 32, 48, 80, 112]
numbers = pytest.mark.parametrize("number", NUMBERS)


@numba.njit
def product_by_rows(c, a, b):
    left = at(c, 0), c.shape[1], at(a, 0), a.shape[1], 1
    product_dense(c, (c.shape[1] // LANES, *left, at(b, 0), b.shape[1], b.shape[0]))


@numba.njit
def product_by_columns(c, a, b):
    """`a` lies in memory as its transpose."""
    left = at(c, 0), c.shape[1], at(a.T, 0), 1, a.shape[0]
    product_dense(c, (c.shape[1] // LANES, *left, at(b, 0), b.shape[1], b.shape[0]))


@numba.njit
def product_of_steps(c, a, b, places):
    left = at(c, 0), c.shape[1], at(a, 0), a.shape[1], 1
    product_steps(c, (c.shape[1] // LANES, *left, at(b, 0), b.shape[1], places.size, at(places, 0)))


@numba.njit
def product_of_rows(c, a, b, places, steps):
    left = at(c, 0), c.shape[1], at(a, 0), a.shape[1], 1
    product_rows(c, (c.shape[1] // LANES, *left, at(b, 0), b.shape[1], steps, at(places, 0)))


@numba.njit
def dots(c, a, b):
    dots_tile(c, (at(c, 0), c.shape[1], at(a, 0), at(b, 0), a.shape[1], a.shape[1] // LANES))


@numba.njit
def gather(target, scales, rows, matrix):
    given = at(target, 0), at(scales, 0), at(rows, 0), at(matrix, 0), matrix.shape[1], rows.size
    gather_rows(matrix, (target.size // LANES, *given))


@numba.njit
def gather_anchored(target, scales, rows, matrix, pull, inverse):
    given = at(target, 0), at(scales, 0), at(rows, 0), at(matrix, 0), matrix.shape[1], rows.size
    gather_anchored_rows(matrix, (target.size // LANES, *given, at(pull, 0) - at(matrix, 0), at(inverse, 0)))


@numba.njit
def four(dots, scales, delta, rows):
    width = rows.shape[1]
    a, b, c, d = at(rows, 0), at(rows, width), at(rows, 2 * width), at(rows, 3 * width)
    return a, b, c, d, at(dots, 0), at(scales, 0), at(delta, 0), delta.size // LANES


@numba.njit
def collect(dots, scales, delta, rows):
    collect_rows(rows, four(dots, scales, delta, rows))


@numba.njit
def collect_sized(sizes, dots, scales, delta, rows):
    collect_sized_rows(rows, (*four(dots, scales, delta, rows), at(sizes, 0)))


@numba.njit
def collect_decayed(dots, scales, delta, rows, now):
    collect_decayed_rows(rows, (*four(dots, scales, delta, rows), at(now, 0)))


@numba.njit
def collect_anchored(dots, scales, delta, rows, now, pull):
    further = at(pull, 0) - at(rows, 0)
    collect_anchored_rows(rows, (*four(dots, scales, delta, rows), at(now, 0), further))


@numba.njit
def block_of(units, begin, live, delta, rows, dots, scales):
    here = at(units, 0), units.size, begin, live, at(delta, 0), at(rows, 0), rows.shape[1]
    return *here, at(dots, 0), at(scales, 0)


@numba.njit
def settle(units, begin, live, delta, rows, dots, scales):
    settle_block(rows, block_of(units, begin, live, delta, rows, dots, scales))


@numba.njit
def settle_sized(units, begin, live, delta, rows, dots, scales, sizes):
    settle_sized_block(rows, (*block_of(units, begin, live, delta, rows, dots, scales), at(sizes, 0)))


@numba.njit
def settle_decayed(units, begin, live, delta, rows, dots, scales, now):
    settle_decayed_block(rows, (*block_of(units, begin, live, delta, rows, dots, scales), at(now, 0)))


@numba.njit
def settle_anchored(units, begin, live, delta, rows, dots, scales, now, pull):
    given = block_of(units, begin, live, delta, rows, dots, scales)
    settle_anchored_block(rows, (*given, at(now, 0), at(pull, 0) - at(rows, 0)))


@numba.njit
def fetched(values):
    fetch(values, (at(values, 0), values.nbytes // 64))


@numba.njit
def settled_with_decay(z, weight, factor):
    activate_decayed(z, (at(z, 0), at(factor, 0), at(weight, 0), weight.shape[1]))


@numba.njit
def settled_with_anchor(z, weight, factor, pull, inverse):
    row = weight.shape[1]
    activate_anchored(z, (at(z, 0), at(factor, 0), at(weight, 0), row, at(pull, 0), at(inverse, 0)))


@numba.njit
def settled(z, weight):
    activate_block(z, (at(z, 0), at(weight, 0), weight.shape[1]))


@pytest.mark.slow
@numbers
@pytest.mark.parametrize("vectors", [1, 2, 3])
@pytest.mark.parametrize("count", [1, 2, 7, 33])
def test_a_tile_of_a_product(vectors: int, count: int, number: type) -> None:
    c, b = normal(0, number, ROWS, vectors * LANES), normal(1, number, count, vectors * LANES)
    agree(product_by_rows, twins.product, c, normal(2, number, ROWS, count), b, number=number)
    agree(product_by_columns, twins.product, c, normal(2, number, count, ROWS).T, b, number=number)


@numbers
@pytest.mark.parametrize("count", [1, 3, 8])
def test_a_square_of_dot_products(count: int, number: type) -> None:
    a, b = normal(0, number, DOWN, count * LANES), normal(1, number, ACROSS, count * LANES)
    agree(dots, twins.dots_tile, normal(2, number, DOWN, ACROSS), a, b, number=number)


@pytest.mark.slow
@numbers
@pytest.mark.parametrize("vectors", [1, 2, 3])
@pytest.mark.parametrize("count", [1, 5])
def test_a_product_of_some_steps_or_some_rows_alone(vectors: int, count: int, number: type) -> None:
    steps, rows = np.array([0, 3, 4, 8])[:count], np.random.default_rng(0).permutation(3 * ROWS)[:ROWS]
    c, b = normal(0, number, ROWS, vectors * LANES), normal(1, number, 9, vectors * LANES)
    agree(product_of_steps, twins.product_of_steps, c, normal(2, number, ROWS, 9), b, steps, number=number)
    c, b = normal(0, number, 3 * ROWS, vectors * LANES), normal(1, number, 32, vectors * LANES)
    bits = 0b1 if count == 1 else 0b10000000000000000000000100010110
    agree(product_of_rows, twins.product_of_rows, c, normal(2, number, 3 * ROWS, 32), b, rows, bits, number=number)


@pytest.mark.slow
@numbers
@pytest.mark.parametrize("vectors", range(1, MOST + 1))
@pytest.mark.parametrize("count", [1, 2, 11])
def test_rows_of_a_matrix_are_gathered(vectors: int, count: int, number: type) -> None:
    matrix, pull = normal(0, number, 11, vectors * LANES), normal(1, number, 11, vectors * LANES)
    target, scales = normal(2, number, vectors * LANES), normal(3, number, count)
    rows, inverse = np.random.default_rng(0).permutation(11)[:count], np.array([1.25], number)
    agree(gather, twins.gather, target, scales, rows, matrix, number=number)
    agree(gather_anchored, twins.gather_anchored, target, scales, rows, matrix, pull, inverse, number=number)


@pytest.mark.slow
@numbers
@pytest.mark.parametrize("count", [1, 3, 8])
def test_four_rows_are_collected_and_learn(count: int, number: type) -> None:
    rows, pull = normal(0, number, 4, count * LANES), normal(1, number, 4, count * LANES)
    delta, now = normal(2, number, count * LANES), np.array([0.75], number)
    given = normal(3, number, 4), normal(4, number, 4), delta, rows
    agree(collect, twins.collect_rows, *given, number=number)
    agree(collect_sized, twins.collect_sized_rows, normal(5, number, 4), *given, number=number)
    agree(collect_decayed, twins.collect_decayed_rows, *given, now, number=number)
    agree(collect_anchored, twins.collect_anchored_rows, *given, now, pull, number=number)


@pytest.mark.slow
@numbers
@pytest.mark.parametrize("live", [-20, 0, 6])
@pytest.mark.parametrize("units", [[3], [0, 2, 5, 6, 15], range(16)])
def test_deltas_within_a_block_of_a_cascade_come_back_unit_by_unit(units: list[int], live: int, number: type) -> None:
    """The block begins at unit 16, which is also the first row that it reads."""
    chosen, count = 16 + np.array(units), len(units)
    rows, pull = (np.vstack([np.zeros((16, 32)), np.triu(normal(seed, number, 16, 32), 1)]) / 4 for seed in (0, 1))
    rows, pull, delta, now = rows.astype(number), pull.astype(number), np.zeros(BLOCK, number), np.array([0.75], number)
    dots, scales = normal(2, number, count), normal(3, number, count)
    dots[0] = 1e-31  # and its delta is zero if no other unit fires
    given = chosen, 16, live, delta, rows, dots, scales
    agree(settle, twins.settle, *given, number=number)
    agree(settle_sized, twins.settle, *given, np.append(normal(4, number, count), number(0)), number=number)
    agree(settle_decayed, twins.settle, *given, now, number=number)
    agree(settle_anchored, twins.settle, *given, now, pull, number=number)


def test_asking_for_memory_ahead_changes_nothing() -> None:
    values = np.arange(160.0)
    fetched(values)
    np.testing.assert_array_equal(values, np.arange(160.0))


@numbers
def test_a_block_of_a_cascade_settles_unit_by_unit(number: type) -> None:
    weight = np.triu(normal(0, number, BLOCK, BLOCK), 1) / 4
    agree(settled, twins.activate_block, normal(1, number, BLOCK), weight, number=number)


@numbers
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("samples", [1, 5, 31, 32])
def test_feeding_absorbing_and_catching_up(width: int, samples: int, number: type) -> None:
    x, weight, delta = normal(0, number, 32, 48), normal(1, number, 48, width), normal(2, number, 33, width)
    x[samples:], z = 0, normal(3, number, 32, width)
    x[:, [0, 3, 4, 17, 40]] = 0  # what is not listed is zero in all samples
    columns = np.zeros(49, np.int64)
    columns = columns[: twins.list_columns(twins.on(x), columns)]
    x[:ROWS, 9], x[-ROWS:] = 0, 0  # nor is what is zero in a tile of samples alone, which may be everything
    agree(products.feed, twins.feed, x, samples, *twins.in_tiles(twins.on(x)), twins.panels(weight), z, number=number)
    for live in (0, 16, width - 16):
        delta[:, :live] = 0  # what is frozen has no delta
        given = x, twins.on(x[:samples]), columns, delta, twins.panels(weight), live
        agree(products.absorb, twins.absorb, *given, number=number)
        start = samples // ROWS * ROWS % 32 or ROWS
        agree(products.catch_up, twins.catch_up, normal(4, number, 32, 32), start, delta, z, live, number=number)


@numbers
def test_leaving_out_columns_of_zeros_changes_no_bit(number: type) -> None:
    x, weight, delta = abs(normal(0, number, 32, 48)), normal(1, number, 48, 80), normal(2, number, 32, 80)
    x[:, np.random.default_rng(1).permutation(48)[:19]] = 0
    x[np.random.default_rng(2).random(x.shape) < 0.7] = 0
    columns = np.zeros(49, np.int64)
    some = columns[: from_python(listing.list_columns)(twins.on(x), columns)]
    assert len(some) < 48
    found = []
    for listed, on in ((some, twins.on(x)), (np.arange(48), twins.on(np.ones_like(x)))):
        z, fed = normal(3, number, 32, 80), twins.panels(weight)
        products.feed(x, 32, *twins.in_tiles(on), fed, z)
        products.absorb(x, on, listed, delta, fed, 0)
        found.append((z, fed))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


@numbers
@pytest.mark.parametrize("samples", [1, 5, 30, 32])
@pytest.mark.parametrize("one", [0, 1])
def test_the_lower_triangle_of_the_gram_matrix(samples: int, one: int, number: type) -> None:
    x, gram = normal(0, number, 32, 48), np.zeros((32, 32), number)
    left, right = both(products.gram_matrix, twins.gram_matrix, x, samples, gram, number(one))
    close(np.tril(left[2])[:samples, :samples], np.tril(right[2])[:samples, :samples], number)


@numbers
@pytest.mark.parametrize("start", [0, 16, 32, 48])
@pytest.mark.parametrize(("first", "last"), [(0, 0), (0, 1), (0, 4), (3, 8), (2, 11)])
def test_rows_are_added_and_taught_four_at_a_time(start: int, first: int, last: int, number: type) -> None:
    matrix, z = normal(0, number, 21, 48), normal(1, number, 48)
    matrix[-1] = 0
    rows, scales = np.random.default_rng(2).permutation(20)[:15], normal(3, number, 15)
    twins.fill(rows, scales, last, 20)
    agree(products.add_rows, twins.add_rows, z, start, matrix, rows, scales, first, last, number=number)
    dots, anchor, one = np.zeros(15, number), normal(4, number, 21, 48), np.array([0.8], number)
    anchor[-1] = 0
    given = z, start, matrix, rows, scales, first, last
    agree(products.add_anchored_rows, twins.add_anchored_rows, *given, anchor, one, number=number)
    given = z, start, matrix, rows, scales, dots, first, last
    agree(products.teach_rows, twins.teach_rows, *given, number=number)
    for pull in (None, anchor):
        agree(products.teach_decayed_rows, twins.teach_decayed_rows, *given, one, pull, number=number)


@numbers
@pytest.mark.parametrize(("begin", "end"), [(0, 0), (0, 1), (3, 17), (0, 40)])
def test_the_units_that_fire_are_listed_and_filled_up(begin: int, end: int, number: type) -> None:
    z, rows, scales = normal(0, number, 40), np.zeros(50, np.int64), np.zeros(50, number)
    left, right = both(listing.firing, twins.firing, z, begin, end, rows, scales, 2)
    assert left[-1] == right[-1]
    for place in (3, 4):  # behind the last one, anything may stand
        np.testing.assert_array_equal(left[place][: left[-1]], right[place][: left[-1]])
    agree(listing.fill, twins.fill, rows, scales, end, 40, number=number)


@numbers
@pytest.mark.parametrize("units", [1, 17, 40])
def test_a_mirrored_unit_that_fires_feeds_its_own_row_or_its_mirror(units: int, number: type) -> None:
    z, rows, scales = normal(0, number, 40), np.zeros(50, np.int64), np.zeros(50, number)
    z[[5, 11]] = 0
    left, right = both(listing.firing_mirrored, twins.firing_mirrored, z, units, rows, scales)
    assert left[-1] == right[-1]
    for place in (2, 3):
        np.testing.assert_array_equal(left[place][: left[-1]], right[place][: left[-1]])


def test_tiles_fit_the_blocks_that_everything_is_padded_to() -> None:
    assert BLOCK % LANES == BLOCK % ROWS == BLOCK % ACROSS == BLOCK % DOWN == PANEL % LANES == 0


@numbers
@pytest.mark.parametrize("width", [16, 48])
def test_a_block_of_a_cascade_settles_where_weights_decay(width: int, number: type) -> None:
    z, factor = normal(0, number, BLOCK), abs(normal(2, number, BLOCK))
    weight, pull = (np.triu(normal(seed, number, BLOCK, width), 1) / 4 for seed in (1, 3))
    agree(settled_with_decay, twins.activate_decayed, z, weight, factor, number=number)
    inverse = np.array([1.25], number)
    agree(settled_with_anchor, twins.activate_anchored, z, weight, factor, pull, inverse, number=number)


@numbers
@pytest.mark.parametrize("zeros", [0, 1, 7, 8, 9, 47, 48])
def test_columns_that_are_not_zero_are_listed_first(zeros: int, number: type) -> None:
    x = normal(0, number, 32, 48)
    x[:, np.random.default_rng(1).permutation(48)[:zeros]] = 0
    left, right = both(listing.list_columns, twins.list_columns, twins.on(x), np.zeros(49, np.int64))
    assert left[-1] == right[-1]
    np.testing.assert_array_equal(left[1][: left[-1]], right[1][: left[-1]])


@numbers
def test_of_listed_columns_those_that_are_not_zero_in_a_tile_are_listed_again(number: type) -> None:
    x, columns = normal(0, number, 32, 48), np.arange(1, 48, 3)
    x[8:16, [4, 5, 46]] = 0
    given = twins.on(x), np.uint32(0xFF00), columns, np.zeros(49, np.int64)
    left, right = both(listing.list_again, twins.list_again, *given)
    assert left[-1] == right[-1] == len(columns) - 2
    np.testing.assert_array_equal(left[3][: left[-1]], right[3][: left[-1]])
