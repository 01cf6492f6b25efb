"""The runs of each curve whose units' lives were written down, and how the curve looks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from plasticity.ground.arrays import Bools, Floats
from plasticity.ground.errors import Mistake
from plasticity.results import frames
from plasticity.results.curves import Curve
from plasticity.results.lives.history import History, history
from plasticity.results.lives.survival import Survival, ages_at, lifetimes, survival
from plasticity.results.words import Style, legends, style


@dataclass(frozen=True)
class Group:
    curve: Curve
    name: str
    style: Style
    histories: tuple[History, ...]  # by seed, all of as many tasks

    @cached_property
    def lifetimes(self) -> tuple[Floats, Bools]:
        return lifetimes(self.histories)

    @cached_property
    def survival(self) -> Survival:
        return survival(*self.lifetimes)

    @property
    def tasks(self) -> int:
        return self.histories[0].tasks


def read(outputs: Path, lines: Sequence[str], settings: Mapping[str, Any]) -> tuple[list[list[Group]], list[str]]:
    """For each data set and N, the curves there; and a sentence for each run without lives."""
    curves, said, cells = frames.read(outputs, lines)[1], [], []
    for cell in dict.fromkeys((curve.dataset, curve.N) for curve in curves):
        here = [curve for curve in curves if (curve.dataset, curve.N) == cell]
        names, groups = legends([curve.what for curve in here], settings), []
        for place, (curve, name) in enumerate(zip(here, names, strict=True)):
            found = _histories(curve, said)
            if found:
                groups.append(Group(curve, name, style(curve.what, settings, place), found))
        cells += [groups] if groups else []
    if not cells:
        raise Mistake(f"no run of {outputs} has lives of units written down" + (f" ({said[0]})" if said else ""))
    return cells, said


def _histories(curve: Curve, said: list[str]) -> tuple[History, ...]:
    """Those that are whole: a run that was extended without its file has too few tasks."""
    found = []
    for trace in curve.traces:
        try:
            one = history(trace.folder)
        except Mistake as mistake:
            said.append(str(mistake))
            continue
        if one.tasks >= curve.tasks:
            found.append(one.up_to(curve.tasks))
        else:
            said.append(f"{trace.folder} has the lives of {one.tasks} tasks of {curve.tasks}: it is left out")
    return tuple(found)


def median_age(group: Group) -> Floats:  # (tasks,) of all seeds' units together; nan where there are none
    ages = (np.concatenate([ages_at(one, task) for one in group.histories]) for task in range(group.tasks))
    return np.array([np.median(each) if each.size else np.nan for each in ages])
