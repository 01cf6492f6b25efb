"""A fresh network in every task: the yardstick of plasticity."""

from dataclasses import dataclass

from plasticity.networks import Network
from plasticity.rules.rule import AtTaskStart, Change, Moment


@dataclass(frozen=True)
class Scratch(AtTaskStart):
    """Everything is drawn anew when a task begins, except the first, and grown units go: nothing is kept."""

    def __call__(self, network: Network, now: Moment) -> Change:
        return Change(redraw="all" if now.task else "")
