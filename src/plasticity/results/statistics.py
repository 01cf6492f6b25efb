"""Numbers over seeds: t intervals, change from the peak, settling."""

from dataclasses import dataclass
from math import inf, isfinite, nan, sqrt

import numpy as np

from plasticity.ground.arrays import Floats
from plasticity.runs.summary import window

ENOUGH = 3  # seeds for an interval
CONFIDENCE = 0.95
BLOCKS = 8  # stretches of the last third, for the slope of a single run
# Settling, in shares of the level over the last third of the tasks: what is too small to matter, and what must be
# ruled out to say that nothing moved. A network that only grows moves by 40 %.
SMALL, LARGE = 0.05, 0.30


@dataclass(frozen=True)
class Interval:
    mean: float
    half: float  # of the 95 % interval; nan below three seeds
    n: int

    @property
    def low(self) -> float:
        return self.mean - self.half

    @property
    def high(self) -> float:
        return self.mean + self.half

    @property
    def known(self) -> bool:
        return isfinite(self.half)


@dataclass(frozen=True)
class Bands:
    """Task by task."""

    mean: Floats  # (tasks,)
    std: Floats  # (tasks,)
    half: Floats  # (tasks,)
    n: Floats  # (tasks,)


def quantile(freedom: float | Floats) -> Floats:
    from scipy.special import stdtrit  # a fifth of a second, which a command that draws nothing need not wait

    return stdtrit(freedom, (1 + CONFIDENCE) / 2)


def interval(values: Floats) -> Interval:  # (seeds,)
    finite = values[np.isfinite(values)]
    n = len(finite)
    half = float(quantile(n - 1) * finite.std(ddof=1) / sqrt(n)) if n >= ENOUGH else nan
    return Interval(float(finite.mean()) if n else nan, half, n)


def bands(series: Floats) -> Bands:  # (seeds, tasks)
    there = np.isfinite(series)
    n = there.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(there, series, 0).sum(axis=0) / n
        std = np.sqrt((np.where(there, series - mean, 0) ** 2).sum(axis=0) / np.where(n > 1, n - 1, nan))
        half = np.where(n >= ENOUGH, quantile(np.maximum(n - 1, 1)) * std / np.sqrt(n), nan)
    return Bands(mean, std, half, n)


def smooth(values: Floats, width: int) -> Floats:  # (…, tasks)
    """A moving mean, centred, over the values there are."""
    if width <= 1:
        return values
    if values.ndim > 1:
        return np.stack([smooth(row, width) for row in values])
    there = np.isfinite(values)
    kernel = np.ones(width)
    total = _same(np.where(there, values, 0), kernel)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(there, total / _same(there.astype(float), kernel), nan)


def _same(values: Floats, kernel: Floats) -> Floats:
    start = (len(kernel) - 1) // 2
    return np.convolve(values, kernel)[start : start + len(values)]


def first(series: Floats) -> Floats:  # (seeds, tasks) → (seeds,)
    return series[:, : window(series.shape[1])].mean(axis=1)


def last(series: Floats) -> Floats:
    return series[:, -window(series.shape[1]) :].mean(axis=1)


def third(series: Floats) -> Floats:  # (seeds, tasks) → (seeds, tasks / 3)
    return series[:, -max(1, series.shape[1] // 3) :]


def level(series: Floats) -> Floats:
    return third(series).mean(axis=1)


def late_change(series: Floats) -> Floats:
    """The last third minus the third before."""
    many = third(series).shape[1]
    before = series[:, -2 * many : -many] if series.shape[1] > many else series
    return level(series) - before.mean(axis=1)


def best(series: Floats) -> Floats:
    """At the window that is best on average."""
    moving = _moving(series)
    return moving[:, _top(moving)]


def change_from_peak(series: Floats) -> Floats:
    """Last minus peak, the peak being where the *other* seeds have theirs: noise has no peak to fall from."""
    moving = _moving(series)
    seeds = np.arange(len(series))
    peaks = [_top(moving[seeds != seed] if len(seeds) > 1 else moving) for seed in seeds]
    return last(series) - moving[seeds, peaks]


def peak_place(series: Floats) -> Floats:
    """Where each seed's best window lies, its middle, as a share of the tasks."""
    moving, width = _moving(series), window(series.shape[1])
    return (moving.argmax(axis=1) + (width - 1) / 2) / max(series.shape[1] - 1, 1)


def _moving(series: Floats) -> Floats:
    return np.lib.stride_tricks.sliding_window_view(series, window(series.shape[1]), axis=1).mean(axis=-1)


def _top(moving: Floats) -> int:
    mean = bands(moving).mean
    return int(np.argmax(np.where(np.isfinite(mean), mean, -inf)))


def drift(series: Floats) -> Floats:  # (seeds, tasks) → (seeds,)
    """How far the line through the last third climbs, as a share of its level."""
    part = third(series)
    steps = np.arange(part.shape[1]) - (part.shape[1] - 1) / 2
    climb = part @ steps / max((steps**2).sum(), 1) * part.shape[1]
    return climb / np.maximum(part.mean(axis=1), 1e-9)


@dataclass(frozen=True)
class Settling:
    trend: str  # settled, rising, falling, undecided
    level: Interval  # mean of the last third
    drift: Interval  # over the last third, as a share of the level


def settling(series: Floats) -> Settling:
    """Settled: the slope of the last third could be too small to matter, and is certainly not large."""
    moved = interval(drift(series)) if len(series) >= ENOUGH else _drift_of_blocks(series)
    return Settling(settled(moved), interval(level(series)), moved)


def settled(moved: Interval) -> str:
    if not moved.known:
        return "undecided"
    if moved.low > SMALL or moved.high < -SMALL:
        return "rising" if moved.low > SMALL else "falling"
    return "settled" if -LARGE < moved.low and moved.high < LARGE else "undecided"


def _drift_of_blocks(series: Floats) -> Interval:
    """For one or two runs the scatter is that of block means, since neighbouring tasks are alike."""
    part = third(bands(series).mean[None])[0]
    size = len(part) // BLOCKS
    if size < 2 or not np.isfinite(part).all():
        return Interval(float(drift(bands(series).mean[None])[0]), nan, len(series))
    means = part[-size * BLOCKS :].reshape(BLOCKS, size).mean(axis=1)
    steps = np.arange(BLOCKS) - (BLOCKS - 1) / 2
    slope = means @ steps / (steps**2).sum()
    rest = means - means.mean() - slope * steps
    error = sqrt((rest**2).sum() / (BLOCKS - 2) / (steps**2).sum())
    scale = BLOCKS / max(float(part.mean()), 1e-9)
    return Interval(slope * scale, float(quantile(BLOCKS - 2)) * error * scale, len(series))
