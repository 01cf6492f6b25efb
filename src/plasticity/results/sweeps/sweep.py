"""A picture against a setting: its lines, the values on its axis, and what is missing from it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from plasticity.results import words
from plasticity.results.curves import Curve
from plasticity.results.sweeps.quantities import Beside
from plasticity.results.words import Style

AXES = {
    "stream.change": "share of pixels that change places",
    "stream": "kind of change",
    "step_size": "step size",
    "N": "samples per task",
    "K": "samples per new unit",
    "probe": "share of a task's samples in the probe",
    "model.column": "units added at once",
    "model.depth": "units on a way to the outputs",
    "model.shortcut": "weights from inputs to outputs",
    "timing": "when units come and go",
}
YARDSTICK = "scratch"
Place = tuple[str, str]  # a column, which is a data set, and a value of the swept setting


@dataclass(frozen=True)
class Line:
    """Curves that are alike in all but the data set and the swept setting."""

    legend: str
    style: Style
    curves: Mapping[Place, Curve]


@dataclass(frozen=True)
class Sweep:
    """A picture: quantities against a setting, data sets side by side."""

    name: str
    title: str
    key: str
    columns: tuple[str, ...]
    values: tuple[str, ...]  # of the setting, in the order of the axis
    lines: tuple[Line, ...]
    quantities: tuple[str, ...] = ()  # none: as `pictures` has them
    default: str | None = None  # of the values, that which runs have where nothing is said

    @property
    def curves(self) -> list[Curve]:
        return [curve for line in self.lines for curve in line.curves.values()]

    @property
    def axis(self) -> str:
        return f"{AXES[self.key]} ({self.key})".capitalize() if self.key in AXES else self.key

    @cached_property
    def numbers(self) -> list[float] | None:
        """The values, if they are numbers."""
        try:
            return [float(value) for value in self.values]
        except ValueError:
            return None

    def measured(self, name: str) -> bool:
        """At more than one value of the setting: of one alone there is nothing to compare."""
        places = {value for line in self.lines for (_, value), curve in line.curves.items() if name in curve.measures}
        return len(places) >= min(2, len(self.values))

    def beside(self, line: Line, place: Place) -> Beside:
        usual = line.curves.get((place[0], self.default)) if self.default not in (None, place[1]) else None
        return Beside(self.fresh(line, place), usual)

    def fresh(self, line: Line, place: Place) -> Curve | None:
        """A network that is drawn anew in every task: one of the line's own model, or the only one there is."""
        there = [one.curves[place] for one in self.lines if place in one.curves]
        drawn_anew = [curve for curve in there if curve.what.get("method") == YARDSTICK]
        if line.curves[place] in drawn_anew:
            return None
        model = line.curves[place].what["model"]["name"]
        own = [curve for curve in drawn_anew if curve.what["model"]["name"] == model]
        return (own if len(own) == 1 else drawn_anew)[0] if 1 in (len(own), len(drawn_anew)) else None

    @property
    def yardsticks(self) -> list[str]:
        lines = [line for line in self.lines if next(iter(line.curves.values())).what.get("method") == YARDSTICK]
        return [line.legend for line in lines]

    @cached_property
    def notes(self) -> list[str]:
        """What others have and a line has not, and what is not in a curve; places of which the same is said, once."""
        there = {place for line in self.lines for place in line.curves}
        said: dict[tuple[str, str], list[str]] = defaultdict(list)
        for line in self.lines:
            for column, value in ((column, value) for column in self.columns for value in self.values):
                if (column, value) in there:
                    for reason in self._lacks(line.curves.get((column, value))):
                        said[line.legend, reason].append(" ".join(filter(None, [words.dataset(column), value])))
        return [f"{legend}: {reason} ({self.key} {'; '.join(places)})" for (legend, reason), places in said.items()]

    def _lacks(self, curve: Curve | None) -> list[str]:
        if curve is None:
            return ["no runs"]
        seeds = {seed for one in self.curves for seed in one.seeds}
        absent = [seed for seed in sorted(seeds - {*curve.seeds}) if f"seed {seed} " not in " ".join(curve.left_out)]
        return [*curve.left_out, *([f"no run of seed {', '.join(map(str, absent))}"] if absent else [])]
