"""Runs whose units' lives were written down, those of a curve together, and how the curve looks."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from plasticity.ground.arrays import Bools, Floats
from plasticity.ground.errors import Mistake
from plasticity.results import frames
from plasticity.results.curves import Curve, common, of_another_length
from plasticity.results.lives.history import History, history
from plasticity.results.lives.survival import Survival, ages_at, lifetimes, survival
from plasticity.results.words import Style, legends, style
from plasticity.runs import identity


@dataclass(frozen=True)
class Group:
    curve: Curve
    name: str
    style: Style
    histories: tuple[History, ...]  # by seed, all of as many tasks
    notes: Sequence[str] = ()  # which seeds are left out or cut

    @cached_property
    def lifetimes(self) -> tuple[Floats, Bools]:
        return lifetimes(self.histories)

    @cached_property
    def survival(self) -> Survival:
        return survival(*self.lifetimes)

    @property
    def cell(self) -> tuple[str, int]:
        return self.curve.dataset, self.curve.N

    @property
    def tasks(self) -> int:
        return self.histories[0].tasks


def read(outputs: Path, lines: Sequence[str]) -> tuple[list[History], list[str]]:
    """Of the runs that these lines choose, and a sentence for each that has none, or not of all its tasks."""
    found, said = [], []
    for curve in frames.read(outputs, lines)[0]:
        (trace,) = curve.traces
        try:
            one = history(trace.folder)
        except Mistake as mistake:
            said.append(str(mistake))
            continue
        if one.tasks >= trace.tasks:
            found.append(one.up_to(trace.tasks))
        else:
            said.append(f"{trace.folder} has the lives of {one.tasks} tasks of {trace.tasks}: it is left out")
    if not found:
        raise Mistake(f"no run of {outputs} has lives of units written down" + (f" ({said[0]})" if said else ""))
    return found, said


def grouped(histories: Sequence[History], settings: Mapping[str, Any]) -> list[list[Group]]:
    """For each data set and N, the curves there."""
    together: dict[str, dict[int, History]] = defaultdict(dict)  # by curve and seed: the first one counts
    for one in histories:
        together[identity.curve_key(one.what)].setdefault(one.what["seed"], one)
    curves = {key: Curve(identity.curve(next(iter(of.values())).what), ()) for key, of in together.items()}
    cells = []
    for cell in dict.fromkeys((curve.dataset, curve.N) for curve in curves.values()):
        here = [key for key, curve in curves.items() if (curve.dataset, curve.N) == cell]
        names = legends([curves[key].what for key in here], settings)
        cells.append([
            Group(curves[key], name, style(curves[key].what, settings, place), *_alike(together[key]))
            for place, (key, name) in enumerate(zip(here, names, strict=True))
        ])  # fmt: skip
    return cells


def _alike(by_seed: Mapping[int, History]) -> tuple[tuple[History, ...], list[str]]:
    """By seed, up to the task that keeps the most of them; and a sentence for each that has fewer or more."""
    tasks = common(sorted(one.tasks for one in by_seed.values()))
    unlike = {seed: one.tasks for seed, one in sorted(by_seed.items()) if one.tasks != tasks}
    notes = [of_another_length(seed, there, tasks) for seed, there in unlike.items()]
    return tuple(one.up_to(tasks) for _, one in sorted(by_seed.items()) if one.tasks >= tasks), notes


def median_age(group: Group) -> Floats:  # (tasks,) of all seeds' units together; nan where there are none
    ages = (np.concatenate([ages_at(one, task) for one in group.histories]) for task in range(group.tasks))
    return np.array([np.median(each) if each.size else np.nan for each in ages])
