"""A fresh output layer in every task."""

from dataclasses import dataclass

from plasticity.networks import Network
from plasticity.rules.rule import AtTaskStart, Change, Moment


@dataclass(frozen=True)
class HeadReset(AtTaskStart):
    """The weights to the outputs are drawn anew when a task begins, except the first; hidden units stay as they are."""

    def __call__(self, network: Network, now: Moment) -> Change:
        return Change(redraw="outputs" if now.task else "")
