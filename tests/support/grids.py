"""Small grids for the tests of the launchers, each launched by the real command in a process of its own."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen
from time import monotonic, sleep

from plasticity.runs import folder as folders
from plasticity.runs.folder import Folder
from plasticity.runs.status import Status
from support import commands

SMALL = ("dataset=toy", "N=100", "K=60", "tasks=2", "model=aen", "tracker=none", "report=false")
# A few seconds on any machine: time to catch a run in the middle.
LONG = (
    "dataset=toy",
    "stream._target_=support.slow.Slow",
    "N=1000",
    "K=900",
    "tasks=150",
    "model=aen_random",
    "checkpoint_seconds=0",
    "tracker=none",
    "report=false",
)


@dataclass(frozen=True)
class Grid:
    outputs: Path
    settings: tuple[str, ...] = ()  # of the launcher
    started: list[Popen[str]] = field(default_factory=list)

    @property
    def arguments(self) -> tuple[str, ...]:
        return ("-m", f"outputs={self.outputs}", *self.settings)

    def start(self, *overrides: str) -> Popen[str]:
        self.started.append(commands.start("main", *self.arguments, *overrides))
        return self.started[-1]

    def clear(self) -> None:
        """A launcher that a failed test leaves would submit jobs into the next."""
        for launcher in self.started:
            launcher.kill()
            launcher.communicate()

    def run(self, *overrides: str, code: int = 0) -> str:
        done = commands.run("main", *self.arguments, *overrides)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    @property
    def folders(self) -> list[Path]:
        return sorted(folder.path for folder in folders.find(self.outputs))

    @property
    def statuses(self) -> list[Status]:
        return [said for folder in self.folders if (said := Folder(folder).status)]

    @property
    def finished(self) -> int:
        return sum(said.state == "finished" for said in self.statuses)

    def under_way(self, tasks: int = 2, runs: int = 1) -> bool:
        return sum(len(numbers(folder)) >= tasks for folder in self.folders) >= runs


def wait_until(true: Callable[[], object], seconds: float = 300) -> None:
    patience = monotonic() + seconds
    while not true():
        assert monotonic() < patience, "waited in vain"
        sleep(0.2)


def numbers(folder: Path) -> list[dict[str, float]]:
    """All that a run measured but the time it took."""
    return [{name: value for name, value in row.items() if name != "seconds"} for row in Folder(folder).rows]
