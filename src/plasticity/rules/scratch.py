"""A fresh network in every task: the yardstick of plasticity."""

from dataclasses import dataclass

from plasticity.networks import Network
from plasticity.rules.rule import TASK, AtTaskStart, Change, Moment


@dataclass(frozen=True)
class Scratch(AtTaskStart):
    """Everything is drawn anew when a task begins, except the first, or after every `every` samples; grown units go:
    nothing is kept."""

    every: int | str = TASK
    why = "redrawn"

    def __call__(self, network: Network, now: Moment) -> Change:
        return Change(redraw="" if now.begins else "all")
