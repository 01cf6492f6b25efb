"""A launch from the launcher's side: submits runs, follows their jobs, and submits again what a dead job left."""

import os
import socket
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep

from plasticity.errors import Mistake
from plasticity.grid.clusters import Cluster, Local, Slurm
from plasticity.grid.ledger import Event, Launch, Reader, open_launches
from plasticity.grid.pack import Pack
from plasticity.runs.folder import CONFIG, Folder
from plasticity.runs.run import Run

GONE_TWICE = 2  # a shared disk may show a job's last words late: look again before calling it dead
SLOWEST_LOOK_SECONDS = 10.0
LEAVING_SECONDS = 90.0
PATIENT_CANCELS = 6


@dataclass
class Tracked:
    run: Run
    state: str = "waiting"  # running, finished, failed
    failures: int = 0
    error: str | None = None
    tasks_done: int = 0
    claimed: bool = False  # its job says that it is finished; the folder decides

    @property
    def open(self) -> bool:
        return self.state in ("waiting", "running")


@dataclass
class Job:
    id: str
    launch: Launch
    cluster: Cluster
    runs: list[str]
    events: Reader
    started: set[str] = field(default_factory=set)
    gone: int = 0


Packer = Callable[[Launch, Sequence[Run], dict[str, int]], Sequence[Pack]]


