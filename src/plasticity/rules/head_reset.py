"""A fresh output layer in every task."""

from dataclasses import dataclass

from plasticity.networks import Network
from plasticity.rules.rule import TASK, AtTaskStart, Change, Moment


@dataclass(frozen=True)
class HeadReset(AtTaskStart):
    """The weights to the outputs are drawn anew when a task begins, except the first, or after every `every` samples;
    hidden units stay as they are."""

    every: int | str = TASK

    def __call__(self, network: Network, now: Moment) -> Change:
        return Change(redraw="" if now.begins else "outputs")
