"""Every number of a picture: a quantity of each curve, where it lies, and whether it has settled."""

from dataclasses import dataclass

from plasticity.results.curves import Curve
from plasticity.results.statistics import Interval
from plasticity.results.sweeps.quantities import Quantity
from plasticity.results.sweeps.sweep import Line, Sweep


@dataclass(frozen=True)
class Point:
    line: Line
    column: str
    at: int  # the place of the setting's value among all
    curve: Curve
    value: Interval  # as it is shown
    trend: str  # of a size: settled, rising, falling or undecided


def points(sweep: Sweep, shown: Quantity) -> list[Point]:
    """Column by column, line by line."""
    return [
        Point(
            line,
            column,
            at,
            curve,
            shown.interval(curve, sweep.beside(line, (column, value))),
            shown.trend(curve),
        )
        for column in sweep.columns
        for line in sweep.lines
        for at, value in enumerate(sweep.values)
        if (curve := line.curves.get((column, value)))
    ]
