"""What a panel shows: lines with their intervals, smoothed where raw ones could not be told apart, and its axis."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from plasticity.ground.arrays import Floats
from plasticity.results.figures import Figure
from plasticity.results.measures import measure
from plasticity.results.statistics import bands, smooth

LIGHT, WIDEST = 40, 25  # a light smoothing is over one task in 40, and over at most 25
SEEN, NEAR = 0.01, 6.0  # noise of a hundredth of the axis can be seen; lines within six times their noise are near
STRAY = 0.01  # share of the values at either end that may lie outside of the axis,
STRETCH = 2.0  # if they would stretch it to more than twice its length,
MIDDLE = (
    0.1  # and if the values between these shares differ: of a line that is 0 but for a few tasks, those are the news
)
ROOM = 0.05  # of the axis, left free at either end


@dataclass(frozen=True)
class Line:
    """Of one curve, in the unit that is shown."""

    mean: Floats  # (tasks,)
    low: Floats  # (tasks,), nan where there is no interval
    high: Floats
    raw: Floats | None  # (tasks,), before smoothing


def lines(figure: Figure, panel: str, width: int | None) -> list[Line]:
    """One per curve. `width`: tasks of the moving mean, 1 for none; None: a few where it is needed."""
    width = light(figure, panel) if width is None else width
    return [_line(panel, curve.series(panel), width) for curve in figure.curves]


def _line(panel: str, series: Floats, width: int) -> Line:
    """The interval is that of the smoothed mean: every seed is smoothed, and then they are compared."""
    shown = measure(panel)
    band = bands(smooth(series, width))
    least, most = -np.inf if shown.least is None else shown.least, np.inf if shown.most is None else shown.most
    low, high = np.maximum(band.mean - band.half, least), np.minimum(band.mean + band.half, most)  # no share above 1
    raw = bands(series).mean * shown.scale if width > 1 else None
    return Line(band.mean * shown.scale, low * shown.scale, high * shown.scale, raw)


def light(figure: Figure, panel: str) -> int:
    """How many tasks to smooth over if nobody says it: 1 where lines can be told apart."""
    means = [bands(curve.series(panel)).mean for curve in figure.curves]
    if measure(panel).size or not tangled(means):
        return 1
    tasks = max(map(len, means))
    return min(WIDEST, max(3, tasks // LIGHT | 1))


def tangled(means: Sequence[Floats]) -> bool:
    """Are there two lines that lie nearer to each other than their noise, which can be seen?"""
    there = [mean[np.isfinite(mean)] for mean in means]
    there = [mean for mean in there if len(mean) > 2]
    if len(there) < 2:
        return False
    whole = np.ptp(np.concatenate([mean[len(mean) // 10 :] for mean in there]))  # without the rise of the first tasks
    found = sorted((float(mean[len(mean) // 2 :].mean()), _noise(mean)) for mean in there)
    return any(
        upper - lower < NEAR * max(noise, other) and max(noise, other) > SEEN * whole
        for (lower, noise), (upper, other) in pairwise(found)
    )


def _noise(mean: Floats) -> float:
    """From task to task, whatever the course."""
    return float(np.median(np.abs(np.diff(mean)))) / (0.6745 * np.sqrt(2))


def limits(shown: Iterable[Line]) -> tuple[float, float, int]:
    """The axis's ends, and how many values of means lie outside: a few that stray do not stretch it."""
    found = list(shown)
    means = np.concatenate([line.mean for line in found])
    means = means[np.isfinite(means)]
    every = np.concatenate([means, *(side[np.isfinite(side)] for line in found for side in (line.low, line.high))])
    if not len(every):
        return 0.0, 1.0, 0
    low, first, last, high = np.quantile(every, [STRAY, MIDDLE, 1 - MIDDLE, 1 - STRAY])
    if np.ptp(every) <= STRETCH * (high - low) or first == last:
        low, high = every.min(), every.max()
    if low == high == 0:  # at the foot of an axis to 1, in the unit that is shown
        return -ROOM, 1.0, 0
    room = ROOM * (high - low) or 0.5 * abs(high)  # of a line that is flat
    outside = int(((means < low - room) | (means > high + room)).sum())
    return float(low - room), float(high + room), outside
