"""Shrink and perturb (after Ash and Adams, 2020): weights shrink, and noise is added to them."""

from dataclasses import dataclass
from math import inf

from plasticity.ground.errors import Mistake
from plasticity.ground.limits import number
from plasticity.networks import Network
from plasticity.networks.network import NOISE
from plasticity.rules.rule import TASK, AtTaskStart, Change, Moment


@dataclass(frozen=True)
class ShrinkPerturb(AtTaskStart):
    """w ← scale·w + noise·(a fresh initial draw), biases shrinking alone; or, with kind=gaussian, w ← scale·w +
    N(0, noise²), biases too. When a task begins, except the first, or after every `every` samples of each task.

    What others call by this name differs in all of that; conf/method/shrink_perturb.yaml has their settings. Segments
    end where it acts: with every=1 the compiled engine is exact too, but has one step at a time to do.
    """

    scale: float
    noise: float
    every: int | str = TASK
    kind: str = "draw"

    def __post_init__(self) -> None:
        number("scale", self.scale, 0, 1)
        number("noise", self.noise, 0, inf)
        super().__post_init__()
        if self.kind not in NOISE:
            raise Mistake(f"kind={self.kind} is not known; choose {' or '.join(NOISE)}")

    def __call__(self, network: Network, now: Moment) -> Change:
        return Change() if now.begins else Change(scale=self.scale, noise=self.noise, kind=self.kind)
