"""What takes part in the comparison with the field: a contestant in one of its settings, where it meets the others."""

from dataclasses import dataclass

STEP_SIZE = 0.001  # the paper's
STEP_SIZES = (0.0003, 0.001, 0.003, 0.01)
# Settings are chosen by the seeds below, and compared by those from there on.
FRESH = 100
REGIMES = {"paper": (STEP_SIZE,), "tuned": STEP_SIZES}  # by which step sizes a contestant may choose from


@dataclass(frozen=True, order=True)
class Class:
    """Where contestants meet on equal terms: F-FCNNs have as much of something as an AEN that has settled."""

    dataset: str
    N: int
    growth: str  # of that AEN, and of all that grows: one, two or three new units per task
    match: str  # of which as much: connections, work or memory

    @property
    def name(self) -> str:
        return f"{self.dataset}-N{self.N}-{self.growth}-{self.match}"


@dataclass(frozen=True)
class Entry:
    contestant: str  # the name of its preset
    title: str
    boundaries: str  # what it does where one task ends and the next begins
    where: Class
    step_size: float
    setting: str  # as it is typed, without what all settings of the contestant share
    line: str  # of a preset that runs it
    key: str  # of its curve
