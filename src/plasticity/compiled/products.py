"""Products of padded matrices, tile by tile, and of a few rows at a time.

All widths are multiples of kinds.BLOCK. `fed`, the input weights, is cut into panels of kinds.PANEL columns, each
contiguous, so that they stream through the cache.
"""

import numpy as np

from plasticity.compiled.cache import apart, compiled
from plasticity.compiled.kinds import LANES, PANEL, ROWS
from plasticity.compiled.vectors import (
    SIDE,
    collect_rows,
    collect_sized_rows,
    dot_rows,
    dots_tile,
    product_1,
    product_2,
    product_3,
    spread_rows,
)


@compiled
def at(array, index):
    """The address of the array's element number `index`."""
    return np.int64(array.ctypes.data) + index * array.itemsize


@apart
def tile(like, wide, c, c_row, a, a_row, a_step, b, b_row, count):
    if wide == 3:
        product_3(like, (c, c_row, a, a_row, a_step, b, b_row, count))
    elif wide == 2:
        product_2(like, (c, c_row, a, a_row, a_step, b, b_row, count))
    else:
        product_1(like, (c, c_row, a, a_row, a_step, b, b_row, count))


@apart
def feed(x, samples, fed, z):
    """z += x @ fed"""
    inputs, width = x.shape[1], z.shape[1]
    for column in range(0, width, PANEL):
        wide, panel = min(PANEL, width - column), at(fed, column * inputs)
        for row in range(0, samples, ROWS):
            here = at(z, row * width + column)
            tile(x, wide // LANES, here, width, at(x, row * inputs), inputs, 1, panel, wide, inputs)


@apart
def absorb(x, samples, delta, fed, live):
    """fed += xᵀ @ delta, from the panel of column `live` on"""
    inputs, width = x.shape[1], delta.shape[1]
    for column in range(live // PANEL * PANEL, width, PANEL):
        wide, change = min(PANEL, width - column), at(delta, column)
        for row in range(0, inputs, ROWS):
            here = at(fed, column * inputs + row * wide)
            tile(x, wide // LANES, here, wide, at(x, row), 1, inputs, change, width, samples)


@apart
def catch_up(gram, start, delta, z, live):
    """z[start : start + ROWS] += gram[…, :start] @ delta[:start]: what the block's earlier samples taught the inputs"""
    width, columns = z.shape[1], gram.shape[1]
    for column in range(live, width, PANEL):
        wide, here = min(PANEL, width - column), at(z, start * width + column)
        tile(
            z,
            wide // LANES,
            here,
            width,
            at(gram, start * columns),
            columns,
            1,
            at(delta, column),
            width,
            start,
        )


@apart
def gram_matrix(x, samples, gram, one):
    """The lower triangle of x xᵀ, plus one for the bias, an input that is always on."""
    inputs, columns = x.shape[1], gram.shape[1]
    for i in range(0, samples, SIDE):
        for j in range(0, i + SIDE, SIDE):
            here = at(gram, i * columns + j)
            dots_tile(x, (here, columns, at(x, i * inputs), at(x, j * inputs), inputs, inputs // LANES))
    gram += one


@compiled
def add_rows(target, start, matrix, rows, scales, first, last):
    """target[start:] += Σ scales[f] · matrix[rows[f], start:]; four at a time, the last four filled with a zero row."""
    count, width = (target.size - start) // LANES, matrix.shape[1]
    if count > 0:
        for f in range(first, last, 4):
            a, b = at(matrix, rows[f] * width + start), at(matrix, rows[f + 1] * width + start)
            c, d = at(matrix, rows[f + 2] * width + start), at(matrix, rows[f + 3] * width + start)
            spread_rows(matrix, (at(target, start), at(scales, f), a, b, c, d, count))


@compiled
def teach_rows(delta, start, matrix, rows, scales, dots, first, last, sizes=None):
    """dots[f] += matrix[rows[f], start:] · delta[start:], and then the row learns; four at a time, as above. Where
    there is room for sizes, sizes[f] += Σ|matrix[rows[f], start:]| after that."""
    count, width = (delta.size - start) // LANES, matrix.shape[1]
    if count > 0:
        for f in range(first, last, 4):
            a, b = at(matrix, rows[f] * width + start), at(matrix, rows[f + 1] * width + start)
            c, d = at(matrix, rows[f + 2] * width + start), at(matrix, rows[f + 3] * width + start)
            if sizes is None:  # noqa: SIM114 (numba leaves out what follows a plain `is None`)
                collect_rows(matrix, (at(dots, f), at(scales, f), at(delta, start), a, b, c, d, count))
            elif sizes.size == 0:
                collect_rows(matrix, (at(dots, f), at(scales, f), at(delta, start), a, b, c, d, count))
            else:
                here = at(sizes, f), at(dots, f), at(scales, f), at(delta, start)
                collect_sized_rows(matrix, (*here, a, b, c, d, count))


@compiled
def look_rows(delta, start, matrix, rows, dots, first, last):
    """dots[f] += matrix[rows[f], start:] · delta[start:], and nothing learns; four at a time, as above."""
    count, width = (delta.size - start) // LANES, matrix.shape[1]
    if count > 0:
        for f in range(first, last, 4):
            a, b = at(matrix, rows[f] * width + start), at(matrix, rows[f + 1] * width + start)
            c, d = at(matrix, rows[f + 2] * width + start), at(matrix, rows[f + 3] * width + start)
            dot_rows(matrix, (at(dots, f), at(dots, f), at(delta, start), a, b, c, d, count))


@compiled
def fill(rows, scales, last, zero_row):
    """Behind the last entry, so that rows can be taken four at a time."""
    for f in range(last, last + 3):
        rows[f], scales[f] = zero_row, 0


@compiled
def firing(z, begin, end, rows, scales, count):
    """Appends the units that fire, and how strongly."""
    for unit in range(begin, end):
        rows[count], scales[count] = unit, z[unit]
        count += z[unit] > 0
    return count


@compiled
def units_of(rows, mirrored):
    """How many units feed so many rows: mirrored, each has two."""
    return rows if mirrored is None else rows // 2


@compiled
def firing_mirrored(z, units, rows, scales):
    """Each unit feeds one row: its own if z > 0, the one `units` further on if z < 0. Which ones, and how strongly."""
    count = 0
    for unit in range(units):
        rows[count], scales[count] = unit + units * (z[unit] < 0), abs(z[unit])
        count += z[unit] != 0
    return count
