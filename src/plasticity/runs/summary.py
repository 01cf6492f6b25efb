"""A finished run in a few numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

from plasticity.record import Record

ENDS = 10  # tasks averaged at either end


@dataclass(frozen=True)
class Summary:
    first: float  # accuracy, mean of the first ten tasks
    last: float  # accuracy, mean of the last ten
    dormancy: float
    units: float  # nan where a csv does not have them
    connections: float
    tasks: int
    seconds: float

    @staticmethod
    def of(rows: Sequence[Record]) -> "Summary":
        def accuracy(part: Sequence[Record]) -> float:
            return sum(row["accuracy"] for row in part) / len(part)

        end, seconds = rows[-1], sum(row["seconds"] for row in rows)
        first, last = accuracy(rows[:ENDS]), accuracy(rows[-ENDS:])
        return Summary(first, last, end["dormancy"], end["units"], end["connections"], len(rows), seconds)

    def lines(self) -> list[str]:
        return [
            f"accuracy {self.first:.3f} → {self.last:.3f} (mean of the first and last {min(ENDS, self.tasks)} "
            f"of {self.tasks} tasks)",
            f"dormancy {self.dormancy:.1%}, {self.units:.0f} units, {self.connections:,.0f} connections, "
            f"{self.seconds:.1f} s",
        ]
