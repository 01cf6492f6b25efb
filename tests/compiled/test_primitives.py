"""Vector primitives and products do what their plain twins do."""

import numba
import numpy as np
import pytest
from support import twins
from support.pairs import NUMBERS, agree, both, close, normal

from plasticity.compiled import products
from plasticity.compiled.kinds import BLOCK, LANES, PANEL, ROWS
from plasticity.compiled.products import at, tile
from plasticity.compiled.vectors import (
    SIDE,
    activate_anchored,
    activate_block,
    activate_decayed,
    collect_row,
    collect_rows,
    collect_sized_row,
    collect_sized_rows,
    dots_tile,
    spread_rows,
)

WIDTHS = [16, 32, 48, 80, 112]
numbers = pytest.mark.parametrize("number", NUMBERS)


@numba.njit
def product_by_rows(c, a, b):
    tile(c, c.shape[1] // LANES, at(c, 0), c.shape[1], at(a, 0), a.shape[1], 1, at(b, 0), b.shape[1], b.shape[0])


@numba.njit
def product_by_columns(c, a, b):
    """`a` lies in memory as its transpose."""
    tile(c, c.shape[1] // LANES, at(c, 0), c.shape[1], at(a.T, 0), 1, a.shape[0], at(b, 0), b.shape[1], b.shape[0])


@numba.njit
def dots(c, a, b):
    dots_tile(c, (at(c, 0), c.shape[1], at(a, 0), at(b, 0), a.shape[1], a.shape[1] // LANES))


@numba.njit
def spread(target, scales, rows):
    width = rows.shape[1]
    a, b, c, d = at(rows, 0), at(rows, width), at(rows, 2 * width), at(rows, 3 * width)
    spread_rows(rows, (at(target, 0), at(scales, 0), a, b, c, d, target.size // LANES))


@numba.njit
def collect(dots, scales, delta, rows):
    width, count = rows.shape[1], delta.size // LANES
    if rows.shape[0] == 1:
        collect_row(rows, (at(dots, 0), at(scales, 0), at(delta, 0), at(rows, 0), count))
    else:
        a, b, c, d = at(rows, 0), at(rows, width), at(rows, 2 * width), at(rows, 3 * width)
        collect_rows(rows, (at(dots, 0), at(scales, 0), at(delta, 0), a, b, c, d, count))


@numba.njit
def collect_sized(sizes, dots, scales, delta, rows):
    width, count = rows.shape[1], delta.size // LANES
    here = at(sizes, 0), at(dots, 0), at(scales, 0), at(delta, 0)
    if rows.shape[0] == 1:
        collect_sized_row(rows, (*here, at(rows, 0), count))
    else:
        a, b, c, d = at(rows, 0), at(rows, width), at(rows, 2 * width), at(rows, 3 * width)
        collect_sized_rows(rows, (*here, a, b, c, d, count))


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
    a, b = normal(0, number, SIDE, count * LANES), normal(1, number, SIDE, count * LANES)
    agree(dots, twins.dots_tile, normal(2, number, SIDE, SIDE), a, b, number=number)


@numbers
@pytest.mark.parametrize("count", [1, 3, 8])
def test_four_rows_are_spread_and_rows_are_collected(count: int, number: type) -> None:
    rows, target, scales = (normal(0, number, *shape) for shape in ((4, count * LANES), (count * LANES,), (4,)))
    agree(spread, twins.spread_rows, target, scales, rows, number=number)
    agree(collect, twins.collect_rows, normal(1, number, 4), scales, target, rows, number=number)
    agree(collect, twins.collect_rows, normal(1, number, 1), scales[:1], target, rows[:1].copy(), number=number)


@numbers
@pytest.mark.parametrize("count", [1, 3, 8])
@pytest.mark.parametrize("rows", [1, 4])
def test_rows_are_collected_and_their_sizes_summed_after_they_learned(rows: int, count: int, number: type) -> None:
    sizes, dots, scales = (normal(seed, number, rows) for seed in range(3))
    delta, matrix = normal(3, number, count * LANES), normal(4, number, rows, count * LANES)
    agree(collect_sized, twins.collect_sized_rows, sizes, dots, scales, delta, matrix, number=number)


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
    agree(products.feed, twins.feed, x, samples, twins.panels(weight), z, number=number)
    for live in (0, 16, width - 16):
        delta[:, :live] = 0  # what is frozen has no delta
        agree(products.absorb, twins.absorb, x, samples, delta, twins.panels(weight), live, number=number)
        start = samples // ROWS * ROWS % 32 or ROWS
        agree(products.catch_up, twins.catch_up, normal(4, number, 32, 32), start, delta, z, live, number=number)


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
    dots = np.zeros(15, number)
    agree(products.teach_rows, twins.teach_rows, z, start, matrix, rows, scales, dots, first, last, number=number)


@numbers
@pytest.mark.parametrize(("begin", "end"), [(0, 0), (0, 1), (3, 17), (0, 40)])
def test_the_units_that_fire_are_listed_and_filled_up(begin: int, end: int, number: type) -> None:
    z, rows, scales = normal(0, number, 40), np.zeros(50, np.int64), np.zeros(50, number)
    left, right = both(products.firing, twins.firing, z, begin, end, rows, scales, 2)
    assert left[-1] == right[-1]
    for place in (3, 4):  # behind the last one, anything may stand
        np.testing.assert_array_equal(left[place][: left[-1]], right[place][: left[-1]])
    agree(products.fill, twins.fill, rows, scales, end, 40, number=number)


@numbers
@pytest.mark.parametrize("units", [1, 17, 40])
def test_a_mirrored_unit_that_fires_feeds_its_own_row_or_its_mirror(units: int, number: type) -> None:
    z, rows, scales = normal(0, number, 40), np.zeros(50, np.int64), np.zeros(50, number)
    z[[5, 11]] = 0
    left, right = both(products.firing_mirrored, twins.firing_mirrored, z, units, rows, scales)
    assert left[-1] == right[-1]
    for place in (2, 3):
        np.testing.assert_array_equal(left[place][: left[-1]], right[place][: left[-1]])


def test_tiles_fit_the_blocks_that_everything_is_padded_to() -> None:
    assert BLOCK % LANES == BLOCK % ROWS == BLOCK % SIDE == PANEL % LANES == 0


@numbers
@pytest.mark.parametrize("width", [16, 48])
def test_a_block_of_a_cascade_settles_where_weights_decay(width: int, number: type) -> None:
    z, factor = normal(0, number, BLOCK), abs(normal(2, number, BLOCK))
    weight, pull = (np.triu(normal(seed, number, BLOCK, width), 1) / 4 for seed in (1, 3))
    agree(settled_with_decay, twins.activate_decayed, z, weight, factor, number=number)
    inverse = np.array([1.25], number)
    agree(settled_with_anchor, twins.activate_anchored, z, weight, factor, pull, inverse, number=number)


@numbers
@pytest.mark.parametrize("last", [1, 3, 4, 9])
def test_rows_are_looked_at_and_do_not_learn(last: int, number: type) -> None:
    delta, matrix = normal(0, number, 48), normal(1, number, 20, 48)
    rows, dots = np.random.default_rng(0).permutation(19)[:14], normal(2, number, 14)
    matrix[-1], rows[last:] = 0, 19
    agree(products.look_rows, twins.look_rows, delta, 16, matrix, rows, dots, 0, last, number=number)
