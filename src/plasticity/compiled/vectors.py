"""Vector building blocks for compiled loops.

Addresses and strides are plain integers (strides in elements); `like` is an array that only tells the type of number.
Every sum runs in one fixed order, whatever else stands in the same matrix, so results do not depend on padding.
"""

from typing import Any

from plasticity.compiled.emit import INDEX, Emit, Value, Values, primitive
from plasticity.compiled.kinds import LANES, LINE, ROWS, WIDE

ACROSS, DOWN = 4, ROWS // 2  # of a tile of dot products, few enough for their sums to stay in registers
MOST = 8  # vectors of a sum that stays in registers


def product(listed: str = "") -> Any:
    """c[ROWS, wide vectors] += a[ROWS, count] @ b[count, wide vectors]; a may be read by rows or by columns.

    With `listed` the numbers of its steps, or of its rows, are those at `places`: zeros are left out. For rows, the
    bits of count say which steps there are: in the others all of these rows are zero.
    """

    def emit(e: Emit, wide, c, c_row, a, a_row, a_step, b, b_row, count, places=None):
        def listing(number: Any) -> Value:
            return e.load_index(e.builder.add(places, e.builder.mul(number, INDEX(8))))

        rows = [listing(INDEX(row)) if listed == "rows" else row for row in range(ROWS)]

        def tile(wide: int) -> None:
            cells = [e.offset(c, (row, c_row), (v, LANES)) for row in rows for v in range(wide)]

            def step(turn: Value, sums: Values) -> Values:
                at = listing(turn) if listed == "steps" else turn
                right = [e.load(e.offset(b, (at, b_row), (v, LANES))) for v in range(wide)]
                for place, row in enumerate(rows):
                    left = e.splat(e.load_number(e.offset(a, (at, a_step), (row, a_row))))
                    for cell in range(place * wide, place * wide + wide):
                        sums[cell] = e.fma(left, right[cell % wide], sums[cell])
                return sums

            loop = e.each_one if listed == "rows" else e.repeat
            for value, cell in zip(loop(count, [e.load(cell) for cell in cells], step), cells, strict=True):
                e.store(value, cell)

        e.choose(wide, range(1, WIDE + 1), tile)

    return primitive(emit)


product_dense, product_steps, product_rows = product(), product("steps"), product("rows")


@primitive
def dots_tile(e: Emit, c, c_row, a, b, row, count):
    """c[DOWN, ACROSS] = dot products of DOWN rows of a with ACROSS rows of b, each count vectors long."""

    def step(turn: Value, sums: Values) -> Values:
        left, right = (
            [e.load(e.offset(side, (turn, LANES), (number, row))) for number in range(rows)]
            for side, rows in ((a, DOWN), (b, ACROSS))
        )
        return [e.fma(left[n // ACROSS], right[n % ACROSS], total) for n, total in enumerate(sums)]

    sums = e.repeat(count, [e.zero] * (DOWN * ACROSS), step)
    for number in range(DOWN):
        e.store(e.totals(sums[number * ACROSS : (number + 1) * ACROSS]), e.offset(c, (number, c_row)))


def gather(anchored: bool) -> Any:
    """target[wide vectors] += Σ scale · row, over count rows of a matrix, one after the other.

    Anchored, what is added is scale · (row + inverse · pull), with the pull so many bytes `further` on.
    """

    def emit(e: Emit, wide, target, scales, numbers, matrix, row, count, further=None, inverse=None):
        times = e.splat(e.load_number(inverse)) if anchored else None

        def tile(wide: int) -> None:
            cells = [e.offset(target, (v, LANES)) for v in range(wide)]

            def step(turn: Value, sums: Values) -> Values:
                number = e.load_index(e.builder.add(numbers, e.builder.mul(turn, INDEX(8))))
                scale = e.splat(e.load_number(e.offset(scales, (turn, 1))))
                here = [e.offset(matrix, (number, row), (v, LANES)) for v in range(wide)]
                values = [e.load(place) for place in here]
                if anchored:
                    values = [
                        e.fma(times, e.load(e.builder.add(place, further)), value)
                        for place, value in zip(here, values, strict=True)
                    ]
                return [e.fma(scale, value, total) for value, total in zip(values, sums, strict=True)]

            for value, cell in zip(e.repeat(count, [e.load(cell) for cell in cells], step), cells, strict=True):
                e.store(value, cell)

        e.choose(wide, range(1, MOST + 1), tile)

    return primitive(emit)


gather_rows, gather_anchored_rows = gather(False), gather(True)


def weight_of(e: Emit, stored: Value, place: Value, now: Value | None, further: Value | None) -> Value:
    """Of a vector of stored weights: themselves, or `now` times them, or that and the pull so many bytes further on."""
    if now is None:
        return stored
    if further is None:
        return e.builder.fmul(now, stored)
    return e.fma(now, stored, e.load(e.builder.add(place, further)))


def collect(sized: bool = False, decayed: bool = False, anchored: bool = False) -> Any:
    """dots += weights · delta, then row += scale · delta, in one pass over four rows of count vectors.

    Sized, sizes += Σ|row| of what it then is. Decayed, weights are now · row, and anchored, too, now · row + pull, with
    the pull so many bytes `further` on.
    """

    def emit(e: Emit, *given: Value) -> None:
        rows, (dots, scales, delta, count, *more) = given[:4], given[4:]
        scale = [e.splat(e.load_number(e.offset(scales, (number, 1)))) for number in range(4)]
        now, further = e.splat(e.load_number(more[0])) if decayed else None, more[1] if anchored else None

        def step(turn: Value, sums: Values) -> Values:
            change = e.load(e.offset(delta, (turn, LANES)))
            for number, row in enumerate(rows):
                here = e.offset(row, (turn, LANES))
                old = e.load(here)
                new = e.fma(scale[number], change, old)
                e.store(new, here)
                sums[number] = e.fma(weight_of(e, old, here, now, further), change, sums[number])
                if sized:
                    sums[4 + number] = e.builder.fadd(sums[4 + number], e.absolute(new))
            return sums

        sums = e.repeat(count, [e.zero] * (4 + 4 * sized), step)
        e.add_totals(sums[:4], dots)
        if sized:
            e.add_totals(sums[4:], more[0])

    return primitive(emit)


collect_rows, collect_sized_rows = collect(), collect(sized=True)
collect_decayed_rows, collect_anchored_rows = collect(decayed=True), collect(decayed=True, anchored=True)


@primitive
def fetch(e: Emit, address, lines):
    """Asks for so many cache lines ahead of their use."""

    def step(turn: Value, _: Values) -> Values:
        e.prefetch(e.builder.add(address, e.builder.mul(turn, INDEX(LINE))))
        return []

    e.repeat(lines, [], step)
