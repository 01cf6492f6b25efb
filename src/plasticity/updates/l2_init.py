"""L2 regularisation towards where weights began (Kumar, Marklund and Van Roy, 2023)."""

from dataclasses import dataclass
from typing import Any

from plasticity.updates.update import BIRTH, Linear, kept_share, positive


@dataclass(frozen=True)
class L2Init:
    """w ← w − step_size·(gradient + decay·(w − w at birth)), biases too. Its authors' code has decay/2·|…|² as the
    penalty, as here; their paper writes decay·|…|²."""

    step_size: float
    decay: float
    memory = (BIRTH,)
    work = 5  # SGD's, and a difference that is scaled and added

    def __post_init__(self) -> None:
        positive(step_size=self.step_size)
        kept_share(self.step_size, self.decay)

    def __call__(self, weight: Any, gradient: Any, birth: Any) -> tuple[Any, ...]:
        return -self.step_size * (gradient + self.decay * (weight - birth)), birth

    @property
    def linear(self) -> Linear:
        return Linear(self.step_size, kept_share(self.step_size, self.decay), BIRTH)