class Watch:
    def __init__(self, runs: Iterable[Run], outputs: Path, cluster: Cluster, packs: Packer, retries: int):
        self.tracked = {run.name: Tracked(run) for run in runs}
        self.jobs: list[Job] = []
        self.submitted = 0  # jobs, by this launch
        self._outputs, self._cluster, self._packs, self._retries = outputs, cluster, packs, retries
        self._launch: Launch | None = None
        self._began = self._looked = monotonic()
        self._clean = True

    def pick_up(self) -> set[str]:
        """Names of the runs that jobs of earlier launches still hold; their jobs are followed from now on."""
        held: set[str] = set()
        for launch in open_launches(self._outputs):
            with suppress(FileNotFoundError):  # it has just ended, and left nothing behind
                held |= self._follow(launch)
        return held

    def _follow(self, launch: Launch) -> set[str]:
        held: set[str] = set()
        cluster, jobs = self._cluster_of(launch), launch.jobs
        if cluster is None:
            return held
        alive = cluster.states(launch, jobs)
        if jobs and not alive:  # one without jobs is just being submitted by somebody else
            launch.close()
        for id, names in jobs.items():
            if id in alive:
                mine = [name for name in self._held(launch, id, names) if name in self.tracked]
                held |= set(mine)
                if mine:
                    self.jobs.append(Job(id, launch, cluster, mine, Reader(launch.journal(id))))
        return held

    def _cluster_of(self, launch: Launch) -> Cluster | None:
        """None: it cannot be asked from here."""
        about = launch.about
        if about["user"] != os.getuid():
            return None
        if about["cluster"] == Local.name and about["host"] != socket.gethostname():
            return None
        if about["cluster"] == self._cluster.name:
            return self._cluster
        try:
            return Local() if about["cluster"] == Local.name else Slurm({})
        except Mistake:
            return None

    @staticmethod
    def _held(launch: Launch, id: str, names: list[str]) -> list[str]:
        """Those that it will still run: not what it has finished, which may be wanted longer or anew, or given up."""
        events = Reader(launch.journal(id)).new()
        finished = {name for name, last in {event.run: event.kind for event in events}.items() if last == "finished"}
        failures = [event.run for event in events if event.kind == "failed"]
        given_up = {name for name in failures if failures.count(name) > launch.about["retries"]}
        return [name for name in names if name not in given_up | finished]

    def submit(self, names: Iterable[str]) -> None:
        if not (runs := [self.tracked[name].run for name in names]):
            return
        launch = self._launch = self._launch or Launch.new(self._outputs, self._cluster.name, self._retries)
        packs = self._packs(launch, runs, {name: tracked.failures for name, tracked in self.tracked.items()})
        try:
            ids = self._cluster.submit(launch, packs)
        except BaseException:
            if not launch.jobs:
                launch.remove()
            raise
        jobs = {id: [Run(config).name for config in pack.configs] for id, pack in zip(ids, packs, strict=True)}
        launch.add(jobs)
        for id, held in jobs.items():
            self.jobs.append(Job(id, launch, self._cluster, held, Reader(launch.journal(id))))
        self.submitted += len(jobs)
        self._began = self._looked = monotonic()
        for run in runs:
            announce(run)

    def poll(self) -> None:
        for job in self.jobs:
            for event in job.events.new():
                if event.run in self.tracked and event.run in job.runs:
                    self._hear(job, self.tracked[event.run], event)
        for tracked in self.tracked.values():
            if tracked.claimed and tracked.open and tracked.run.finished:
                tracked.state = "finished"
            elif tracked.state == "running" and (said := Folder(tracked.run.folder).status):
                tracked.tasks_done = said.tasks_done
        now = monotonic()
        if now - self._looked >= min(SLOWEST_LOOK_SECONDS, 1 + (now - self._began) / 30):
            self._looked = now
            self._handle_ended_jobs()

    def _hear(self, job: Job, tracked: Tracked, event: Event) -> None:
        if event.kind == "started":
            job.started.add(event.run)
            tracked.state, tracked.claimed = "running", False
        elif event.kind == "finished":
            tracked.claimed = True
        elif event.kind == "interrupted":
            tracked.state = "waiting"
        elif event.kind == "failed":
            self._fail(tracked, event.error or "")
        elif event.kind == "exhausted":
            tracked.state, tracked.error, self._clean = "failed", event.error, False

    def _fail(self, tracked: Tracked, error: str) -> None:
        self._clean = False
        tracked.failures += 1
        tracked.error = error
        tracked.state = "waiting" if tracked.failures <= self._retries else "failed"

    def _handle_ended_jobs(self) -> None:
        """Jobs that left the queue: what they did not finish is submitted again, or has failed."""
        dead: list[Job] = []
        for launch, cluster in {job.launch: job.cluster for job in self.jobs}.items():
            mine = [job for job in self.jobs if job.launch == launch]
            alive = cluster.states(launch, [job.id for job in mine])
            for job in mine:
                job.gone = 0 if job.id in alive else job.gone + 1
            dead += [job for job in mine if job.gone >= GONE_TWICE]
        self.jobs = [job for job in self.jobs if job not in dead]
        self.submit([name for job in dead for name in self._left_by(job)])

    def _left_by(self, job: Job) -> list[str]:
        unfinished = [name for name in job.runs if self.tracked[name].open]
        final_state = job.cluster.final_state(job.id) if unfinished else ""
        for name in unfinished:
            tracked = self.tracked[name]
            if tracked.run.finished and (name in job.started or not tracked.run.config.force):  # by whomever
                tracked.state = "finished"
            elif not final_state.startswith("PREEMPTED") and (not job.started or self._died_with(job, tracked)):
                self._fail(tracked, f"job {job.id} ended: {final_state}")
        return [name for name in unfinished if self.tracked[name].open]

    def _died_with(self, job: Job, tracked: Tracked) -> bool:
        foreign = job.launch != self._launch
        if tracked.claimed and foreign:
            return False  # finished there, with fewer tasks than are wanted now
        return tracked.run.name in job.started and not (tracked.state == "waiting" and tracked.failures)

    @property
    def over(self) -> bool:
        return not any(tracked.open for tracked in self.tracked.values())

    def cancel(self) -> list[str]:
        """The jobs of this launch and no others; returns when their runs have saved."""
        own = [job.id for job in self.jobs if job.launch == self._launch]
        if self._launch and own:
            for _ in range(PATIENT_CANCELS):  # a job that is just starting may miss the first
                self._cluster.cancel(self._launch, own)
                if self._left(LEAVING_SECONDS / PATIENT_CANCELS):
                    self._launch.close()
                    break
        return own

    def end(self) -> None:
        """A launch without a failure leaves nothing behind but its runs."""
        if self._launch and self._left(LEAVING_SECONDS):
            self._launch.remove() if self._clean else self._launch.close()

    def _left(self, seconds: float) -> bool:
        """Waits until the jobs of this launch are gone from the queue."""
        assert self._launch
        patience, own = monotonic() + seconds, self._launch.jobs
        while self._cluster.states(self._launch, own):
            if monotonic() > patience:
                return False
            sleep(0.5)
        return True


def announce(run: Run) -> None:
    """A run that waits has a folder too, so that anybody who looks there sees that it is coming."""
    if not (run.folder / CONFIG).exists():
        try:
            run.folder.mkdir(parents=True, exist_ok=True)
            Folder(run.folder).write_config(run.config)
        except OSError as error:
            raise Mistake(f"cannot write {run.folder}: {error.strerror or error}") from error
