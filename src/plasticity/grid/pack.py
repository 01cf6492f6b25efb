"""What one job does: some runs, a few at a time, each in a process of its own, so that none takes another along."""

import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from types import FrameType

from plasticity.grid.ledger import Event, Reader, write
from plasticity.runs.config import Config
from plasticity.runs.folder import CONFIG, LOG, Folder
from plasticity.runs.run import Run
from plasticity.runs.signals import SIGNALS

POLL_SECONDS = 0.1
SAVING_SECONDS = 60.0  # a run saves within a second or two; one that does not is stuck
WARNING_SLACK_SECONDS = 60.0  # SLURM warns up to this much before it has to
INTERRUPTED = {128 + number for number in SIGNALS} | {-number for number in SIGNALS}
ONE_THREAD: dict[str, str] = dict.fromkeys(
    ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


@dataclass
class Worker:
    run: Run
    process: subprocess.Popen


@dataclass
class Pack:
    """Called by submitit inside the job. What became of a run is read off its folder and said in the job's journal."""

    configs: Sequence[Config]
    workers: int
    retries: int
    failures: dict[str, int]  # by the run's name: how often it failed in earlier jobs of this launch
    launch: Path
    cwd: Path
    gpus: Sequence[str] | None = None  # None: those of the job
    seconds: float | None = None  # the job's time limit, less the warning before it
    max_timeouts: int = 0
    timeouts: int = 0
    _slots: dict[int, Worker] = field(default_factory=dict)
    _began: float = field(default_factory=monotonic)
    _stopping: bool = False

    def __call__(self) -> None:
        signal.signal(signal.SIGTERM, self._terminated)  # submitit would let it pass
        os.chdir(self.cwd)
        self._began, self._stopping, parent = monotonic(), False, os.getppid()
        self._journal = self.launch / f"{job_id()}.events"
        self._fresh = self._started_before()
        waiting = deque(run for run in map(Run, self.configs) if self._wanted(run))
        while waiting or self._slots:
            for slot in range(self.workers):
                if waiting and slot not in self._slots:
                    self._start(slot, waiting.popleft(), waiting)
            sleep(POLL_SECONDS)
            for slot, worker in list(self._slots.items()):
                if worker.process.poll() is not None:
                    self._handle_ended_worker(slot, worker, waiting)
            if os.getppid() != parent:
                self._terminated(signal.SIGTERM, None)

    def _started_before(self) -> set[str]:
        """Runs that this job, before it was requeued, or an earlier one of the launch has begun."""
        events = [event for path in self.launch.glob("*.events") for event in Reader(path).new()]
        return {event.run for event in events if event.kind == "started"}

    def _wanted(self, run: Run) -> bool:
        """Again after a requeue: what is finished stays so, what failed for good too."""
        if run.config.force and run.name not in self._fresh:
            return True
        return not run.finished and self.failures.get(run.name, 0) <= self.retries

    def _start(self, slot: int, run: Run, waiting: deque[Run]) -> None:
        gpu = self._gpu(slot)
        try:
            process = self._process(run, gpu)
        except OSError as error:
            self._failed(run, f"cannot write {error.filename or run.folder}: {error.strerror}", waiting)
        else:
            self._slots[slot] = Worker(run, process)
            self._fresh.add(run.name)
            self._say(Event(run.name, "started", pid=process.pid, gpu=gpu))

    def _process(self, run: Run, gpu: str | None) -> subprocess.Popen:
        folder = run.folder
        folder.mkdir(parents=True, exist_ok=True)
        if run.config.force and run.name not in self._fresh:  # once: a resumed run must not start over again
            Folder(folder).clear()
        Folder(folder).write_config(run.config)
        with (folder / LOG).open("a") as log:
            print(f"job {job_id()} on {os.uname().nodename}, CUDA_VISIBLE_DEVICES={gpu}", file=log, flush=True)
            return subprocess.Popen(
                [sys.executable, "-m", "plasticity.runs.worker", "--attended", str(folder / CONFIG)],
                env=os.environ | ONE_THREAD | ({} if gpu is None else {"CUDA_VISIBLE_DEVICES": gpu}),
                stdin=subprocess.PIPE,  # never written to: it ends when this process does
                stdout=log,
                stderr=log,
                start_new_session=True,  # a terminal's Ctrl-C is for the launcher, which then tells us
            )

    def _gpu(self, slot: int) -> str | None:
        visible = os.environ.get("CUDA_VISIBLE_DEVICES")
        gpus = self.gpus if self.gpus is not None else visible.split(",") if visible else ()
        return gpus[slot % len(gpus)] if gpus else visible

    def _handle_ended_worker(self, slot: int, worker: Worker, waiting: deque[Run]) -> None:
        run, code = worker.run, worker.process.returncode
        if code in INTERRUPTED:
            sleep(1)  # most likely the whole job was: our own signal arrives meanwhile and does not return
        del self._slots[slot]
        if run.finished:
            self._say(Event(run.name, "finished"))
        else:
            self._failed(run, why(run, code), waiting)

    def _failed(self, run: Run, error: str, waiting: deque[Run]) -> None:
        self._say(Event(run.name, "failed", error=error))
        self.failures[run.name] = self.failures.get(run.name, 0) + 1
        if self.failures[run.name] <= self.retries:
            waiting.append(run)

    def _terminated(self, number: int, _: FrameType | None) -> None:
        """Cancelled, or preempted by SLURM, which then requeues the job by itself."""
        if not self._stopping:
            self._stop(number)
            sys.exit(128 + number)

    def checkpoint(self) -> object:
        """submitit calls this on the warning before a time-out or a preemption; what it returns is requeued."""
        from submitit.helpers import DelayedSubmission

        self._stop(signal.SIGUSR2)
        if self.seconds is not None and monotonic() - self._began >= self.seconds - WARNING_SLACK_SECONDS:
            self.timeouts += 1
        if self.timeouts <= self.max_timeouts:
            return DelayedSubmission(self)
        for run in map(Run, self.configs):
            if self._wanted(run):
                error = f"out of time {self.timeouts} times; raise timeout_min or max_timeouts"
                self._say(Event(run.name, "exhausted", error=error))
        return None

    def _stop(self, number: int) -> None:
        """Lets every worker save; it hears the signal once, however often it is sent."""
        self._stopping = True
        for worker in self._slots.values():
            worker.process.send_signal(number)
        patience = monotonic() + SAVING_SECONDS
        for worker in self._slots.values():
            try:
                worker.process.wait(max(0.0, patience - monotonic()))
            except subprocess.TimeoutExpired:
                worker.process.kill()
            finished = worker.run.finished
            self._say(Event(worker.run.name, "finished" if finished else "interrupted"))
        self._slots.clear()

    def _say(self, event: Event) -> None:
        write(self._journal, event)


def job_id() -> str:
    from submitit import JobEnvironment

    return JobEnvironment().job_id


def why(run: Run, code: int) -> str:
    """One line on a run that ended without being finished."""
    said = Folder(run.folder).status
    if code < 0:
        return f"killed by {signal.Signals(-code).name}" + (", as when memory runs out" if code == -9 else "")
    if said is not None and said.state == "failed" and said.error:
        return said.error.splitlines()[0]
    lines = (run.folder / LOG).read_text(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), f"ended with code {code}")
