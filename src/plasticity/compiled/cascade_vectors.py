"""Vector building blocks for the blocks of a cascade, whose units wait for one another; addresses as in `vectors`."""

from typing import Any

from plasticity.compiled.emit import INDEX, Emit, Value, Values, primitive
from plasticity.compiled.kinds import BLOCK, LANES
from plasticity.compiled.vectors import weight_of


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
        for v in range(vectors):
            here = e.load(e.offset(weight, (unit, row), (v, LANES)))
            if anchor:
                here = e.fma(inverse, e.load(e.offset(pull, (unit, row), (v, LANES))), here)
            if factors:  # which waits for nobody, unlike what fires
                here = e.builder.fmul(here, e.splat_lane(factors[unit // LANES], unit % LANES))
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


def settle(sized: bool = False, decayed: bool = False, anchored: bool = False) -> Any:
    """What comes back to the firing units of a block of a cascade from within it, the last unit first.

    Each adds weights · delta to its dot, its row learns, and if its lane is at least `live` the dot is its own delta,
    which the units before it hear of. `delta` and rows begin at the block's first lane; else as in `collect`.
    """

    def emit(e: Emit, units, count, begin, live, delta, rows, row, dots, scales, *more: Value) -> None:
        vectors = range(BLOCK // LANES)
        places = [e.offset(delta, (v, LANES)) for v in vectors]
        now, further = e.splat(e.load_number(more[0])) if decayed else None, more[1] if anchored else None

        def step(turn: Value, changes: Values) -> Values:
            f = e.builder.sub(e.builder.sub(count, turn), INDEX(1))
            unit = e.load_index(e.builder.add(units, e.builder.mul(f, INDEX(8))))
            scale, total, size = e.splat(e.load_number(e.offset(scales, (f, 1)))), e.zero, e.zero
            for v, change in zip(vectors, changes, strict=True):
                here = e.offset(rows, (unit, row), (v, LANES))
                old = e.load(here)
                new = e.fma(scale, change, old)
                e.store(new, here)
                total = e.fma(weight_of(e, old, here, now, further), change, total)
                size = e.builder.fadd(size, e.absolute(new)) if sized else size
            if sized:
                e.add_totals([size], e.offset(more[0], (f, 1)))
            dot = e.builder.fadd(e.load_number(e.offset(dots, (f, 1))), e.total(total))
            lane = e.builder.sub(unit, begin)
            frozen = e.builder.icmp_signed("<", lane, live)
            return e.put(changes, e.builder.select(frozen, INDEX(-1), lane), e.flushed(dot))

        for value, place in zip(e.repeat(count, [e.load(each) for each in places], step), places, strict=True):
            e.store(value, place)

    return primitive(emit)


settle_block, settle_sized_block = settle(), settle(sized=True)
settle_decayed_block, settle_anchored_block = settle(decayed=True), settle(decayed=True, anchored=True)
