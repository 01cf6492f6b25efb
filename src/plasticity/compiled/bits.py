"""Bits of an int64: how many are set, and which is the first and the last."""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

DEFINED = ir.Constant(ir.IntType(1), 1)  # nobody asks which bit of zero is set


def bitwise(emit: Callable[[ir.IRBuilder, Any], Any]) -> Any:
    """Makes a numba function of a function that emits its code."""

    def typed(typing_context, number):
        def generate(context, builder, signature, values):
            return emit(builder, values[0])

        return types.int64(types.int64), generate

    return intrinsic(typed)


@bitwise
def count_ones(builder, number):
    return builder.ctpop(number)


@bitwise
def first_one(builder, number):
    return builder.cttz(number, DEFINED)


@bitwise
def last_one(builder, number):
    return builder.sub(ir.Constant(number.type, 63), builder.ctlz(number, DEFINED))
