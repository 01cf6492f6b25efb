"""Vector building blocks for compiled loops: what LLVM would not make of plain numba, written as vector code.

Addresses and strides are plain integers (strides in elements); `like` is an array that only tells the type of number.
Every sum runs in one fixed order, whatever else stands in the same matrix, so results do not depend on padding.
"""

from collections.abc import Callable
from typing import Any

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

AVX512 = bool(llvmlite.binding.get_host_cpu_features().get("avx512f"))
BLOCK = 16  # everything is padded to this many numbers: one AVX-512 register of float32
LANES = 16 if AVX512 else 8
# A tile of the product, ROWS × WIDE vectors, stays in registers: 24 of AVX-512's 32, 12 of AVX2's 16.
ROWS = 8 if AVX512 else 4
WIDE = 3
PANEL = WIDE * LANES  # columns of a tile
INDEX = ir.IntType(64)
Value = Any  # llvmlite's values, which it does not type
Values = list[Value]


class Emit:
    """An LLVM builder that knows the type of number."""

    def __init__(self, builder: ir.IRBuilder, like: types.Array):
        self.builder = builder
        self.number, self.size = (ir.FloatType(), 4) if like.dtype == types.float32 else (ir.DoubleType(), 8)
        self.vector = ir.VectorType(self.number, LANES)

    def offset(self, address: Value, *terms: tuple[Value | int, Value | int]) -> Value:
        """The address of an element: terms are index × stride, in elements."""
        for index, stride in terms:
            step = self.builder.mul(_constant(index), self.builder.mul(_constant(stride), _constant(self.size)))
            address = self.builder.add(address, step)
        return address

    def load(self, address: Value) -> Value:
        return self.builder.load(self.builder.inttoptr(address, self.vector.as_pointer()), align=self.size)

    def store(self, value: Value, address: Value) -> None:
        self.builder.store(value, self.builder.inttoptr(address, value.type.as_pointer()), align=self.size)

    def load_number(self, address: Value) -> Value:
        return self.builder.load(self.builder.inttoptr(address, self.number.as_pointer()), align=self.size)

    def splat(self, number: Value) -> Value:
        first = self.builder.insert_element(ir.Constant(self.vector, ir.Undefined), number, _lane(0))
        return self.splat_lane(first, 0)

    def splat_lane(self, vector: Value, lane: int) -> Value:
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [lane] * LANES)
        return self.builder.shuffle_vector(vector, ir.Constant(self.vector, ir.Undefined), lanes)

    def fma(self, a: Value, b: Value, c: Value) -> Value:
        return self.builder.call(self._intrinsic("fma", self.vector, [self.vector] * 3), [a, b, c])

    def relu(self, a: Value) -> Value:
        return self.builder.select(self.builder.fcmp_ordered(">", a, self.zero), a, self.zero)

    def total(self, vector: Value) -> Value:
        add = self._intrinsic("vector.reduce.fadd", self.number, [self.number, self.vector])
        return self.builder.call(add, [ir.Constant(self.number, 0.0), vector], fastmath=("reassoc",))

    @property
    def zero(self) -> ir.Constant:
        return ir.Constant(self.vector, [0.0] * LANES)

    def _intrinsic(self, name: str, result: ir.Type, arguments: list[ir.Type]) -> ir.Function:
        name = f"llvm.{name}.v{LANES}f{8 * self.size}"
        known = self.builder.module.globals.get(name)
        return known or ir.Function(self.builder.module, ir.FunctionType(result, arguments), name)

    def repeat(self, count: Value, starts: Values, step: Callable[[Value, Values], Values]) -> Values:
        """A loop that runs at least once, with values carried in registers from turn to turn."""
        builder, before = self.builder, self.builder.block
        body, after = builder.append_basic_block("body"), builder.append_basic_block("after")
        builder.branch(body)
        builder.position_at_end(body)
        turn = builder.phi(INDEX)
        carried = [builder.phi(start.type) for start in starts]
        results = step(turn, list(carried))
        following = builder.add(turn, _constant(1))
        for phi, start, result in zip([turn, *carried], [_constant(0), *starts], [following, *results], strict=True):
            phi.add_incoming(start, before)
            phi.add_incoming(result, builder.block)
        builder.cbranch(builder.icmp_signed("<", following, count), body, after)
        builder.position_at_end(after)
        return results


def _constant(value: Value | int) -> Value:
    return ir.Constant(INDEX, value) if isinstance(value, int) else value


def _lane(index: int) -> ir.Constant:
    return ir.Constant(ir.IntType(32), index)


def primitive(emit: Callable[..., None]) -> Any:
    """Makes a numba function `f(like, (integer, …))` of a function that emits its code."""

    def typed(typing_context, like, numbers):
        def generate(context, builder, signature, values):
            emit(Emit(builder, like), *cgutils.unpack_tuple(builder, values[1]))
            return context.get_dummy_value()

        return types.void(like, numbers), generate

    return intrinsic(typed)


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

SIDE = 4


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


def collect(rows_at_once: int) -> Any:
    """dots += row · delta, then row += scale · delta, in one pass over rows of count vectors."""

    def emit(e: Emit, dots, scales, delta, rows: Values, count):
        scale = [e.splat(e.load_number(e.offset(scales, (number, 1)))) for number in range(rows_at_once)]

        def step(turn: Value, sums: Values) -> Values:
            change = e.load(e.offset(delta, (turn, LANES)))
            for number, row in enumerate(rows):
                here = e.offset(row, (turn, LANES))
                old = e.load(here)
                sums[number] = e.fma(old, change, sums[number])
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


collect_row, collect_rows = collect(1), collect(4)


@primitive
def settle(e: Emit, z, weight, row):
    """One block of a cascade, unit by unit: each adds what it fires to the units after it in the block."""
    vectors = BLOCK // LANES
    values = [e.load(e.offset(z, (v, LANES))) for v in range(vectors)]
    for unit in range(BLOCK):
        fires = e.relu(e.splat_lane(values[unit // LANES], unit % LANES))
        for v in range(vectors):
            values[v] = e.fma(fires, e.load(e.offset(weight, (unit, row), (v, LANES))), values[v])
    for v in range(vectors):
        e.store(values[v], e.offset(z, (v, LANES)))
