"""Stochastic gradient descent, the paper's update."""

from dataclasses import dataclass
from typing import Any

from plasticity.updates.update import Linear, positive


@dataclass(frozen=True)
class SGD:
    step_size: float
    memory = ()
    work = 2  # the change, a product of what comes in and what goes back, and its addition

    def __post_init__(self) -> None:
        positive(step_size=self.step_size)

    def __call__(self, weight: Any, gradient: Any) -> tuple[Any, ...]:
        return (-self.step_size * gradient,)

    @property
    def linear(self) -> Linear:
        return Linear(self.step_size)
