"""How the contestants' chosen settings do on fresh seeds: accuracy, cost, and how far they are from one another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from plasticity.ground.arrays import Floats
from plasticity.results.field.collect import CHOSEN, SIZES, classes
from plasticity.results.field.entries import ANY, ELASTIC, MATCHED, SCRATCH, Choice, Class, chosen_for
from plasticity.results.statistics import Interval, interval, late_change, level


@dataclass(frozen=True)
class Evaluated:
    """A contestant's chosen setting on fresh seeds."""

    choice: Choice
    where: Class
    seeds: tuple[int, ...]
    series: Mapping[str, Floats]  # accuracy and sizes: (seeds, tasks)

    @property
    def accuracy(self) -> Floats:  # (seeds,)
        """Over all tasks."""
        return self.series["accuracy"].mean(axis=1)

    @property
    def late(self) -> Floats:  # (seeds,)
        """Over the last third of the tasks."""
        return level(self.series["accuracy"])

    @property
    def change(self) -> Floats:  # (seeds,)
        """The last third of the tasks minus the third before."""
        return late_change(self.series["accuracy"])

    def size(self, name: str) -> Floats:  # (seeds,)
        return level(self.series[name])


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    evaluated: Evaluated
    accuracy: Interval  # all tasks
    late: Interval  # the last third
    change: Interval  # the last third minus the third before, paired by seed
    ahead_of_elastic: Interval  # its accuracy over all tasks minus AEN's, paired by seed
    ahead_late: Interval  # the same over the last third
    gap_to_scratch: Interval  # its accuracy over the last third minus that of a fresh network, paired by seed
    sizes: Mapping[str, float]  # over the last third
    over_elastic: Mapping[str, float]  # those over AEN's
    best: Mapping[str, bool]  # by size: no other contestant is at least as accurate with less of it

    @property
    def contestant(self) -> str:
        return self.evaluated.choice.contestant

    @property
    def is_matched(self) -> bool:
        """Or it has a size of its own, as whatever grows has."""
        return MATCHED in self.evaluated.choice.line


def evaluated(chosen: Sequence[Choice], frame: pd.DataFrame) -> list[Evaluated]:
    """Those choices that have runs of fresh seeds, in each class in which they meet others."""
    if not len(frame):
        return []
    found, parts = [], dict(list(frame.groupby(list(CHOSEN), sort=False, observed=True)))
    for where in (one for one in classes(frame) if one.match != ANY):
        for choice in chosen_for(chosen, where):
            for match in (where.match, ANY):
                place = where.dataset, where.N, where.growth, match, where.regime
                part = parts.get((*place, choice.contestant, choice.step_size, choice.setting))
                found += [] if part is None else [_evaluated(choice, where, part)]
    return found


def _evaluated(choice: Choice, where: Class, part: pd.DataFrame) -> Evaluated:
    wide = {name: part.pivot_table(index="seed", columns="task", values=name) for name in ("accuracy", *SIZES)}
    seeds = tuple(map(int, wide["accuracy"].index))
    return Evaluated(choice, where, seeds, {name: table.to_numpy(np.float64) for name, table in wide.items()})


def groups(found: Sequence[Evaluated]) -> dict[Class, list[Evaluated]]:
    """Those that meet."""
    together: dict[Class, list[Evaluated]] = {}
    for one in found:
        together.setdefault(one.where, []).append(one)
    return together


def rows(together: Sequence[Evaluated]) -> list[Row]:
    """Of those that meet, the most accurate first."""
    by_name = {one.choice.contestant: one for one in together}
    elastic, scratch = by_name.get(ELASTIC), by_name.get(SCRATCH)
    fronts = {size: pareto([(one.size(size).mean(), one.accuracy.mean()) for one in together]) for size in SIZES}
    found = []
    for place, one in enumerate(together):
        sizes = {size: float(one.size(size).mean()) for size in SIZES}
        over = {size: sizes[size] / float(elastic.size(size).mean()) for size in SIZES} if elastic else {}
        best = {size: place in front for size, front in fronts.items()}
        own = interval(one.accuracy), interval(one.late), interval(one.change)
        ahead = paired(one, elastic, "accuracy"), paired(one, elastic, "late")
        found.append(Row(one, *own, *ahead, paired(one, scratch, "late"), sizes, over, best))
    return sorted(found, key=lambda row: -row.accuracy.mean)


def paired(one: Evaluated | None, other: Evaluated | None, what: str) -> Interval:
    """The mean difference over the seeds that both have."""
    if one is None or other is None:
        return Interval(np.nan, np.nan, 0)
    left, right = (dict(zip(each.seeds, getattr(each, what), strict=True)) for each in (one, other))
    return interval(np.array([left[seed] - right[seed] for seed in left if seed in right]))


def pareto(points: Sequence[tuple[float, float]]) -> set[int]:
    """The places of those (cost, worth) that no other one beats: none is as good or better at less or equal cost."""
    front, best = set(), -np.inf
    for place in sorted(range(len(points)), key=lambda place: (points[place][0], -points[place][1])):
        if points[place][1] > best:
            front.add(place)
            best = points[place][1]
    return front


def gap_over_tasks(one: Evaluated, scratch: Evaluated) -> Floats:  # (seeds that both have, tasks)
    """Plasticity as the field has it: accuracy minus that of a fresh network on the same task."""
    seeds = [seed for seed in one.seeds if seed in scratch.seeds]
    picked = ([each.seeds.index(seed) for seed in seeds] for each in (one, scratch))
    mine, fresh = (each.series["accuracy"][rows] for each, rows in zip((one, scratch), picked, strict=True))
    return mine - fresh
