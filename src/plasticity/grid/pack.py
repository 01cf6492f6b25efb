"""What one job does: some runs, a few at a time, each in a process that it has to itself: none takes another along."""

import os
import signal
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from types import FrameType

from plasticity.grid import slurm
from plasticity.grid.ledger import Event, Reader, write
from plasticity.grid.workers import Worker
from plasticity.ground.errors import LASTING
from plasticity.runs.config import Config
from plasticity.runs.folder import CONFIG, LOG, Folder
from plasticity.runs.run import Run
from plasticity.runs.signals import SIGNALS

POLL_SECONDS = 0.1
SAVING_SECONDS = 60.0  # a run saves within a second or two; one that does not is stuck
WARNING_SLACK_SECONDS = 60.0  # SLURM warns up to this much before it has to
INTERRUPTED = {128 + number for number in SIGNALS} | {-number for number in SIGNALS}


@dataclass
class Busy:
    run: Run
    worker: Worker


@dataclass
class Pack:
    """Called inside the job. What became of a run is read off its folder and said in the job's journal."""

    configs: Sequence[Config]
    workers: int
    retries: int
    failures: dict[str, int]  # by the run's name: how often it failed in earlier jobs of this launch
    launch: Path
    cwd: Path
    gpus: Sequence[str] | None = None  # None: those of the job
    slurm: bool = False  # whether it is a job of SLURM's, which can be requeued
    seconds: float | None = None  # the job's time limit, less the warning before it
    max_timeouts: int = 0
    _slots: dict[int, Busy] = field(default_factory=dict)
    _idle: dict[int, Worker] = field(default_factory=dict)  # what is left of a slot's last run, if that has finished
    _began: float = field(default_factory=monotonic)
    _stopping: bool = False

    def __call__(self) -> None:
        os.chdir(self.cwd)
        self._began = monotonic()
        self._journal = self.launch / f"{self.job}.events"
        self._recall()
        self._fresh = self._started_before()
        for number in SIGNALS:  # whoever started it let it ignore them so far
            signal.signal(number, self._stopped)
        waiting = deque(run for run in map(Run, self.configs) if self._wanted(run))
        while waiting or self._slots:
            for slot in range(self.workers):
                if waiting and slot not in self._slots:
                    self._start(slot, waiting.popleft(), waiting)
            sleep(POLL_SECONDS)
            for slot, busy in list(self._slots.items()):
                if busy.worker.has_finished():
                    self._idle[slot] = busy.worker
                    self._handle_ended_run(slot, busy.run, 0, waiting)
                elif (code := busy.worker.process.poll()) is not None:
                    self._handle_ended_run(slot, busy.run, code, waiting)
        self._dismiss()

    @property
    def job(self) -> str:
        """Its id, which names its journal."""
        if self.slurm:
            return f"{os.environ['SLURM_ARRAY_JOB_ID']}_{os.environ['SLURM_ARRAY_TASK_ID']}"
        return str(os.getpid())

    def _recall(self) -> None:
        """What it said before it was requeued counts."""
        said = Reader(self._journal).new()
        self.failures = Counter(self.failures) + Counter(event.run for event in said if event.kind == "failed")
        self._given_up = {event.run for event in said if event.kind == "given_up"}
        self._timeouts = sum(event.kind == "timed_out" for event in said)

    def _started_before(self) -> set[str]:
        """Runs that this job, before it was requeued, or an earlier one of the launch has begun."""
        events = [event for path in self.launch.glob("*.events") for event in Reader(path).new()]
        return {event.run for event in events if event.kind == "started"}

    def _wanted(self, run: Run) -> bool:
        """Again after a requeue: what is finished stays so, what failed for good too."""
        if run.config.force and run.name not in self._fresh:
            return True
        return not run.finished and run.name not in self._given_up and self.failures.get(run.name, 0) <= self.retries

    def _start(self, slot: int, run: Run, waiting: deque[Run]) -> None:
        gpu = self._gpu(slot)
        try:
            worker = self._worker(run, gpu, self._idle.pop(slot, None))
        except OSError as error:
            self._failed(run, f"cannot write {error.filename or run.folder}: {error.strerror}", waiting)
        else:
            self._slots[slot] = Busy(run, worker)
            self._fresh.add(run.name)
            self._say(Event(run.name, "started", pid=worker.process.pid, gpu=gpu))

    def _worker(self, run: Run, gpu: str | None, idle: Worker | None) -> Worker:
        folder = run.folder
        folder.mkdir(parents=True, exist_ok=True)
        if run.config.force and run.name not in self._fresh:  # once: a resumed run must not start over again
            Folder(folder).clear()
        Folder(folder).write_config(run.config)
        with (folder / LOG).open("a") as log:
            print(f"job {self.job} on {os.uname().nodename}, CUDA_VISIBLE_DEVICES={gpu}", file=log, flush=True)
            if idle and idle.take(folder / CONFIG):
                return idle
            return Worker(folder / CONFIG, log, gpu)

    def _gpu(self, slot: int) -> str | None:
        visible = os.environ.get("CUDA_VISIBLE_DEVICES")
        gpus = self.gpus if self.gpus is not None else visible.split(",") if visible else ()
        return gpus[slot % len(gpus)] if gpus else visible

    def _handle_ended_run(self, slot: int, run: Run, code: int, waiting: deque[Run]) -> None:
        if code in INTERRUPTED:
            sleep(1)  # most likely the whole job was: our own signal arrives meanwhile and does not return
        del self._slots[slot]
        if run.finished:
            self._say(Event(run.name, "finished"))
        elif code == LASTING:
            self._give_up(run, why(run, code))
        else:
            self._failed(run, why(run, code), waiting)

    def _failed(self, run: Run, error: str, waiting: deque[Run]) -> None:
        self._say(Event(run.name, "failed", error=error))
        self.failures[run.name] = self.failures.get(run.name, 0) + 1
        if self.failures[run.name] <= self.retries:
            waiting.append(run)

    def _give_up(self, run: Run, error: str) -> None:
        self._given_up.add(run.name)
        self._say(Event(run.name, "given_up", error=error))

    def _stopped(self, number: int, _: FrameType | None) -> None:
        """Cancelled, preempted, or warned that its time is nearly over."""
        if self._stopping:
            return
        self._stop(number)
        if self.slurm and not self._exhausted(number):
            slurm.requeue(self.job)
        sys.exit(128 + number)

    def _exhausted(self, number: int) -> bool:
        """SIGUSR2 is the warning before the time limit, and on some sites before a preemption."""
        late = self.seconds is not None and monotonic() - self._began >= self.seconds - WARNING_SLACK_SECONDS
        if number != signal.SIGUSR2 or not late:
            return False
        self._timeouts += 1
        self._say(Event("", "timed_out"))
        if self._timeouts <= self.max_timeouts:
            return False
        for run in map(Run, self.configs):
            if self._wanted(run):
                error = f"out of time {self._timeouts} times; raise timeout_min or max_timeouts"
                self._give_up(run, error)
        return True

    def _stop(self, number: int) -> None:
        """Lets every worker save; it hears the signal once, however often it is sent."""
        self._stopping = True
        for busy in self._slots.values():
            busy.worker.process.send_signal(number)
        self._dismiss()
        patience = monotonic() + SAVING_SECONDS
        for busy in self._slots.values():
            process, run = busy.worker.process, busy.run
            try:
                process.wait(max(0.0, patience - monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
            self._say(Event(run.name, "finished" if run.finished else "interrupted"))
        self._slots.clear()

    def _dismiss(self) -> None:
        for worker in (*self._idle.values(), *(busy.worker for busy in self._slots.values())):
            worker.dismiss()

    def _say(self, event: Event) -> None:
        with suppress(OSError):  # a full disk stops no run: what became of it is in its folder
            write(self._journal, event)


def why(run: Run, code: int) -> str:
    """One line on a run that ended without being finished."""
    said = Folder(run.folder).status
    if code < 0:
        return f"killed by {signal.Signals(-code).name}" + (", as when memory runs out" if code == -9 else "")
    if said is not None and said.state == "failed" and said.error:
        return said.error.splitlines()[0]
    try:
        lines = (run.folder / LOG).read_text(errors="replace").split("\n")
    except OSError as error:
        return f"ended with code {code}, and {run.folder / LOG} cannot be read: {error.strerror}"
    return next((line.strip() for line in reversed(lines) if line.strip()), f"ended with code {code}")
