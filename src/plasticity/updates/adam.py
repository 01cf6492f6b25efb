"""Adam (Kingma and Ba, 2015), with torch's defaults in conf/update/adam.yaml."""

from dataclasses import dataclass
from typing import Any

from plasticity.updates.update import positive, shares


@dataclass(frozen=True)
class Adam:
    """Steps are counted weight by weight, from its birth: a new unit's first steps are corrected like any first."""

    step_size: float
    beta1: float
    beta2: float
    epsilon: float
    memory = ("first", "second", "steps")
    linear = None
    work = 20  # every +, −, ·, /, power and root below, the gradient and the addition to the weight

    def __post_init__(self) -> None:
        positive(step_size=self.step_size)
        positive(epsilon=self.epsilon)
        shares(beta1=self.beta1, beta2=self.beta2)

    def __call__(self, weight: Any, gradient: Any, first: Any, second: Any, steps: Any) -> tuple[Any, ...]:
        steps = steps + 1
        first = self.beta1 * first + (1 - self.beta1) * gradient
        second = self.beta2 * second + (1 - self.beta2) * gradient**2
        root = (second / (1 - self.beta2**steps)) ** 0.5
        return -self.step_size * first / (1 - self.beta1**steps) / (root + self.epsilon), first, second, steps
