"""What is drawn against a setting: each seed of a curve in one number, as the claims and the table have them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, nan
from typing import NamedTuple

import numpy as np

from plasticity.ground.arrays import Floats
from plasticity.results import measures, statistics
from plasticity.results.curves import Curve
from plasticity.results.statistics import Interval, interval, settling


class Beside(NamedTuple):
    """What a curve is compared with, in the same tasks."""

    fresh: Curve | None  # a network that is drawn anew in every task
    usual: Curve | None  # the same network with the swept setting at its default


Values = Callable[[Curve, Beside], Floats]  # (seeds,)


@dataclass(frozen=True)
class Quantity:
    name: str
    title: str
    over: str  # of which tasks it is; {window}: see runs/summary.py
    values: Values = field(compare=False)
    scale: float = 1.0  # what is computed times this is what is shown
    form: str = ".1f"
    least: float = -inf  # no value is below it, as shown
    most: float = inf
    change: bool = False  # 0 means that nothing changed
    size: str = ""  # the measure, where it is a size that settles or does not

    def interval(self, curve: Curve, beside: Beside) -> Interval:
        """As it is shown."""
        found = interval(self.values(curve, beside))
        return Interval(found.mean * self.scale, found.half * self.scale, found.n)

    def trend(self, curve: Curve) -> str:
        """settled, rising, falling or undecided; nothing where that is not asked."""
        return settling(curve.series(self.size)).trend if self.size else ""


def changing(curve: Curve, size: str) -> bool:
    return bool(np.ptp(curve.series(size)) > 0)


def _ahead(curve: Curve, other: Curve | None, over: Callable[[Floats], Floats]) -> Floats:
    """In accuracy, seed by seed, over the seeds that both have."""
    if other is None:
        return np.array([nan])
    own, its = (dict(zip(one.seeds, over(one.series("accuracy")), strict=True)) for one in (curve, other))
    return np.array([own[seed] - its[seed] for seed in own if seed in its])


def _in_points(name: str, title: str, over: str, values: Values) -> Quantity:
    """A difference of accuracies."""
    return Quantity(name, f"{title} (points)", over, values, 100.0, "+.2f", change=True)


END, THIRD = "last {window} tasks", "last third of the tasks"
CHANGE = _in_points(
    "change_from_peak",
    "Change from peak",
    "last {window} tasks minus the best {window} in a row",
    lambda curve, _: statistics.change_from_peak(curve.series("accuracy")),
)
GAP = _in_points(
    "gap_to_scratch",
    "Gap to a fresh network",
    THIRD,
    lambda curve, beside: _ahead(curve, beside.fresh, statistics.level),
)
DIFFERENCE = _in_points(
    "difference",
    "Accuracy minus the default's",
    END,
    lambda curve, beside: _ahead(curve, beside.usual, statistics.last),
)


def of_measure(name: str) -> Quantity:
    """Sizes over the last third, where they settle; anything else over the last tasks."""
    shown = measures.measure(name)
    over = statistics.level if shown.size else statistics.last
    return Quantity(
        name,
        shown.axis,
        THIRD if shown.size else END,
        lambda curve, _: over(curve.series(name)),
        shown.scale,
        ".1f" if shown.size else ".2f",
        -inf if shown.least is None else shown.least * shown.scale,
        inf if shown.most is None else shown.most * shown.scale,
        size=name if shown.size else "",
    )


OWN = {one.name: one for one in (CHANGE, GAP, DIFFERENCE)}
DRAWN = ("accuracy", "difference", "change_from_peak", "gap_to_scratch", "dormancy", *measures.PRUNING, "units")
TABLED = (*DRAWN, "connections")


def quantity(name: str) -> Quantity:
    return OWN.get(name) or of_measure(name)
