"""L2 regularisation: every step shrinks every weight a little."""

from dataclasses import dataclass
from typing import Any

from plasticity.updates.update import Linear, kept_share, positive


@dataclass(frozen=True)
class L2:
    """w ← (1 − step_size·decay)·w − step_size·gradient, biases and layer norm's gains and shifts too: the gradient of
    decay/2·|w|² beside the loss's."""

    step_size: float
    decay: float
    memory = ()
    work = 3  # SGD's, and what is kept of the weight

    def __post_init__(self) -> None:
        positive(step_size=self.step_size)
        kept_share(self.step_size, self.decay)

    def __call__(self, weight: Any, gradient: Any) -> tuple[Any, ...]:
        return (-self.step_size * (gradient + self.decay * weight),)

    @property
    def linear(self) -> Linear:
        return Linear(self.step_size, kept_share(self.step_size, self.decay))
