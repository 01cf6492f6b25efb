"""A stream that takes its time: runs last for some seconds on any machine, and leave it to others meanwhile."""

from dataclasses import dataclass
from time import sleep

from plasticity.streams import Permuted, Samples


@dataclass(frozen=True)
class Slow(Permuted):
    def samples(self, task: int) -> Samples:
        sleep(0.02)
        return super().samples(task)
