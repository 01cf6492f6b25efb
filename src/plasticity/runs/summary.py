"""A finished run in a few numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

from plasticity.record import Record
from plasticity.runs.rows import series

WINDOW = 10  # tasks averaged at either end; fewer in a run of fewer than 40


def window(tasks: int) -> int:
    """What "first" and "last" mean, everywhere: the mean of so many tasks."""
    return max(1, min(WINDOW, tasks // 4))


@dataclass(frozen=True)
class Summary:
    first: float  # accuracy, mean of the first tasks
    last: float  # accuracy, mean of the last
    dormancy: float
    units: float  # nan where a csv does not have them
    connections: float
    tasks: int
    seconds: float
    longest: float  # seconds that a task took

    @staticmethod
    def of(rows: Sequence[Record]) -> "Summary":
        def accuracy(part: Sequence[Record]) -> float:
            return sum(series(part, "accuracy").tolist()) / len(part)

        end, seconds = rows[-1], series(rows, "seconds").tolist()
        width = window(len(rows))
        first, last = accuracy(rows[:width]), accuracy(rows[-width:])
        longest = max((each for each in seconds if each > 0), default=0.0)
        return Summary(first, last, end["dormancy"], end["units"], end["connections"], len(rows), sum(seconds), longest)

    def lines(self) -> list[str]:
        return [
            f"accuracy {self.first:.3f} → {self.last:.3f} (mean of the first and last {window(self.tasks)} "
            f"of {self.tasks} tasks)",
            f"dormancy {self.dormancy:.1%}, {self.units:.0f} units, {self.connections:,.0f} connections, "
            f"{self.seconds:.1f} s",
        ]
