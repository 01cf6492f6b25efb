"""Do units die sooner as a run goes on? Deaths in each third of its tasks, beside those that units' ages would give."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from plasticity.ground.arrays import Floats, Indices
from plasticity.results.lives.history import History, others
from plasticity.results.lives.survival import deaths_by_age, doubling
from plasticity.results.statistics import Interval, interval

THIRDS = ("first", "middle", "last")


def thirds(histories: Sequence[History]) -> list[Interval]:
    """Over seeds: deaths over those expected, if the other seeds' units die at the same ages in all of their run. If
    units die by their age alone it is 1 in every third."""
    edges = doubling(histories[0].tasks)
    return [interval(np.array(each)) for each in zip(*(_of(one, histories, edges) for one in histories), strict=True)]


def _of(one: History, histories: Sequence[History], edges: Floats) -> list[float]:
    rest = others(histories, one) or [one]
    died, lived = (
        np.sum(each, axis=0) for each in zip(*(by_age(other, edges, 0, other.tasks) for other in rest), strict=True)
    )
    rate = np.divide(died, lived, out=np.zeros(lived.shape), where=lived > 0)
    times = np.linspace(0, one.tasks, len(THIRDS) + 1)
    return [_ratio(*by_age(one, edges, begin, end), rate) for begin, end in pairwise(times)]


def _ratio(died: Indices, lived: Floats, rate: Floats) -> float:
    expected = (lived * rate).sum()
    return float(died.sum() / expected) if expected else np.nan


def by_age(one: History, edges: Floats, begin: float, end: float) -> tuple[Indices, Floats]:
    """Between two times, for each bin of ages: the deaths, and how many tasks all units together lived."""
    youngest = np.maximum(one.ages(begin), 0)
    oldest = np.maximum(one.ages(np.fmin(one.died, end)), youngest)
    lived = (np.clip(oldest[:, None], edges[:-1], edges[1:]) - np.clip(youngest[:, None], edges[:-1], edges[1:])).sum(0)
    gone = (begin <= one.died) & (one.died < end)
    return deaths_by_age(one.ages(one.died)[gone], edges), lived
