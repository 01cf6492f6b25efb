"""What a run wrote down about its units: when each was born and died, and how it did."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from pathlib import Path

import numpy as np

from plasticity.ground.arrays import Floats, Indices
from plasticity.ground.errors import Mistake
from plasticity.lives import LOOKS, Lives, Page
from plasticity.runs.folder import LIVES, Folder
from plasticity.runs.identity import What

Time = tuple[int, int]  # the task, and the samples of it learned before
DIGITS = 9  # of an age in tasks: far fewer samples in a task than that tells apart, and far more than rounding spoils


@dataclass(frozen=True)
class Life:
    unit: int  # its serial number
    born: Time
    died: Time | None = None  # None: it lives
    why: str | None = None  # the rule's word for it


@dataclass(frozen=True)
class Glance:
    """All units there are when a task begins, before rules act."""

    task: int
    units: Indices  # serial numbers, in the network's order
    looks: dict[str, Floats]  # name → (units,)


@dataclass(frozen=True)
class History:
    what: What  # the run's identity
    tasks: int  # that were written down
    lives: tuple[Life, ...]  # by serial number
    glances: tuple[Glance, ...]  # by task

    @property
    def N(self) -> int:
        return int(self.what["N"])

    def up_to(self, tasks: int) -> "History":
        """As if it had ended after so many tasks."""
        lived = [life for life in self.lives if life.born[0] < tasks]
        lived = [life if life.died and life.died[0] < tasks else replace(life, died=None, why=None) for life in lived]
        return replace(self, tasks=tasks, lives=tuple(lived), glances=self.glances[:tasks])

    def when(self, time: Time) -> float:
        """In tasks from the start of the run."""
        return time[0] + time[1] / self.N

    @cached_property
    def born(self) -> Floats:  # (lives,) in tasks from the start of the run
        return np.array([self.when(life.born) for life in self.lives])

    @cached_property
    def died(self) -> Floats:  # (lives,) nan: it lives
        return np.array([nan if life.died is None else self.when(life.died) for life in self.lives])

    def ages(self, when: float | Floats) -> Floats:  # (…, lives) in tasks
        """Rounded, so that whoever reaches an age at another time reaches the same number: a survival curve is looked
        up at the very ages at which it steps."""
        return np.round(when - self.born, DIGITS)


def others(histories: Sequence[History], one: History) -> list[History]:
    """All but this one."""
    return [other for other in histories if other is not one]


def history(folder: str | Path) -> History:
    found = Folder(Path(folder))
    if not (pages := found.pages):
        raise Mistake(f"{folder} has no {LIVES}: an earlier version ran it, or lives=false; force=true runs it again")
    return History(found.what, len(pages), _lives(pages), tuple(_glances(pages)))


def _lives(pages: list[Page]) -> tuple[Life, ...]:
    lives: dict[int, Life] = {}
    for page in pages:
        for sample, died, why, born in page.events:
            if died is not None:
                lives[died] = replace(lives[died], died=(page.task, sample), why=why)
            if born is not None:
                lives[born] = Life(born, (page.task, sample))
    return tuple(lives.values())


def _glances(pages: list[Page]) -> Iterator[Glance]:
    lives = Lives()
    for page in pages:
        there = len(page.looks[LOOKS[0]])
        units = np.array(lives.units if page.task else range(there), np.int64)
        # A unit's mean output times the sum of its outgoing weights: the contribution utility of continual backprop.
        looks = {**page.looks, "utility": page.looks["activity"] * page.looks["outgoing"]}
        yield Glance(page.task, units, looks)
        lives.repeat(page)
