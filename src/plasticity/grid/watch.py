"""A launch from the launcher's side: follows the jobs of its runs, and has what a dead job left submitted again."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

from plasticity.grid import found, ledger
from plasticity.grid.clusters import Cluster
from plasticity.grid.ledger import Event, Launch
from plasticity.grid.sending import Packer, Sending
from plasticity.grid.slurm import NotNow, Queued
from plasticity.grid.tracked import Job, Tracked
from plasticity.ground.errors import Mistake
from plasticity.runs.folder import Folder
from plasticity.runs.run import Run

GONE_TWICE = 2  # a shared disk may show a job's last words late: look again before calling it dead
SLOWEST_LOOK_SECONDS = 10.0
LEAVING_SECONDS = 90.0
MOMENT_SECONDS = 10.0  # for a job that has done its work to leave the queue
PATIENT_CANCELS = 6
LAST_LINES = 3  # of a dead job's own log


class Watch:
    def __init__(self, runs: Iterable[Run], outputs: Path, cluster: Cluster, packs: Packer, retries: int):
        self.tracked = {run.name: Tracked(run) for run in runs}
        self.sending = Sending(self.tracked, outputs, cluster, packs, retries)
        self._cluster, self._retries = cluster, retries
        self._began = self._looked = monotonic()
        self._clean = True

    @property
    def jobs(self) -> list[Job]:
        return self.sending.jobs

    def submit(self, names: Iterable[str]) -> None:
        self.sending.add(names)
        self._send()

    def _send(self) -> None:
        before = len(self.jobs)
        try:
            self.sending.go()
        finally:
            if len(self.jobs) > before:
                self._began = self._looked = monotonic()

    def poll(self) -> None:
        for job in self.jobs:
            for event in job.events.new():
                if event.run in self.tracked and event.run in job.runs:
                    self._hear(job, self.tracked[event.run], event)
        for tracked in self.tracked.values():
            if tracked.claimed and tracked.open and tracked.run.finished:
                tracked.state = "finished"
            elif tracked.state == "running" and (said := Folder(tracked.run.folder).status):
                tracked.tasks_done, tracked.heard = said.tasks_done, said.heard
        now = monotonic()
        if now - self._looked >= min(SLOWEST_LOOK_SECONDS, 1 + (now - self._began) / 30):
            self._looked = now
            self._look_at_jobs()
        self._send()

    def _hear(self, job: Job, tracked: Tracked, event: Event) -> None:
        job.last[event.run] = event.kind
        if event.kind == "started":
            tracked.state, tracked.claimed = "running", False
        elif event.kind == "finished":
            tracked.claimed = True
        elif event.kind == "interrupted":
            tracked.state = "waiting"
        elif event.kind == "failed":
            self._fail(tracked, event.error or "")
        elif event.kind == "given_up":
            tracked.state, tracked.error, self._clean = "failed", event.error, False

    def _fail(self, tracked: Tracked, error: str) -> None:
        self._clean = False
        tracked.failures += 1
        tracked.error = error
        tracked.state = "waiting" if tracked.failures <= self._retries else "failed"

    def _look_at_jobs(self) -> None:
        """What jobs that left the queue did not finish is submitted again, or has failed."""
        dead: list[Job] = []
        for launch, cluster in {job.launch: job.cluster for job in self.jobs}.items():
            mine = [job for job in self.jobs if job.launch == launch]
            alive = cluster.states(launch, [job.id for job in mine])
            for job in mine:
                job.gone = 0 if job.id in alive else job.gone + 1
                for name in job.runs:
                    self._see(self.tracked[name], alive.get(job.id))
            dead += [job for job in mine if job.gone >= GONE_TWICE]
        self.sending.jobs = [job for job in self.jobs if job not in dead]
        self.sending.add(name for job in dead for name in self._left_by(job))

    @staticmethod
    def _see(tracked: Tracked, queued: Queued | None) -> None:
        """A job that SLURM killed and put back into the queue could not say that it was interrupted."""
        tracked.waits_for = queued.why if queued else ""
        if queued and queued.state == "PENDING" and tracked.state == "running":
            tracked.state = "waiting"

    def _left_by(self, job: Job) -> list[str]:
        unfinished = [name for name in job.runs if self.tracked[name].open]
        final_state = job.cluster.final_state(job.id) if unfinished else ""
        for name in unfinished:
            tracked, last = self.tracked[name], job.last.get(name)
            if tracked.run.finished and (last or not tracked.run.config.force):  # by whomever
                tracked.state = "finished"
            elif final_state.startswith("CANCELLED"):
                tracked.state, self._clean = "cancelled", False
                tracked.error = f"job {job.id} was cancelled; the same command goes on with it"
            elif not final_state.startswith("PREEMPTED") and self._lost_with(job, last):
                self._fail(tracked, f"job {job.id} ended: {final_state}{self._last_words(job)}")
        return [name for name in unfinished if self.tracked[name].open]

    def _lost_with(self, job: Job, last: str | None) -> bool:
        """Whether a run was under way in the job, or the whole job did nothing: that counts as one of its failures."""
        if last == "finished":
            return job.launch == self.sending.launch  # there, it may have had fewer tasks to do
        return last in ("started", "interrupted") or not job.last

    @staticmethod
    def _last_words(job: Job) -> str:
        try:
            lines = job.cluster.log(job.launch, job.id).read_text(errors="replace").splitlines()
        except OSError:
            return ""
        last = [line.strip() for line in lines if line.strip()][-LAST_LINES:]
        return ": " + " / ".join(last) if last else ""

    @property
    def over(self) -> bool:
        return not any(tracked.open for tracked in self.tracked.values())

    def cancel(self) -> tuple[list[str], list[str]]:
        """The jobs of this launch and no others, and which of them do not go; returns when their runs have saved."""
        launch = self.sending.launch
        if not launch:
            return [], []
        known = {job.id for job in self.jobs if job.launch == launch}
        with suppress(NotNow, *ledger.UNREADABLE):
            known |= found.jobs(launch, self._cluster).keys()
        own = left = list(self._cluster.states(launch, known))
        for _ in range(PATIENT_CANCELS):  # a job that is just starting may miss the first
            if not left:
                break
            self._cluster.cancel(launch, left)
            left = self._remaining(own, LEAVING_SECONDS / PATIENT_CANCELS)
        self._close(bool(left))
        return own, left

    def end(self) -> None:
        own = [job.id for job in self.jobs if job.launch == self.sending.launch]
        left = self._remaining(own, LEAVING_SECONDS)
        for launch, cluster, jobs in self.sending.leaving():  # with its last job, such a launch can go
            self._remaining(jobs, MOMENT_SECONDS, launch, cluster)
        self._close(bool(left))

    def _close(self, still_queued: bool) -> None:
        """A launch without a failure leaves nothing behind but its runs; one with keeps its logs until the next."""
        if (launch := self.sending.launch) and not still_queued:
            launch.remove() if self._clean else launch.close()
        with suppress(Mistake, OSError):
            self.sending.tidy()

    def _remaining(
        self, jobs: list[str], seconds: float, launch: Launch | None = None, cluster: Cluster | None = None
    ) -> list[str]:
        """Waits until the jobs, of this launch unless said otherwise, are gone from the queue; those that are not."""
        patience, launch, cluster = monotonic() + seconds, launch or self.sending.launch, cluster or self._cluster
        while launch and jobs and (left := list(cluster.states(launch, jobs))):
            if monotonic() > patience:
                return left
            sleep(0.5)
        return []
