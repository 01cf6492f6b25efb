"""Settled size as a balance: births per task times how long a unit lives, beside the size that was measured."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, nan

import numpy as np

from plasticity.ground.arrays import Floats
from plasticity.results.lives.history import History, others
from plasticity.results.lives.survival import Survival, ages_at, lifetimes, survival
from plasticity.results.statistics import Interval, interval, level

CLOSE = 0.1  # of the measured size: a prediction within it agrees


@dataclass(frozen=True)
class Balance:
    predicted: Interval  # over seeds: the size over the last third of the tasks, from births and others' survival
    measured: Interval
    difference: Interval  # of each seed's, as a share of the measured
    births: float  # per task, over the last third
    life: Interval  # expected, in tasks: up to the longest age that was seen, and beyond it as the last third of ages
    seen: float  # the share of that expected life that lies within the longest age

    @property
    def long_run(self) -> float:
        """The size at which births and deaths balance, if units go on to die as they did."""
        return self.births * self.life.mean

    @property
    def verdict(self) -> str:
        if not self.difference.known:
            return "too few seeds"
        if -CLOSE <= self.difference.low and self.difference.high <= CLOSE:
            return "agrees"
        return "differs" if self.difference.low > CLOSE or self.difference.high < -CLOSE else "undecided"


def sizes(one: History) -> Floats:  # (tasks,)
    return np.array([len(ages_at(one, task)) for task in range(one.tasks)], float)


def predicted(one: History, curve: Survival) -> Floats:  # (tasks,)
    """Each unit that was born is there with the probability of its age: what deaths there really were is not used."""
    tasks = np.arange(one.tasks, dtype=float)[:, None]
    return np.where(one.born <= tasks, curve.at(one.ages(tasks)), 0).sum(axis=1)


def balance(histories: Sequence[History]) -> Balance:
    """Each seed's size is predicted from the survival of the other seeds' units, if there are others."""
    expected = [predicted(one, _survival_of_others(histories, one)) for one in histories]
    found, there = level(np.array(expected)), level(np.array([sizes(one) for one in histories]))
    curve = survival(*lifetimes(histories))
    life = _life(histories, curve)
    third = max(1, histories[0].tasks // 3)
    births = float(np.mean([(one.born >= one.tasks - third).sum() / third for one in histories]))
    seen = curve.mean_up_to_longest / life.mean if np.isfinite(life.mean) else 0.0
    difference = interval((found - there) / np.maximum(there, 1e-12))
    return Balance(interval(found), interval(there), difference, births, life, seen)


def _life(histories: Sequence[History], curve: Survival) -> Interval:
    """Of all seeds' units together; the interval is the jackknife's, from leaving out one seed at a time."""
    whole, n = expected_life(curve, histories), len(histories)
    if n < 2 or not np.isfinite(whole):
        return Interval(whole, nan, n)
    rests = [others(histories, one) for one in histories]
    without = np.array([expected_life(survival(*lifetimes(rest)), rest) for rest in rests])
    return replace(interval(n * whole - (n - 1) * without), mean=whole)


def _survival_of_others(histories: Sequence[History], one: History) -> Survival:
    return survival(*lifetimes(others(histories, one) or [one]))


def expected_life(curve: Survival, histories: Sequence[History]) -> float:
    """The area under the curve, and a tail: those that outlive the longest age die at the rate of the last third of
    ages. Without a death there, nothing says that they ever die."""
    tail = float(curve.alive[-1])
    if tail == 0:
        return curve.mean_up_to_longest
    age, dead = lifetimes(histories)
    start = curve.longest * 2 / 3
    lived, died = np.maximum(age - start, 0).sum(), (dead & (age > start)).sum()
    return curve.mean_up_to_longest + tail * float(lived / died) if died else inf
