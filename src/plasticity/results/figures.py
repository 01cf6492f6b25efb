"""Which figures there are: the presets' curves that have runs, and what is missing from each."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from plasticity.results import words
from plasticity.results.curves import Curve
from plasticity.results.field import published
from plasticity.results.measures import SHARES, SIZES
from plasticity.results.statistics import level
from plasticity.results.words import Style
from plasticity.runs.identity import What, curve_key

APART = 8  # sizes further apart than this in the end are drawn on a logarithmic axis


@dataclass(frozen=True)
class Preset:
    """A figure as conf/experiment has it, for one data set and N; or of chosen curves, perhaps across them."""

    name: str
    title: str
    dataset: str | None  # None: several
    N: int | None
    whats: tuple[What, ...]
    notes: tuple[str, ...] = ()  # on how its curves were chosen


@dataclass(frozen=True)
class Figure:
    preset: Preset
    curves: tuple[Curve, ...]
    missing: tuple[str, ...]  # in the paper's words
    settings: Mapping[str, Any]
    measures: tuple[str, ...] = ()  # that are drawn; none: as `panels` has it

    @property
    def name(self) -> str:
        """As its files are called."""
        preset = self.preset
        where = [preset.dataset, f"N{preset.N}" if preset.N else None]
        return re.sub(r"[^\w.=+-]", "_", "-".join([preset.name, *filter(None, where), *self.measures]))

    @property
    def title(self) -> str:
        where = words.where(self.preset.dataset, self.preset.N)
        return f"{self.preset.title} ({where})" if where else self.preset.title

    def legend(self, curve: Curve) -> str:
        return self._legends[curve.key]

    @cached_property
    def _legends(self) -> dict[str, str]:
        spoken = words.legends([curve.what for curve in self.curves], self.settings)
        return {curve.key: legend for curve, legend in zip(self.curves, spoken, strict=True)}

    def style(self, curve: Curve) -> Style:
        return self._styles[curve.key]

    @cached_property
    def _styles(self) -> dict[str, Style]:
        """A model looks the same in every figure, unless two curves would look the same in this one."""
        styles = {curve.key: self._style(curve) for curve in self.curves}
        if len({*styles.values()}) < len(styles):
            return {curve.key: words.by_place(place) for place, curve in enumerate(self.curves)}
        return styles

    def _style(self, curve: Curve) -> Style:
        if self._sized:
            return words.by_size(*words.size(curve.what))
        return words.style(curve.what, self.settings, self._places[curve.key])

    @cached_property
    def _sized(self) -> bool:
        """Whether a size tells each of them from the others."""
        sizes = [words.size(what) for what in self.preset.whats]
        return all(sizes) and len(set(sizes)) == len(sizes)

    @cached_property
    def _places(self) -> dict[str, int]:
        """By a curve's key; the first, where the preset has it twice."""
        keys = [curve_key(what) for what in self.preset.whats]
        return {key: place for place, key in reversed(list(enumerate(keys)))}

    def published(self, curve: Curve) -> dict[int, float]:
        """By task, from 0: accuracies in % that others report for the same settings."""
        longest = max(one.tasks for one in self.curves)
        points = [point for one in published.of(curve.what) for point in one.points.items()]
        return {task: value for task, value in points if task < longest}

    @cached_property
    def panels(self) -> tuple[str, ...]:
        """Sizes only where some network changes its size."""
        if self.measures:
            return self.measures
        changing = any(np.ptp(curve.series("units")) > 0 for curve in self.curves)
        return (*SHARES, *SIZES) if changing else SHARES

    def logarithmic(self, panel: str) -> bool:
        if panel not in SIZES:
            return False
        levels = np.array([level(curve.series(panel)).mean() for curve in self.curves])
        there = np.maximum(levels[np.isfinite(levels)], 1)  # of a curve that lacks the measure it is nan
        return bool(there.max(initial=0) > APART * there.min(initial=np.inf))

    @cached_property
    def notes(self) -> list[str]:
        """What is not in it, and why."""
        said = [*self.preset.notes, *(f"no runs of {legend}" for legend in self.missing)]
        seeds = sorted({seed for curve in self.curves for seed in curve.seeds})
        for curve in self.curves:
            said += [f"{self.legend(curve)}: {reason}" for reason in curve.left_out]
            named = " ".join(curve.left_out)
            absent = [seed for seed in seeds if seed not in curve.seeds and f"seed {seed} " not in named]
            if absent:
                said.append(f"{self.legend(curve)}: no run of seed {', '.join(map(str, absent))}")
        lengths = {curve.tasks for curve in self.curves}
        if len(lengths) > 1:
            shorter = [curve for curve in self.curves if curve.tasks < max(lengths)]
            said += [f"{self.legend(curve)}: {curve.tasks} tasks, others {max(lengths)}" for curve in shorter]
        return said


def figures(
    presets: Sequence[Preset], curves: Sequence[Curve], settings: Mapping[str, Any], measures: Sequence[str] = ()
) -> list[Figure]:
    """One for each preset, data set and N that has runs."""
    there = {curve.key: curve for curve in curves}
    found = []
    for preset in presets:
        keys = {curve_key(what): what for what in preset.whats}
        shown = tuple(there[key] for key in keys if key in there)
        missing = tuple(words.legends([what for key, what in keys.items() if key not in there], settings))
        if shown:
            found.append(Figure(preset, shown, missing, settings, tuple(measures)))
    return found


def idle(figure: Figure, others: Sequence[Figure]) -> bool:
    """Shows nothing that a more complete figure of the same data does not show."""

    def share(one: Figure) -> float:
        return len(one.curves) / (len(one.curves) + len(one.missing))

    same = [one for one in others if (one.preset.dataset, one.preset.N) == (figure.preset.dataset, figure.preset.N)]
    mine = {curve.key for curve in figure.curves}
    return any(mine <= {curve.key for curve in one.curves} and share(one) > share(figure) for one in same)
