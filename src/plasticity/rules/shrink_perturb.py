"""Shrink and perturb, once per task (after Ash and Adams, 2020)."""

from dataclasses import dataclass

from plasticity.errors import Mistake
from plasticity.networks import Network
from plasticity.rules.renewing import number
from plasticity.rules.rule import AtTaskStart, Change, Moment

VERSIONS = ("once_per_task",)


@dataclass(frozen=True)
class ShrinkPerturb(AtTaskStart):
    """When a task begins, except the first: w ← scale·w + noise·(a fresh initial draw), biases shrinking alone.

    Other versions of the name add noise at every step, of another kind in each; `version` says which one it is.
    """

    scale: float
    noise: float
    version: str

    def __post_init__(self) -> None:
        number("scale", self.scale, 0, 1)
        number("noise", self.noise, 0, float("inf"))
        if self.version not in VERSIONS:
            raise Mistake(f"version={self.version} is not known; choose {' or '.join(VERSIONS)}")

    def __call__(self, network: Network, now: Moment) -> Change:
        return Change(scale=self.scale, noise=self.noise) if now.task else Change()
