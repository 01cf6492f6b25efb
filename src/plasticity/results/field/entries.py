"""What takes part in the comparison with the field: contestants in their settings, and where they meet the others."""

from dataclasses import dataclass

STEP_SIZE = 0.001  # the paper's
STEP_SIZES = (0.0003, 0.001, 0.003, 0.01)
# Settings are chosen by the seeds below, and compared by those from there on.
FRESH = 100
REGIMES = {"paper": (STEP_SIZE,), "tuned": STEP_SIZES}  # by which step sizes a contestant may choose from
MATCHED = "model.width=match"  # in the line of a contestant that is as large as an AEN
ANY = "any"  # what a contestant equals that has a size of its own: it meets the others whatever they equal
ELASTIC, SCRATCH = "aen", "scratch"  # whom others equal in size, and whom they are compared with


@dataclass(frozen=True, order=True)
class Class:
    """Where contestants meet on equal terms: F-FCNNs have as much of something as an AEN that has settled."""

    dataset: str
    N: int
    growth: str  # of that AEN, and of all that grows and does not say itself: one, two or three new units per task
    match: str  # of which as much: connections, work or memory
    regime: str  # paper: at the paper's step size; tuned: with the step size chosen, too

    @property
    def name(self) -> str:
        return f"{self.dataset}-N{self.N}-{self.growth}-{self.match}-{self.regime}"


@dataclass(frozen=True)
class Tried:
    """One of a contestant's settings, of which the best is chosen."""

    contestant: str  # the name of its preset
    title: str
    boundaries: str  # what it does where one task ends and the next begins
    dataset: str
    N: int
    step_size: float
    setting: str  # as it is typed, without what all settings of the contestant share
    line: str  # of its preset
    key: str  # of its curve


@dataclass(frozen=True)
class Placed:
    """A setting that was chosen, in a class."""

    contestant: str
    where: Class
    step_size: float
    setting: str
    line: str  # of a preset that runs it
    key: str  # of its curve
    note: str  # by how much it misses the size that it should have, if that is too much
