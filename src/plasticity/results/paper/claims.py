"""A verdict on each of the paper's statements: what was measured, over how many seeds, and what it says."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import nan, sqrt
from typing import Protocol

import numpy as np

from plasticity.ground.arrays import Floats
from plasticity.results.curves import Curve
from plasticity.results.statistics import ENOUGH, Interval, interval, quantile, settled


class Verdict(StrEnum):
    SUPPORTED = "supported"
    AGAINST = "not supported"
    OPEN = "not enough runs"


class Expectation(Protocol):
    @property
    def words(self) -> str: ...

    def __call__(self, found: Interval) -> Verdict: ...  # of an interval that is known


@dataclass(frozen=True)
class Statistic:
    """One number per seed."""

    words: str
    of: Callable[[Curve], Floats]  # (seeds,)
    scale: float = 100.0
    unit: str = " points"
    sign: str = "+"  # shown with positive numbers


@dataclass(frozen=True)
class Part:
    """A statistic of one curve or a weighted sum over several; with `per`, as a share of another sum. In a claim across
    cells each curve is named with its own, as `aen one @mnist/40000`."""

    statistic: Statistic
    curves: tuple[str, ...]
    expect: Expectation
    weights: tuple[float, ...] = (1.0,)
    per: tuple[float, ...] = ()
    words: str = ""  # what is compared, where several curves are


@dataclass(frozen=True)
class Claim:
    says: str
    parts: tuple[Part, ...]
    enough: Callable[[Iterable[bool]], bool] = all  # any: one of the parts will do
    datasets: tuple[str, ...] = ("mnist", "fmnist")
    sizes: tuple[int, ...] = ()  # the N it speaks of; none: every N
    across: bool = False  # compares cells: it is judged once, for all of them


@dataclass(frozen=True)
class Finding:
    part: Part
    found: Interval
    verdict: Verdict
    missing: tuple[str, ...]  # curves without runs
    paired: bool


@dataclass(frozen=True)
class Judgement:
    claim: Claim
    dataset: str
    N: int
    verdict: Verdict
    findings: tuple[Finding, ...]

    @property
    def begun(self) -> bool:
        """Are there runs that speak to some part of it?"""
        return not all(finding.missing for finding in self.findings)


def judge(claim: Claim, dataset: str, N: int, curves: Mapping[str, Curve]) -> Judgement:
    """`curves`: those of this data set and N, or those of all, by the names that claims use."""
    findings = tuple(_find(part, curves) for part in claim.parts)
    return Judgement(claim, dataset, N, _together(claim, findings), findings)


def _together(claim: Claim, findings: Sequence[Finding]) -> Verdict:
    verdicts = [finding.verdict for finding in findings]
    if claim.enough(verdict is Verdict.SUPPORTED for verdict in verdicts):
        return Verdict.SUPPORTED
    if not claim.enough(verdict is not Verdict.AGAINST for verdict in verdicts):
        return Verdict.AGAINST
    return Verdict.OPEN


def _find(part: Part, curves: Mapping[str, Curve]) -> Finding:
    missing = tuple(name for name in part.curves if name not in curves)
    if missing:
        return Finding(part, interval(np.zeros(0)), Verdict.OPEN, missing, paired=False)
    there = [curves[name] for name in part.curves]
    tasks = min(curve.tasks for curve in there)
    values = [dict(zip(curve.seeds, part.statistic.of(curve.cut(tasks)), strict=True)) for curve in there]
    shared = sorted(set(values[0]).intersection(*values[1:]))
    paired = len(shared) >= ENOUGH
    found = _paired(part, values, shared) if paired or len(there) == 1 else _unpaired(part, values)
    return Finding(part, found, part.expect(found) if found.known else Verdict.OPEN, (), paired)


def _paired(part: Part, values: Sequence[Mapping[int, float]], seeds: Sequence[int]) -> Interval:
    table = np.array([[one[seed] for seed in seeds] for one in values])  # (curves, seeds)
    total = np.asarray(part.weights) @ table
    if part.per:
        # One divisor for all seeds: a ratio of each seed's own would be far from normal.
        total = total / _divisor(part, np.nanmean(table, axis=1))
    return interval(total)


def _unpaired(part: Part, values: Sequence[Mapping[int, float]]) -> Interval:
    """Welch's interval, where two sides share too few seeds."""
    ones = [interval(np.array(list(one.values()))) for one in values]
    n = min(one.n for one in ones)
    if n < ENOUGH:
        return Interval(nan, nan, n)
    weights, means = np.asarray(part.weights), np.array([one.mean for one in ones])
    sizes = np.array([one.n for one in ones])
    variances = (weights * [one.half / quantile(one.n - 1) for one in ones]) ** 2
    scale = _divisor(part, means) if part.per else 1.0
    if variances.sum() == 0:
        return Interval(float(weights @ means / scale), 0.0, n)
    freedom = variances.sum() ** 2 / (variances**2 / (sizes - 1)).sum()
    half = float(quantile(freedom)) * sqrt(variances.sum())
    return Interval(float(weights @ means / scale), float(half / scale), n)


def _divisor(part: Part, means: Floats) -> float:
    """nan where there is nothing to be a share of."""
    return abs(float(np.asarray(part.per) @ means)) or nan


@dataclass(frozen=True)
class Above:
    bound: float
    words: str

    def __call__(self, found: Interval) -> Verdict:
        return _side(found.low > self.bound, found.high < self.bound)


@dataclass(frozen=True)
class Below:
    bound: float
    words: str

    def __call__(self, found: Interval) -> Verdict:
        return _side(found.high < self.bound, found.low > self.bound)


@dataclass(frozen=True)
class Near:
    margin: float
    words: str

    def __call__(self, found: Interval) -> Verdict:
        return _side(*_in_and_out(found, self.margin))


@dataclass(frozen=True)
class Far:
    margin: float
    words: str

    def __call__(self, found: Interval) -> Verdict:
        inside, outside = _in_and_out(found, self.margin)
        return _side(outside, inside)


def _in_and_out(found: Interval, margin: float) -> tuple[bool, bool]:
    """Is the whole interval within the margin, or wholly beyond it?"""
    return max(abs(found.low), abs(found.high)) < margin, found.low > margin or found.high < -margin


@dataclass(frozen=True)
class Settles:
    words: str

    def __call__(self, found: Interval) -> Verdict:
        state = settled(found)
        return _side(state == "settled", state in ("rising", "falling"))


def _side(supported: bool, against: bool) -> Verdict:
    """An interval that reaches across the bound says that more seeds are needed."""
    return Verdict.SUPPORTED if supported else Verdict.AGAINST if against else Verdict.OPEN
