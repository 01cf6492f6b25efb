"""Growth at chosen points of a task."""

from collections.abc import Sequence
from dataclasses import dataclass

from plasticity.ground.errors import Mistake
from plasticity.ground.limits import number
from plasticity.networks import Network
from plasticity.rules.rule import Change, Moment, Untraced


@dataclass(frozen=True)
class At(Untraced):
    """One unit at each of these shares of a task's samples: at 0 before the first, at 1 after the last. A share that is
    given twice adds two."""

    at: Sequence[float]
    resizes = True

    def __post_init__(self) -> None:
        if isinstance(self.at, str) or not isinstance(self.at, Sequence) or not self.at:
            raise Mistake(f"at={self.at} is not possible; it must be a list of shares of a task, as [0.1, 0.5]")
        for share in self.at:
            number("at", share, 0, 1)

    @property
    def needs_boundaries(self) -> bool:
        return True

    def due(self, network: Network, sample: int, N: int) -> int | None:
        return min((moment for moment in self._moments(N) if moment >= sample), default=None)

    def __call__(self, network: Network, now: Moment) -> Change:
        return Change(add=self._moments(len(now.samples)).count(now.sample))

    def _moments(self, N: int) -> list[int]:
        return [round(share * N) for share in self.at]
