"""Published accuracies beside our curves under the same settings: which belong together, and how far they are apart."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from io import StringIO
from math import isfinite
from pathlib import Path
from typing import Any

import yaml

from plasticity.results import markdown, words
from plasticity.results.curves import Curve
from plasticity.results.statistics import Interval, interval
from plasticity.runs.identity import What, name
from plasticity.runs.keys import settings

POINTS = Path(__file__).with_name("published.yaml")
DATASET, N, OUTPUTS = "mnist", 60_000, "linear"  # of all of them
FAR = 0.5  # points; what is further from the published number is looked into
HOW = (
    "Accuracy of single tasks, counted from 0. ± of ours is half a 95 % t interval over seeds, of theirs how exactly "
    f"it was read; (!): more than {FAR} points apart."
)
HEAD = ("network", "task", "ours, %", "seeds", "theirs, %", "difference, points", "source")


@dataclass(frozen=True)
class Published:
    """One published curve, as far as it was read."""

    source: str
    within: float  # points, how exactly it was read
    curve: str  # as claims have it: ffcnn 3x100
    step_size: float
    method: str
    points: Mapping[int, float]  # by task, from 0: accuracy in %


@dataclass(frozen=True)
class Comparison:
    published: Published
    legend: str
    task: int
    theirs: float  # %
    ours: Interval  # %

    @property
    def difference(self) -> float:  # points
        return self.ours.mean - self.theirs


@cache
def known() -> tuple[Published, ...]:
    sources = yaml.safe_load(POINTS.read_text())
    return tuple(
        Published(source["source"], source["within"], **({"method": "none"} | curve))
        for source in sources
        for curve in source["curves"]
    )


def of(what: What) -> list[Published]:
    """What was published for a curve's settings. A method's own settings may be any: they were tuned."""
    own = settings(what)
    if (what["dataset"]["name"], what["N"], own.get("init.outputs")) != (DATASET, N, OUTPUTS):
        return []
    curve = name(what), own["step_size"], own.get("method", "none")
    return [one for one in known() if (one.curve, one.step_size, one.method) == curve]


def compared(curves: Sequence[Curve], defaults: Mapping[str, Any]) -> Iterator[Comparison]:
    """Every published point that some curve of ours reaches."""
    theirs = [(curve, one) for curve in curves for one in of(curve.what)]
    legends = words.legends([curve.what for curve, _ in theirs], defaults)
    for (curve, one), legend in zip(theirs, legends, strict=True):
        accuracy = 100 * curve.series("accuracy")
        for task, value in one.points.items():
            if task < curve.tasks:
                yield Comparison(one, legend, task, value, interval(accuracy[:, task]))


def texts(found: Sequence[Comparison]) -> dict[str, str]:
    return {"published.md": as_markdown(found), "published.csv": as_csv(found)} if found else {}


def cells(one: Comparison) -> tuple[str, ...]:
    """A row of the table, as people read it."""
    ours = f"{one.ours.mean:.2f}" + (f" ± {one.ours.half:.2f}" if one.ours.known else "")
    theirs = f"{one.theirs:.2f} ± {one.published.within:g}"
    difference = f"{one.difference:+.2f}".replace("-", "−") + (" (!)" if abs(one.difference) > FAR else "")
    return one.legend, str(one.task), ours, str(one.ours.n), theirs, difference, one.published.source


def as_markdown(found: Sequence[Comparison]) -> str:
    lines = [markdown.row(HEAD), "|---|---:|---:|---:|---:|---:|---|"]
    return "\n".join([*lines, *(markdown.row(cells(one)) for one in found)]) + "\n"


def as_csv(found: Sequence[Comparison]) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("network", "task", "ours", "half", "seeds", "theirs", "within", "difference", "source"))
    for one in found:
        half = f"{one.ours.half:.2f}" if isfinite(one.ours.half) else ""
        ours = one.legend, one.task, f"{one.ours.mean:.2f}", half, one.ours.n
        writer.writerow((*ours, one.theirs, one.published.within, f"{one.difference:.2f}", one.published.source))
    return text.getvalue()
