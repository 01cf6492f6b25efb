"""Emits LLVM code on vectors: what LLVM would not make of plain numba."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from plasticity.compiled.kinds import LANES

INDEX = ir.IntType(64)
Value = Any  # llvmlite's values, which it does not type
Values = list[Value]
TINY = 1e-30  # below it a delta counts as zero: denormal numbers would slow every product they enter


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
        return self._same(number, self.vector)

    def _same(self, number: Value, vector: ir.VectorType) -> Value:
        first = self.builder.insert_element(ir.Constant(vector, ir.Undefined), number, _lane(0))
        return self._pick(first, ir.Constant(vector, ir.Undefined), [0] * LANES)

    def splat_lane(self, vector: Value, lane: int) -> Value:
        return self._pick(vector, ir.Constant(self.vector, ir.Undefined), [lane] * LANES)

    def fma(self, a: Value, b: Value, c: Value) -> Value:
        """Rounded once where the CPU can; elsewhere it would be a call for each number."""
        return self.builder.call(self._intrinsic("fmuladd", self.vector, [self.vector] * 3), [a, b, c])

    def relu(self, a: Value) -> Value:
        return self.builder.select(self.builder.fcmp_ordered(">", a, self.zero), a, self.zero)

    def absolute(self, a: Value) -> Value:
        return self.builder.call(self._intrinsic("fabs", self.vector, [self.vector]), [a])

    def total(self, vector: Value) -> Value:
        add = self._intrinsic("vector.reduce.fadd", self.number, [self.number, self.vector])
        return self.builder.call(add, [ir.Constant(self.number, 0.0), vector], fastmath=("reassoc",))

    def totals(self, vectors: Values) -> Value:
        """Of four vectors at once: each half is added to the other, then the quarters, as in `total`."""
        share = LANES  # of a vector, that belongs to one sum
        while len(vectors) > 1 or share > 1:
            share, pairs = share // 2, [*zip(vectors[::2], vectors[1::2] or vectors, strict=True)]
            low = [2 * share * place + lane for place in range(min(4, LANES // share)) for lane in range(share)]
            halves = [[self._pick(*pair, [lane + add for lane in low]) for add in (0, share)] for pair in pairs]
            vectors = [self.builder.fadd(*both) for both in halves]
        return vectors[0]

    def _pick(self, a: Value, b: Value, lanes: list[int]) -> Value:
        """Of the lanes of a, followed by those of b."""
        numbers = ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), lanes)
        return self.builder.shuffle_vector(a, b, numbers)

    def add_totals(self, vectors: Values, address: Value) -> None:
        """Of one vector, or of four, to as many numbers in memory."""
        sums = self.totals(vectors) if len(vectors) > 1 else self.total(vectors[0])
        before = self.builder.load(self.builder.inttoptr(address, sums.type.as_pointer()), align=self.size)
        self.store(self.builder.fadd(before, sums), address)

    def flushed(self, number: Value) -> Value:
        """Zero where it is not above TINY in size."""
        size = self.builder.call(self._intrinsic("fabs", self.number, [self.number], f"f{8 * self.size}"), [number])
        above = self.builder.fcmp_ordered(">=", size, ir.Constant(self.number, self._least))
        return self.builder.select(above, number, self.builder.fmul(number, ir.Constant(self.number, 0.0)))

    @property
    def _least(self) -> float:
        """The smallest number above TINY."""
        kind = np.float32 if self.size == 4 else np.float64
        return float(kind(TINY) if kind(TINY) > TINY else np.nextafter(kind(TINY), kind(1)))

    def put(self, vectors: Values, lane: Value, number: Value) -> Values:
        """The vectors, side by side, with a number at a lane; nowhere if there is no such lane."""
        lanes, changed = ir.VectorType(ir.IntType(32), LANES), []
        wanted = self._same(self.builder.trunc(lane, ir.IntType(32)), lanes)
        for place, vector in enumerate(vectors):
            own = ir.Constant(lanes, [place * LANES + number for number in range(LANES)])
            changed.append(self.builder.select(self.builder.icmp_signed("==", own, wanted), self.splat(number), vector))
        return changed

    def prefetch(self, address: Value) -> None:
        """Into the second cache."""
        pointer, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        known = self.builder.module.globals.get("llvm.prefetch.p0")
        kind = ir.FunctionType(ir.VoidType(), [pointer, word, word, word])
        function = known or ir.Function(self.builder.module, kind, "llvm.prefetch.p0")
        self.builder.call(function, [self.builder.inttoptr(address, pointer), word(0), word(2), word(1)])

    def load_index(self, address: Value) -> Value:
        return self.builder.load(self.builder.inttoptr(address, INDEX.as_pointer()))

    @property
    def zero(self) -> ir.Constant:
        return ir.Constant(self.vector, [0.0] * LANES)

    def _intrinsic(self, name: str, result: ir.Type, arguments: list[ir.Type], of: str = "") -> ir.Function:
        name = f"llvm.{name}.{of or f'v{LANES}f{8 * self.size}'}"
        known = self.builder.module.globals.get(name)
        return known or ir.Function(self.builder.module, ir.FunctionType(result, arguments), name)

    def choose(self, number: Value, options: Iterable[int], emit: Callable[[int], None]) -> None:
        """What is emitted for the option that a number is."""
        builder, after = self.builder, self.builder.append_basic_block("chosen")
        switch = builder.switch(number, after)
        for option in options:
            switch.add_case(_constant(option), block := builder.append_basic_block(f"option{option}"))
            builder.position_at_end(block)
            emit(option)
            builder.branch(after)
        builder.position_at_end(after)

    def repeat(self, count: Value, starts: Values, step: Callable[[Value, Values], Values]) -> Values:
        """A loop that runs at least once, with values carried in registers from turn to turn."""
        add = partial(self.builder.add, _constant(1))
        return self._loop(_constant(0), starts, step, add, lambda turn: self.builder.icmp_signed("<", turn, count))

    def each_one(self, bits: Value, starts: Values, step: Callable[[Value, Values], Values]) -> Values:
        """Likewise, for the place of each one among the bits of a number, which has some, from the lowest on."""

        def place_of(left: Value, carried: Values) -> Values:
            lowest = self._intrinsic("cttz", INDEX, [INDEX, ir.IntType(1)], "i64")
            return step(self.builder.call(lowest, [left, ir.IntType(1)(1)]), carried)

        def without_lowest(left: Value) -> Value:
            return self.builder.and_(left, self.builder.sub(left, _constant(1)))

        return self._loop(bits, starts, place_of, without_lowest, partial(self.builder.icmp_signed, "!=", _constant(0)))

    def _loop(
        self,
        first: Value,
        starts: Values,
        step: Callable[[Value, Values], Values],
        advance: Callable[[Value], Value],
        goes_on: Callable[[Value], Value],
    ) -> Values:
        builder, before = self.builder, self.builder.block
        body, after = builder.append_basic_block("body"), builder.append_basic_block("after")
        builder.branch(body)
        builder.position_at_end(body)
        turn = builder.phi(INDEX)
        carried = [builder.phi(start.type) for start in starts]
        results = step(turn, list(carried))
        following = advance(turn)
        for phi, start, result in zip([turn, *carried], [first, *starts], [following, *results], strict=True):
            phi.add_incoming(start, before)
            phi.add_incoming(result, builder.block)
        builder.cbranch(goes_on(following), body, after)
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
