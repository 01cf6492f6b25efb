"""Small grids for the tests of the launchers, each launched by the real command in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from plasticity import records, status
from plasticity.records import Record
from plasticity.status import Status

ROOT = Path(__file__).parents[1]
SMALL = ("dataset=toy", "N=100", "K=60", "tasks=2", "model=aen", "tracker=none")
# A few seconds on the fastest machine: time to catch a run in the middle.
LONG = ("dataset=toy", "N=10000", "K=9000", "tasks=150", "model=aen_random", "checkpoint_seconds=0", "tracker=none")


@dataclass(frozen=True)
class Grid:
    outputs: Path
    settings: tuple[str, ...] = ()  # of the launcher

    def command(self, *overrides: str) -> list[str]:
        main = [sys.executable, str(ROOT / "launch" / "main.py"), "-m", f"outputs={self.outputs}"]
        return [*main, *self.settings, *overrides]

    def start(self, *overrides: str) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        return subprocess.Popen(self.command(*overrides), stdout=pipe, stderr=pipe, text=True, env=environment())

    def run(self, *overrides: str, code: int = 0) -> str:
        done = subprocess.run(
            self.command(*overrides), capture_output=True, text=True, env=environment(), timeout=240, check=False
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    @property
    def folders(self) -> list[Path]:
        return sorted(path.parent for path in self.outputs.rglob("config.yaml"))

    @property
    def statuses(self) -> list[Status]:
        return [said for folder in self.folders if (said := status.read(folder))]

    @property
    def finished(self) -> int:
        return sum(said.state == "finished" for said in self.statuses)

    def under_way(self, tasks: int = 2, runs: int = 1) -> bool:
        return sum(len(numbers(folder)) >= tasks for folder in self.folders) >= runs


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}


def wait_until(true: Callable[[], object], seconds: float = 60) -> None:
    patience = monotonic() + seconds
    while not true():
        assert monotonic() < patience, "waited in vain"
        sleep(0.2)


def numbers(folder: Path) -> list[dict[str, float]]:
    """All that a run measured but the time it took."""

    def timeless(row: Record) -> dict[str, float]:
        return {name: value for name, value in row.row().items() if name != "seconds"}

    return [timeless(row) for row in records.read(folder / "tasks.csv")]
