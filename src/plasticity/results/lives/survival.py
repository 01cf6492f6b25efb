"""How long units live: Kaplan–Meier curves, hazard by age, and ages of the living."""

from collections.abc import Sequence
from dataclasses import dataclass
from warnings import catch_warnings, simplefilter

import numpy as np

from plasticity.ground.arrays import Bools, Floats, Indices
from plasticity.results.lives.history import History
from plasticity.results.statistics import CONFIDENCE


@dataclass(frozen=True)
class Survival:
    """The share of units that live longer than an age; a step at each age at which one died."""

    age: Floats  # (steps,) in tasks, from 0
    alive: Floats  # (steps,)
    low: Floats  # (steps,) of the 95 % interval, which takes units for independent; nan where nothing is known
    high: Floats  # (steps,)
    longest: float  # the age up to which something is known
    lives: int
    deaths: int

    def at(self, age: Floats) -> Floats:
        """Beyond the longest age: as it is there."""
        return self.alive[np.searchsorted(self.age, age, side="right") - 1]

    @property
    def mean_up_to_longest(self) -> float:
        """The area under the curve: the expected life, cut off at the longest age."""
        return float((np.diff(np.append(self.age, self.longest)) * self.alive).sum())


@dataclass(frozen=True)
class Hazard:
    """Deaths per unit and task of life, by age."""

    edges: Floats  # (bins + 1,) in tasks
    rate: Floats  # (bins,)
    low: Floats  # (bins,) of the exact 95 % interval of a Poisson count
    high: Floats  # (bins,)


def lifetimes(histories: Sequence[History]) -> tuple[Floats, Bools]:
    """In tasks, of all units there were; and whether each has died, or lives on after the last task."""
    ages = [one.ages(np.where(np.isnan(one.died), one.tasks, one.died)) for one in histories]
    dead = [~np.isnan(one.died) for one in histories]
    return np.concatenate([np.zeros(0), *ages]), np.concatenate([np.zeros(0, bool), *dead])


def survival(age: Floats, dead: Bools) -> Survival:
    """Kaplan–Meier: those that live on are censored at the age that they have reached."""
    from scipy.stats import CensoredData, ecdf  # a second, which a command that draws nothing need not wait

    if not dead.any():
        one = np.ones(1)
        return Survival(np.zeros(1), one, one, one, float(age.max(initial=0)), len(age), 0)
    curve = ecdf(CensoredData(age[dead], right=age[~dead])).sf
    with catch_warnings():
        simplefilter("ignore", RuntimeWarning)  # nothing is known where none or all have died: nan says so
        band = curve.confidence_interval(CONFIDENCE, method="log-log")

    def stepped(values: Floats) -> Floats:
        return np.concatenate([[1.0], values])

    alive, low, high = stepped(curve.probabilities), stepped(band.low.probabilities), stepped(band.high.probabilities)
    return Survival(stepped(curve.quantiles) - [1, *[0] * len(curve.quantiles)], alive, low, high,
                    float(age.max()), len(age), int(dead.sum()))  # fmt: skip


def hazard(age: Floats, dead: Bools, edges: Floats) -> Hazard:
    """Of the ages that units lived through, whoever has died by now."""
    from scipy.stats import chi2

    lived = np.clip(age[:, None] - edges[:-1], 0, np.diff(edges)).sum(axis=0)
    died = deaths_by_age(age[dead], edges)
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.where(died > 0, chi2.ppf((1 - CONFIDENCE) / 2, 2 * died) / 2, 0) / lived
        high = chi2.ppf((1 + CONFIDENCE) / 2, 2 * died + 2) / 2 / lived
        return Hazard(edges, died / lived, low, high)


def deaths_by_age(age: Floats, edges: Floats) -> Indices:  # (bins,)
    """Whoever dies at the end of a bin has lived in it."""
    return np.bincount(np.maximum(np.searchsorted(edges, age) - 1, 0), minlength=len(edges) - 1)


def doubling(longest: float) -> Floats:
    """Bins of ages, each twice as wide as the one before: 0, 1, 2, 4, … tasks."""
    return np.array([0.0, *2.0 ** np.arange(max(1, int(np.ceil(np.log2(max(longest, 2))))) + 1)])


def ages_at(one: History, task: int) -> Floats:
    """Of the units there are when a task begins, after the rules that act then; in tasks."""
    there = (one.born <= task) & ~(one.died <= task)
    return one.ages(task)[there]
