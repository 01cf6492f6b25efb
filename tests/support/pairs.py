"""Runs compiled code and its twin on copies of the same arguments, and compares every array and what they return."""

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np
import pytest

from plasticity.compiled.cache import Inlined

PRECISION = {np.float32: 1e-5, np.float64: 1e-12}
# Runs learn in the first; each is compiled by itself.
NUMBERS = [np.float32, pytest.param(np.float64, marks=pytest.mark.thorough)]


def both(compiled: Callable[..., Any], twin: Callable[..., Any], *arguments: Any) -> tuple[list[Any], list[Any]]:
    """The arguments after each, with what it returned at the end."""
    one, other = copy.deepcopy(arguments), copy.deepcopy(arguments)
    return [*one, from_python(compiled)(*one)], [*other, twin(*other)]


@cache
def from_python(compiled: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself, or, where compiled code alone may call it, a compiled caller of it."""
    options: dict[str, Any] = {"_nrt": False}  # as theirs
    return numba.njit(**options)(lambda *given: compiled(*given)) if isinstance(compiled, Inlined) else compiled


def agree(compiled: Callable[..., Any], twin: Callable[..., Any], *arguments: Any, number: type) -> None:
    one, other = both(compiled, twin, *arguments)
    for left, right in zip(flat(one), flat(other), strict=True):
        close(left, right, number)


def close(left: Any, right: Any, number: type) -> None:
    """To rounding: relative to the largest number of the array, as sums cancel."""
    largest = float(np.max(np.abs(right), initial=0))
    np.testing.assert_allclose(left, right, rtol=PRECISION[number], atol=PRECISION[number] * largest)


def flat(values: Any) -> list[Any]:
    if isinstance(values, list | tuple):
        return [leaf for value in values for leaf in flat(value)]
    return [np.asarray(0 if values is None else values)]


def normal(seed: int, number: type, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(number)
