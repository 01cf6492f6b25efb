"""What takes part in the comparison with the field: contestants in their settings, and where they meet the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plasticity.results.statistics import Interval

STEP_SIZE = 0.001  # the paper's
STEP_SIZES = (0.0003, 0.001, 0.003, 0.01)
# Settings are chosen by the seeds below, and compared by those from there on.
FRESH = 100
REGIMES = {"paper": (STEP_SIZE,), "tuned": STEP_SIZES}  # by which step sizes a contestant may choose from
MATCHED = "model.width=match"  # in the line of a contestant that is as large as an AEN
ANY = "any"  # what a contestant equals that has a size of its own: it meets the others whatever they equal
ELASTIC, SCRATCH = "aen", "scratch"  # whom others equal in size, and whom they are compared with
Sizes = Mapping[tuple[str, int, str, str], Mapping[str, float]]  # AEN's, by data set, N, growth and regime


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
class Choice:
    """A contestant's best setting, by the mean accuracy over all tasks and the seeds of the selection."""

    cell: tuple[str, int]  # data set and N
    regime: str  # paper: at the paper's step size; tuned: with the step size chosen, too
    contestant: str
    title: str
    boundaries: str
    step_size: float
    setting: str
    line: str
    accuracy: Interval
    tried: int  # settings
    tied: tuple[str, ...]  # settings that are not surely worse
    edges: tuple[str, ...]  # keys whose chosen value is the smallest or the largest that was tried


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


def chosen_for(chosen: Sequence[Choice], where: Class) -> list[Choice]:
    """Of that N or, where nothing was tried at it, of the nearest."""
    there = [choice for choice in chosen if (choice.cell[0], choice.regime) == (where.dataset, where.regime)]
    nearest = min((choice.cell[1] for choice in there), key=lambda N: abs(N - where.N), default=None)
    return [choice for choice in there if choice.cell[1] == nearest]
