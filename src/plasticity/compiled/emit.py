"""Emits LLVM code on vectors: what LLVM would not make of plain numba."""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from plasticity.compiled.kinds import LANES

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

    def absolute(self, a: Value) -> Value:
        return self.builder.call(self._intrinsic("fabs", self.vector, [self.vector]), [a])

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
