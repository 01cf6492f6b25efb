"""Vector building blocks for compiled loops.

Addresses and strides are plain integers (strides in elements); `like` is an array that only tells the type of number.
Every sum runs in one fixed order, whatever else stands in the same matrix, so results do not depend on padding.
"""

from typing import Any

from plasticity.compiled.emit import Emit, Value, Values, primitive
from plasticity.compiled.kinds import BLOCK, LANES, ROWS

SIDE = 4  # of a square of dot products


def product_tile(wide: int) -> Any:
    """c[ROWS, wide vectors] += a[ROWS, count] @ b[count, wide vectors]; a may be read by rows or by columns."""

    def emit(e: Emit, c, c_row, a, a_row, a_step, b, b_row, count):
        cells = [e.offset(c, (row, c_row), (v, LANES)) for row in range(ROWS) for v in range(wide)]

        def step(turn: Value, sums: Values) -> Values:
            right = [e.load(e.offset(b, (turn, b_row), (v, LANES))) for v in range(wide)]
            for row in range(ROWS):
                left = e.splat(e.load_number(e.offset(a, (turn, a_step), (row, a_row))))
                for v in range(wide):
                    sums[row * wide + v] = e.fma(left, right[v], sums[row * wide + v])
            return sums

        for value, cell in zip(e.repeat(count, [e.load(cell) for cell in cells], step), cells, strict=True):
            e.store(value, cell)

    return primitive(emit)


product_3, product_2, product_1 = product_tile(3), product_tile(2), product_tile(1)


@primitive
def dots_tile(e: Emit, c, c_row, a, b, row, count):
    """c[SIDE, SIDE] = dot products of SIDE rows of a with SIDE rows of b, each count vectors long."""

    def step(turn: Value, sums: Values) -> Values:
        left, right = (
            [e.load(e.offset(side, (turn, LANES), (number, row))) for number in range(SIDE)] for side in (a, b)
        )
        return [e.fma(left[n // SIDE], right[n % SIDE], total) for n, total in enumerate(sums)]

    for n, vector in enumerate(e.repeat(count, [e.zero] * SIDE**2, step)):
        e.store(e.total(vector), e.offset(c, (n // SIDE, c_row), (n % SIDE, 1)))


@primitive
def spread_rows(e: Emit, target, scales, row0, row1, row2, row3, count):
    """target += Σ scale · row, for four rows of count vectors."""
    rows = (row0, row1, row2, row3)
    scale = [e.splat(e.load_number(e.offset(scales, (number, 1)))) for number in range(4)]

    def step(turn: Value, _: Values) -> Values:
        here = e.offset(target, (turn, LANES))
        value = e.load(here)
        for number in range(4):
            value = e.fma(scale[number], e.load(e.offset(rows[number], (turn, LANES))), value)
        e.store(value, here)
        return []

    e.repeat(count, [], step)


def collect(rows_at_once: int, teaches: bool = True) -> Any:
    """dots += row · delta, then, if it teaches, row += scale · delta, in one pass over rows of count vectors."""

    def emit(e: Emit, dots, scales, delta, rows: Values, count):
        scale = [e.splat(e.load_number(e.offset(scales, (number, 1)))) for number in range(rows_at_once * teaches)]

        def step(turn: Value, sums: Values) -> Values:
            change = e.load(e.offset(delta, (turn, LANES)))
            for number, row in enumerate(rows):
                here = e.offset(row, (turn, LANES))
                old = e.load(here)
                sums[number] = e.fma(old, change, sums[number])
                if teaches:
                    e.store(e.fma(scale[number], change, old), here)
            return sums

        for number, vector in enumerate(e.repeat(count, [e.zero] * rows_at_once, step)):
            cell = e.offset(dots, (number, 1))
            e.store(e.builder.fadd(e.load_number(cell), e.total(vector)), cell)

    if rows_at_once == 1:
        return primitive(lambda e, dots, scales, delta, row, count: emit(e, dots, scales, delta, [row], count))
    return primitive(
        lambda e, dots, scales, delta, a, b, c, d, count: emit(e, dots, scales, delta, [a, b, c, d], count)
    )


def collect_sized(rows_at_once: int) -> Any:
    """dots += row · delta, row += scale · delta, and sizes += Σ|row| of what it then is, in the same pass."""

    def emit(e: Emit, sizes, dots, scales, delta, rows: Values, count):
        scale = [e.splat(e.load_number(e.offset(scales, (number, 1)))) for number in range(rows_at_once)]

        def step(turn: Value, sums: Values) -> Values:
            change = e.load(e.offset(delta, (turn, LANES)))
            for number, row in enumerate(rows):
                here = e.offset(row, (turn, LANES))
                old = e.load(here)
                new = e.fma(scale[number], change, old)
                e.store(new, here)
                sums[number] = e.fma(old, change, sums[number])
                sums[rows_at_once + number] = e.builder.fadd(sums[rows_at_once + number], e.absolute(new))
            return sums

        for number, vector in enumerate(e.repeat(count, [e.zero] * (2 * rows_at_once), step)):
            cell = e.offset(dots if number < rows_at_once else sizes, (number % rows_at_once, 1))
            e.store(e.builder.fadd(e.load_number(cell), e.total(vector)), cell)

    if rows_at_once == 1:
        return primitive(lambda e, sizes, dots, scales, delta, row, n: emit(e, sizes, dots, scales, delta, [row], n))
    return primitive(
        lambda e, sizes, dots, scales, delta, a, b, c, d, n: emit(e, sizes, dots, scales, delta, [a, b, c, d], n)
    )


collect_row, collect_rows = collect(1), collect(4)
collect_sized_row, collect_sized_rows = collect_sized(1), collect_sized(4)
dot_row, dot_rows = collect(1, teaches=False), collect(4, teaches=False)


def activating(e: Emit, z, weight, row, factor: Any = None, anchor: Any = None) -> None:
    """One block of a cascade, unit by unit: each adds what it fires to the units after it in the block.

    With decay a unit fires its factor times z, and with an anchor weights are weight + inverse · pull.
    """
    vectors = BLOCK // LANES
    values, factors = (
        [e.load(e.offset(each, (v, LANES))) for v in range(vectors)] if each else [] for each in (z, factor)
    )
    pull, inverse = anchor or (None, None)
    for unit in range(BLOCK):
        fires = e.relu(e.splat_lane(values[unit // LANES], unit % LANES))
        if factors:
            fires = e.builder.fmul(fires, e.splat_lane(factors[unit // LANES], unit % LANES))
        for v in range(vectors):
            here = e.load(e.offset(weight, (unit, row), (v, LANES)))
            if anchor:
                here = e.fma(inverse, e.load(e.offset(pull, (unit, row), (v, LANES))), here)
            values[v] = e.fma(fires, here, values[v])
    for v in range(vectors):
        e.store(values[v], e.offset(z, (v, LANES)))


@primitive
def activate_block(e: Emit, z, weight, row):
    activating(e, z, weight, row)


@primitive
def activate_decayed(e: Emit, z, factor, weight, row):
    activating(e, z, weight, row, factor)


@primitive
def activate_anchored(e: Emit, z, factor, weight, row, pull, inverse):
    activating(e, z, weight, row, factor, (pull, e.splat(e.load_number(inverse))))
