"""The lives of units: which was born and which died, when and why, and how each did when a task began."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from plasticity.ground.arrays import Floats

if TYPE_CHECKING:  # whoever reads what was written down needs nothing of what computes
    from plasticity.networks import Network
    from plasticity.rules import Change, Rule
    from plasticity.streams import Samples


class Event(NamedTuple):
    """A unit's birth, its death, or both: a unit that is renewed dies, and another is born in its place."""

    sample: int  # samples of the task learned before
    died: int | None  # serial numbers
    why: str | None  # it died
    born: int | None


@dataclass(frozen=True)
class Page:
    """What one task yields."""

    task: int
    # Of each unit that there is when the task begins, before rules act, in the network's order: the share of the
    # samples looked at on which it fires, its mean output, and sums of its absolute incoming and outgoing weights.
    looks: Mapping[str, Floats]  # name → (units,)
    events: list[Event] = field(default_factory=list)  # in the order in which they happened


LOOKS = ("fired", "activity", "incoming", "outgoing")


class Lives:
    """Follows a network's units by their serial numbers, 0, 1, … in the order of birth."""

    def __init__(self) -> None:
        self.units: list[int] = []  # serial numbers, in the network's order
        self.born = 0
        self.page = Page(-1, {})  # of the task that is being learned, or of the last one

    def look(self, task: int, network: "Network", samples: "Samples") -> Floats:  # (n, units)
        """Begins the task's page; gives what units give on these samples, which the learner looks at anyway."""
        incoming, outgoing = network.sizes  # first: to look at units, a network may be laid out
        hidden = network.hidden(samples)
        share = np.full(len(samples), 1 / len(samples), hidden.dtype)
        fired, activity = share @ (hidden > 0).astype(hidden.dtype), share @ hidden  # 10 × as fast as a mean by columns
        self.page = Page(task, dict(zip(LOOKS, (fired, activity, incoming, outgoing), strict=True)))
        for _ in range(network.units if task == 0 else 0):  # those that a network of fixed size begins with
            self._bear(0)
        return hidden

    def follow(self, sample: int, name: str, rule: "Rule", change: "Change", fixed_size: bool) -> None:
        """What was done to units for a rule, which has this name in model.rules."""
        why = getattr(rule, "why", name)
        everyone = range(len(self.units)) if change.redraw == "all" else ()
        for place in (*(everyone if fixed_size else ()), *change.renew):
            self._renew(int(place), sample, why)
        for place in sorted((*(() if fixed_size else everyone), *change.drop), reverse=True):
            self._drop(int(place), sample, why)
        for _ in range(change.add):
            self._bear(sample)

    def repeat(self, page: Page) -> None:
        """Goes through a task that was written down."""
        self.page = Page(page.task, page.looks)
        for sample, died, why, born in page.events:
            if died is None:
                self._bear(sample)
            elif born is None:
                self._drop(self.units.index(died), sample, why)
            else:
                self._renew(self.units.index(died), sample, why)

    def _bear(self, sample: int) -> None:
        self.units.append(self.born)
        self._note(Event(sample, None, None, self.born))

    def _drop(self, place: int, sample: int, why: str | None) -> None:
        self._note(Event(sample, self.units.pop(place), why, None))

    def _renew(self, place: int, sample: int, why: str | None) -> None:
        died, self.units[place] = self.units[place], self.born
        self._note(Event(sample, died, why, self.born))

    def _note(self, event: Event) -> None:
        self.page.events.append(event)
        self.born += event.born is not None
