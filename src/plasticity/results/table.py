"""The table: one row per curve, with its uncertainty, as csv, Markdown and for the report."""

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from math import isfinite
from typing import Any

from plasticity.results import markdown, statistics
from plasticity.results.curves import Curve
from plasticity.results.statistics import Interval, Settling, interval, settling
from plasticity.results.words import dataset, legends
from plasticity.runs.summary import WINDOW

HOW = (
    "± is half a 95 % t interval over seeds, from three seeds on. First and last are means of the first and "
    f"last {WINDOW} tasks, best is the best mean of {WINDOW} tasks in a row; the "
    "change from the peak takes a seed's peak where the other seeds have theirs, so that noise gives none. "
    "A size is the mean over the last third of the tasks. It has settled if the line through that third, "
    f"seed by seed, climbs or falls by so little that the interval of its drift reaches into ±{statistics.SMALL:.0%} "
    f"of the level and lies within ±{statistics.LARGE:.0%}; if that cannot be said, it is undecided."
)


@dataclass(frozen=True)
class Row:
    dataset: str
    N: int
    curve: str
    seeds: int
    tasks: int
    first: Interval
    best: Interval
    last: Interval
    change: Interval
    dormancy: Interval
    units: Settling
    connections: Settling
    microseconds: float  # a sample
    core_hours: float

    @staticmethod
    def of(curve: Curve, legend: str) -> "Row":
        accuracy, dormancy = curve.series("accuracy"), curve.series("dormancy")
        seconds = [trace.seconds for trace in curve.traces]
        learned = sum(trace.learned for trace in curve.traces)
        return Row(
            dataset=dataset(curve.dataset),
            N=curve.N,
            curve=legend,
            seeds=len(curve.traces),
            tasks=curve.tasks,
            first=interval(statistics.first(accuracy)),
            best=interval(statistics.best(accuracy)),
            last=interval(statistics.last(accuracy)),
            change=interval(statistics.change_from_peak(accuracy)),
            dormancy=interval(statistics.last(dormancy)),
            units=settling(curve.series("units")),
            connections=settling(curve.series("connections")),
            microseconds=1e6 * sum(seconds) / (learned * curve.N),
            core_hours=sum(seconds) / 3600,
        )


def rows(curves: Sequence[Curve], settings: Mapping[str, Any]) -> list[Row]:
    """Legends tell apart what is of one data set and N."""
    spoken: dict[str, str] = {}
    for cell in {(curve.dataset, curve.N) for curve in curves}:
        there = [curve for curve in curves if (curve.dataset, curve.N) == cell]
        whats = [curve.what for curve in there]
        spoken |= {curve.key: words for curve, words in zip(there, legends(whats, settings), strict=True)}
    return [Row.of(curve, spoken[curve.key]) for curve in curves]


@dataclass(frozen=True)
class Column:
    name: str
    value: Callable[[Row], Any]
    text: Callable[[Row], str]


def _percent(name: str, of: Callable[[Row], Interval], form: str = ".1f") -> Column:
    return Column(name, lambda row: of(row).mean, lambda row: markdown.interval(of(row), 100, form))


def _size(name: str, of: Callable[[Row], Settling], form: str) -> Column:
    def text(row: Row) -> str:
        size = markdown.interval(of(row).level, 1, form)
        return size if of(row).trend == "settled" else f"{size} ({of(row).trend})"

    return Column(name, lambda row: of(row).level.mean, text)


COLUMNS = (
    Column("data", lambda row: row.dataset, lambda row: row.dataset),
    Column("N", lambda row: row.N, lambda row: f"{row.N:,}"),
    Column("curve", lambda row: row.curve, lambda row: row.curve),
    Column("seeds", lambda row: row.seeds, lambda row: str(row.seeds)),
    Column("tasks", lambda row: row.tasks, lambda row: str(row.tasks)),
    _percent("first accuracy, %", lambda row: row.first, ".2f"),
    _percent("best, %", lambda row: row.best, ".2f"),
    _percent("last, %", lambda row: row.last, ".2f"),
    _percent("change from peak, points", lambda row: row.change, "+.2f"),
    _percent("dormancy at end, %", lambda row: row.dormancy),
    _size("settled units", lambda row: row.units, ",.1f"),
    _size("settled connections", lambda row: row.connections, ",.0f"),
    Column("µs per sample", lambda row: row.microseconds, lambda row: f"{row.microseconds:,.1f}"),
    Column("core-hours", lambda row: row.core_hours, lambda row: f"{row.core_hours:,.2f}"),
)


def texts(rows: Sequence[Row]) -> dict[str, str]:
    return {"table.csv": as_csv(rows), "table.md": as_markdown(rows)}


def as_csv(rows: Sequence[Row]) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    flat = [_flat(row) for row in rows]
    writer.writerow(_flat_names())
    writer.writerows(flat)
    return text.getvalue()


def as_markdown(rows: Sequence[Row]) -> str:
    lines = [[column.text(row) for column in COLUMNS] for row in rows]
    return markdown.table([column.name for column in COLUMNS], lines, left=3) + f"\n{HOW}\n"


INTERVALS = ("first", "best", "last", "change", "dormancy")
SIZES = ("units", "connections")


def _flat_names() -> list[str]:
    names = ["dataset", "N", "curve", "seeds", "tasks"]
    names += [f"{name}{end}" for name in INTERVALS for end in ("", "_ci95")]
    names += [f"{name}{end}" for name in SIZES for end in ("", "_ci95", "_trend", "_drift", "_drift_ci95")]
    return [*names, "microseconds_per_sample", "core_hours"]


def _flat(row: Row) -> list[object]:
    values: list[object] = [row.dataset, row.N, row.curve, row.seeds, row.tasks]
    for name in INTERVALS:
        values += _numbers(getattr(row, name))
    for name in SIZES:
        size: Settling = getattr(row, name)
        values += [*_numbers(size.level), size.trend, *_numbers(size.drift)]
    return [*values, f"{row.microseconds:.4g}", f"{row.core_hours:.4g}"]


def _numbers(value: Interval) -> list[str]:
    return [f"{number:.6g}" if isfinite(number) else "" for number in (value.mean, value.half)]
