"""Published points and our curves under the same settings: which belong together, and how far they are apart."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from plasticity.results.curves import Curve
from plasticity.results.statistics import Interval, interval
from plasticity.results.words import by_size as by_size
from plasticity.runs.identity import What, name, settings

POINTS = Path(__file__).with_name("published.yaml")
DATASET, N, OUTPUTS = "mnist", 60_000, "linear"  # of all of them
APART = 0.5  # points; what is further from the published number is looked into


@dataclass(frozen=True)
class Published:
    source: str
    within: float  # points
    curve: str  # ffcnn 3x100
    step_size: float
    method: str
    points: Mapping[int, float]  # by task, from 0: accuracy in %

    def is_of(self, what: What) -> bool:
        own = settings(what)
        place = what["dataset"]["name"], what["N"], own.get("output_weights")
        return place == (DATASET, N, OUTPUTS) and (name(what), own["step_size"], own.get("method", "none")) == (
            self.curve,
            self.step_size,
            self.method,
        )


@dataclass(frozen=True)
class Comparison:
    published: Published
    task: int
    theirs: float  # %
    ours: Interval  # %

    @property
    def difference(self) -> float:  # points
        return self.ours.mean - self.theirs


def read(path: Path = POINTS) -> list[Published]:
    found = []
    for source in yaml.safe_load(path.read_text()):
        for curve in source["curves"]:
            method = {"method": "none"} | curve
            found.append(Published(source["source"], source["within"], **method))
    return found


def compared(curves: Sequence[Curve], published: Sequence[Published]) -> Iterator[Comparison]:
    """Every published point that some curve of ours reaches."""
    for one in published:
        for curve in (curve for curve in curves if one.is_of(curve.what)):
            accuracy = 100 * curve.series("accuracy")
            for task, theirs in one.points.items():
                if task < curve.tasks:
                    yield Comparison(one, task, theirs, interval(accuracy[:, task]))


def as_markdown(found: Sequence[Comparison]) -> str:
    lines = ["| network | step size | method | task | ours, % | seeds | theirs, % | difference, points | source |"]
    lines.append("|---|---:|---|---:|---:|---:|---:|---:|---|")
    for one in found:
        ours = f"{one.ours.mean:.2f}" + (f" ± {one.ours.half:.2f}" if one.ours.known else "")
        far = " (!)" if abs(one.difference) > APART else ""
        network = one.published.curve.replace("ffcnn ", "F-FCNN ").replace("x", "×")
        cells = [network, f"{one.published.step_size:g}", one.published.method, str(one.task), ours, str(one.ours.n)]
        cells += [f"{one.theirs:.2f} ± {one.published.within:g}", f"{one.difference:+.2f}{far}".replace("-", "−")]
        lines.append(f"| {' | '.join([*cells, one.published.source])} |")
    return "\n".join(lines) + "\n"
