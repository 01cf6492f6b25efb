"""What an update is: how a weight moves, given its gradient."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from plasticity.ground.errors import Mistake
from plasticity.networks.network import BIRTH as BIRTH


@dataclass(frozen=True)
class Linear:
    """w ← keep·w + (1 − keep)·anchor − step·gradient, the same for every weight and step: then blocks stay exact."""

    step: float
    keep: float = 1.0
    anchor: str | None = None  # the per-weight memory that weights are drawn to; None: zero


class Update(Protocol):
    @property
    def memory(self) -> tuple[str, ...]:
        """Per-weight arrays it needs, "birth" being the weights at birth; () for SGD."""
        ...

    @property
    def work(self) -> int:
        """Operations per weight that it changes, with what the weight's gradient takes; see networks/work.py."""
        ...

    # (weight, gradient, *memory) → by how much the weight moves, and each memory after the step; elementwise, on torch
    # tensors.
    __call__: Callable[..., tuple[Any, ...]]

    @property
    def linear(self) -> Linear | None:
        """The same in numbers, if it is of that form: what a compiled engine needs."""
        ...


def positive(**values: float) -> None:
    for name, value in values.items():
        if isinstance(value, bool) or not (isinstance(value, int | float) and 0 < value < float("inf")):
            raise Mistake(f"{name}={value} is not possible; {name} must be positive")


def shares(**values: float) -> None:
    for name, value in values.items():
        if isinstance(value, bool) or not (isinstance(value, int | float) and 0 <= value < 1):
            raise Mistake(f"update.{name}={value} is not possible; it must be at least 0 and below 1")


def kept_share(step_size: float, decay: float) -> float:
    """Of a weight after a step that decays it."""
    if not (isinstance(decay, int | float) and not isinstance(decay, bool) and 0 <= decay * step_size < 1):
        raise Mistake(
            f"update.decay={decay} is not possible; it must be 0 or more, and below 1/step_size = {1 / step_size:g}"
        )
    return 1 - step_size * decay
