"""When a unit is added."""

from dataclasses import dataclass
from typing import Protocol

from plasticity.arrays import Bools
from plasticity.networks import Network

# How many new units a task brings: the K the paper used for its two sizes of data set, and the share of N otherwise.
PAPER_K = {10_000: {"one": 6500, "two": 4000, "three": 3000}, 40_000: {"one": 24000, "three": 12000}}
SHARE = {"one": 0.65, "two": 0.4, "three": 0.3}


def paper_K(N: int, growth: str) -> int:
    return PAPER_K.get(N, {}).get(growth) or max(1, round(N * SHARE[growth]))


class Grow(Protocol):
    """Asked after samples K, 2K, … < N of a task how many units to add."""

    @property
    def K(self) -> int | None: ...  # None: never asked

    def __call__(self, network: Network, correct: Bools) -> int: ...  # correct: the task's predictions so far


@dataclass(frozen=True)
class Every:
    """One unit every K samples (the paper's rule)."""

    K: int | None

    def __call__(self, network: Network, correct: Bools) -> int:
        return 1


@dataclass(frozen=True)
class Never:
    K: int | None = None

    def __call__(self, network: Network, correct: Bools) -> int:
        return 0


def segments(N: int, K: int | None) -> list[slice]:
    """The stretches between two growths; structure never changes inside one."""
    starts = range(0, N, K or N)
    return [slice(start, min(start + starts.step, N)) for start in starts]
