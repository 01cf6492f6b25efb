"""One disturbed grid: who is hit, with what, and whether it ended well all the same."""

import os
import random
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep

from support.grids import Grid, numbers, wait_until
from support.processes import processes
from support.wandb_server import Server

SIGNALS = (*(signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR2), signal.SIGSTOP)
SETTINGS = (
    *("dataset=toy", "N=2000", "K=1500", "model=aen_random"),
    *("checkpoint_seconds=0.1", "seed=0,1,2", "report=false"),
)
PAUSE_SECONDS = 1.5  # between two disturbances, at most
BEGINNING_SECONDS = 60.0
COMMANDS = 20  # after the last disturbance; a person would have given up


@dataclass
class Disturbed:
    grid: Grid
    rng: random.Random
    server: Server
    tools: Path  # a folder of this grid's own, for what disturbs it
    events: Counter[str]
    more: dict[str, Callable[[], None]] = field(default_factory=dict)  # disturbances of the place where it runs
    mend: Callable[[], None] = lambda: None  # what a person would do there while a grid waits
    stopped: dict[int, float] = field(default_factory=dict)  # when a stopped process is to go on

    @property
    def faults(self) -> Path:
        return self.tools / "faults"

    def go(self, seconds: float, tasks: int) -> None:
        """Raises AssertionError unless the grid ends well."""
        arguments, end = (*SETTINGS, f"tasks={tasks}"), monotonic() + seconds
        launcher = self.start(*arguments)
        while monotonic() < end:
            self._let_it_begin(launcher)
            sleep(self.rng.uniform(0.1, PAUSE_SECONDS))
            self._continue()
            self.rng.choice([self._signal, self._signal, self._signal, self._fault, self._serve, *self.more.values()])()
            if launcher.poll() is not None:
                if launcher.returncode == 0:
                    break
                self.events["the same command again"] += 1
                launcher = self.start(*arguments)
        self._calm()
        self._finish(launcher, arguments)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Its output goes to a file: nobody reads it meanwhile."""
        from support.commands import command
        from support.small import ROOT

        environment = os.environ | self.server.environment | {"CHAOS_FAULTS": str(self.faults)}
        environment["PYTHONPATH"] = f"{Path(__file__).parent / 'faults'}:{environment.get('PYTHONPATH', '')}"
        with (self.tools / "said").open("a") as log:
            return subprocess.Popen(
                command("main", *self.grid.arguments, *arguments),
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=log,
                text=True,
                start_new_session=True,
            )

    def _let_it_begin(self, launcher: subprocess.Popen[str]) -> None:
        """Mostly: to be hit before there is a run is dull."""
        patience = monotonic() + BEGINNING_SECONDS
        while self.rng.random() < 0.95 and launcher.poll() is None and monotonic() < patience:
            if "a worker" in [role for _, role, _ in processes(self.grid.outputs)]:
                return
            self.mend()
            sleep(0.2)

    def _signal(self) -> None:
        if victims := list(processes(self.grid.outputs)):
            pid, role, _ = self.rng.choice(victims)
            number = self.rng.choice(SIGNALS)
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                return
            self.events[f"{number.name} to {role}"] += 1
            if number == signal.SIGSTOP:
                self.stopped[pid] = monotonic() + self.rng.uniform(0.5, 3)

    def _continue(self, all_of_them: bool = False) -> None:
        for pid, when in list(self.stopped.items()):
            if all_of_them or monotonic() > when:
                del self.stopped[pid]
                try:
                    os.kill(pid, signal.SIGCONT)
                except ProcessLookupError:
                    continue
                self.events["SIGCONT"] += 1

    def _fault(self) -> None:
        """For a second, writing fails now and then, in every process."""
        self.faults.touch()
        sleep(1)
        self.faults.unlink()

    def _serve(self) -> None:
        what = self.rng.choice(["answers 500", "answers 429", "hangs", "is well"])
        self.server.failing = "" if what.startswith("answers") else None
        self.server.code = 429 if "429" in what else 500
        self.server.hanging = "" if what == "hangs" else None
        self.events[f"the server {what}"] += 1

    def _calm(self) -> None:
        self._continue(all_of_them=True)
        self.server.failing = self.server.hanging = None
        self.faults.unlink(missing_ok=True)
        count = Path(f"{self.faults}.count")
        self.events["failed writes"] += count.stat().st_size if count.exists() else 0

    def _finish(self, launcher: subprocess.Popen[str], arguments: tuple[str, ...]) -> None:
        for _ in range(COMMANDS):
            wait_until(lambda: self.mend() or launcher.poll() is not None)  # noqa: B023
            if launcher.returncode == 0:
                break
            self.events["the same command again"] += 1
            launcher = self.start(*arguments)
        said = (self.tools / "said").read_text()
        assert launcher.returncode == 0, said
        assert said.count("Traceback") == said.count("\nKeyboardInterrupt"), said  # before anything of ours is loaded

    def check(self, undisturbed: Grid) -> None:
        assert [numbers(folder) for folder in self.grid.folders] == [numbers(folder) for folder in undisturbed.folders]
        wait_until(lambda: not list(processes(self.grid.outputs)), 60)
