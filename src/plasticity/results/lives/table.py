"""Predicted and measured sizes, and how long units live, as csv and Markdown."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from math import isfinite

from plasticity.results.lives.balance import Balance, balance
from plasticity.results.lives.groups import Group
from plasticity.results.lives.thirds import THIRDS, thirds
from plasticity.results.markdown import row
from plasticity.results.statistics import Interval
from plasticity.results.words import cell

HEAD = (
    *("where", "curve", "seeds", "tasks", "units born", "died", "births per task", "expected life (tasks)"),
    *("predicted units", "measured units", "predicted − measured (%)", "verdict", "in the long run"),
    *(f"deaths / expected at their ages, {third} third" for third in THIRDS),
)


@dataclass(frozen=True)
class Row:
    group: Group
    found: Balance
    deaths: Sequence[Interval]  # over those expected, in each third of the tasks

    @property
    def cells(self) -> list[str]:
        group, found = self.group, self.found
        return [
            cell(group.curve.dataset, group.curve.N),
            group.name,
            f"{len(group.histories)}",
            f"{group.tasks}",
            f"{group.survival.lives}",
            f"{group.survival.deaths}",
            f"{found.births:.2f}",
            self._life(),
            _interval(found.predicted),
            _interval(found.measured),
            _interval(found.difference, 100),
            found.verdict,
            f"{found.long_run:.0f}" if isfinite(found.long_run) else "no balance seen",
            *(_interval(each, digits=2) if isfinite(each.mean) else "–" for each in self.deaths),
        ]

    def _life(self) -> str:
        """What lies beyond the longest life seen is a guess, and said."""
        if not isfinite(self.found.life.mean):
            return f"more than {self.group.survival.mean_up_to_longest:.1f}"
        return f"{_interval(self.found.life)} ({100 * self.found.seen:.0f} % seen)"


def _interval(found: Interval, by: float = 1, digits: int = 1) -> str:
    return f"{by * found.mean:.{digits}f}" + (f" ± {by * found.half:.{digits}f}" if found.known else "")


def rows(cells: Sequence[Sequence[Group]]) -> list[Row]:
    together = [group for groups in cells for group in groups]
    return [Row(group, balance(group.histories), thirds(group.histories)) for group in together]


def texts(found: Sequence[Row]) -> dict[str, str]:
    written = StringIO()
    csv.writer(written, lineterminator="\n").writerows([HEAD, *(one.cells for one in found)])
    lines = [row(HEAD), row("---" for _ in HEAD), *(row(one.cells) for one in found)]
    return {"lives.csv": written.getvalue(), "lives.md": "\n".join(lines) + "\n"}
