"""Products of padded matrices, tile by tile, and of a few rows at a time.

All widths are multiples of kinds.BLOCK. `fed`, the input weights, is cut into panels of kinds.PANEL columns, each
contiguous, so that they stream through the cache.
"""

import numpy as np

from plasticity.compiled.cache import apart, compiled
from plasticity.compiled.kinds import LANES, PANEL, ROWS
from plasticity.compiled.vectors import (
    ACROSS,
    DOWN,
    MOST,
    collect_anchored_rows,
    collect_decayed_rows,
    collect_rows,
    collect_sized_rows,
    dots_tile,
    gather_anchored_rows,
    gather_rows,
    product_dense,
    product_rows,
    product_steps,
)


@compiled
def at(array, index):
    """The address of the array's element number `index`."""
    return np.int64(array.ctypes.data) + index * array.itemsize


@compiled
def copy(target, values):
    for k in range(values.size):
        target[k] = values[k]


@compiled
def copy_to_rows(target, values):
    for i in range(target.shape[0]):
        copy(target[i], values)


@apart
def feed(x, samples, listed, counts, fed, z):
    """z += x @ fed, over the columns of x that are listed for each tile of samples: in the others all is zero."""
    inputs, width = x.shape[1], z.shape[1]
    for column in range(0, width, PANEL):
        wide, panel = min(PANEL, width - column), at(fed, column * inputs)
        for row in range(0, samples, ROWS):
            tile, here, left = row // ROWS, (at(z, row * width + column), width), (at(x, row * inputs), inputs, 1)
            if counts[tile] > 0:
                columns = counts[tile], at(listed, tile * listed.shape[1])
                product_steps(x, (wide // LANES, *here, *left, panel, wide, *columns))


@compiled
def any_on(on, columns, first):
    """The samples, as bits, in which any of ROWS columns is on."""
    bits = 0
    for place in range(first, first + ROWS):
        bits |= np.int64(on[columns[place]])
    return bits


@apart
def absorb(x, on, columns, delta, fed, live):
    """fed += xᵀ @ delta, for the columns of x that are listed, and from the panel of column `live` on. Samples in which
    all columns of a tile are zero are left out."""
    inputs, width = x.shape[1], delta.shape[1]
    for column in range(live // PANEL * PANEL, width, PANEL):
        wide = min(PANEL, width - column)
        here, change = (at(fed, column * inputs), wide), (at(delta, column), width)
        for row in range(0, columns.size, ROWS):
            bits = any_on(on, columns, row)
            if bits != 0:
                product_rows(x, (wide // LANES, *here, at(x, 0), 1, inputs, *change, bits, at(columns, row)))


@apart
def catch_up(gram, start, delta, z, live):
    """z[start : start + ROWS] += gram[…, :start] @ delta[:start]: what the block's earlier samples taught the inputs"""
    width, columns = z.shape[1], gram.shape[1]
    for column in range(live, width, PANEL):
        wide, here = min(PANEL, width - column), (at(z, start * width + column), width)
        left = at(gram, start * columns), columns, 1
        product_dense(z, (wide // LANES, *here, *left, at(delta, column), width, start))


@apart
def gram_matrix(x, samples, gram, one):
    """The lower triangle of x xᵀ, plus one for the bias, an input that is always on."""
    inputs, columns = x.shape[1], gram.shape[1]
    for i in range(0, samples, DOWN):
        for j in range(0, i + DOWN, ACROSS):
            here = at(gram, i * columns + j)
            dots_tile(x, (here, columns, at(x, i * inputs), at(x, j * inputs), inputs, inputs // LANES))
    gram += one


@compiled
def tile_of(vectors):
    """How many vectors to take at once, so that tiles are of nearly the same width."""
    tiles = (vectors + MOST - 1) // MOST
    return (vectors + tiles - 1) // tiles


@apart
def add_rows(target, start, matrix, rows, scales, first, last):
    """target[start:] += Σ scales[f] · matrix[rows[f], start:], one row after the other."""
    left, width, column = (target.size - start) // LANES, matrix.shape[1], start
    while left > 0 and last > first:
        wide = tile_of(left)
        given = at(target, column), at(scales, first), at(rows, first), at(matrix, column), width, last - first
        gather_rows(matrix, (wide, *given))
        left, column = left - wide, column + wide * LANES


@apart
def add_anchored_rows(target, start, matrix, rows, scales, first, last, anchor, inverse):
    """The same of matrix + inverse · anchor."""
    left, width, column = (target.size - start) // LANES, matrix.shape[1], start
    while left > 0 and last > first:
        wide = tile_of(left)
        given = at(target, column), at(scales, first), at(rows, first), at(matrix, column), width, last - first
        gather_anchored_rows(matrix, (wide, *given, at(anchor, 0) - at(matrix, 0), at(inverse, 0)))
        left, column = left - wide, column + wide * LANES


@compiled
def four_rows(matrix, rows, f, start):
    """Where they begin."""
    width = matrix.shape[1]
    a, b = at(matrix, rows[f] * width + start), at(matrix, rows[f + 1] * width + start)
    return a, b, at(matrix, rows[f + 2] * width + start), at(matrix, rows[f + 3] * width + start)


@compiled
def fours(first, last):
    """Where each four begins, the last four first: what the way forward went through last is nearest in the cache."""
    return range(first + (last - first - 1) // 4 * 4, first - 1, -4)


@compiled
def teach_rows(delta, start, matrix, rows, scales, dots, first, last, sizes=None):
    """dots[f] += matrix[rows[f], start:] · delta[start:], and then the row learns; four at a time, the last four filled
    with a zero row. Where there is room for sizes, sizes[f] += Σ|matrix[rows[f], start:]| after that."""
    count = (delta.size - start) // LANES
    if count > 0:
        for f in fours(first, last):
            given = *four_rows(matrix, rows, f, start), at(dots, f), at(scales, f), at(delta, start), count
            if sizes is None:  # noqa: SIM114 (numba leaves out what follows a plain `is None`)
                collect_rows(matrix, given)
            elif sizes.size == 0:
                collect_rows(matrix, given)
            else:
                collect_sized_rows(matrix, (*given, at(sizes, f)))


@compiled
def teach_decayed_rows(delta, start, matrix, rows, scales, dots, first, last, now, anchor=None):
    """The same, but dots are those of the weights, now · matrix + anchor."""
    count = (delta.size - start) // LANES
    if count > 0:
        for f in fours(first, last):
            given = *four_rows(matrix, rows, f, start), at(dots, f), at(scales, f), at(delta, start), count, at(now, 0)
            if anchor is None:
                collect_decayed_rows(matrix, given)
            else:
                collect_anchored_rows(matrix, (*given, at(anchor, 0) - at(matrix, 0)))
