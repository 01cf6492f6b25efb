"""Getting runs into the queue once, and only once: whoever else submits, whatever is killed, whenever SLURM is busy."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic

from plasticity.grid import found, ledger
from plasticity.grid.clusters import Cluster
from plasticity.grid.ledger import Launch, Reader
from plasticity.grid.pack import Pack
from plasticity.grid.slurm import NotNow, Refused
from plasticity.grid.tracked import Job, Tracked
from plasticity.ground.errors import Mistake
from plasticity.runs.folder import CONFIG, Folder
from plasticity.runs.run import Run

Packer = Callable[[Launch, Sequence[Run], dict[str, int]], Sequence[Pack]]
FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 1.0, 60.0
PATIENCE_SECONDS = 300.0  # with a SLURM that takes nothing, while no job of ours runs


class Sending:
    def __init__(self, tracked: dict[str, Tracked], outputs: Path, cluster: Cluster, packs: Packer, retries: int):
        self.tracked, self.jobs = tracked, list[Job]()
        self.launch: Launch | None = None
        self.submitted = 0  # jobs
        self.unsent: list[str] = []
        self.notices: list[str] = []  # for the person who watches
        self._outputs, self._cluster, self._packs, self._retries = outputs, cluster, packs, retries
        self._wait, self._next, self._said_so = FIRST_WAIT_SECONDS, 0.0, -LONGEST_WAIT_SECONDS
        self._trouble_since: float | None = None
        self._problems: set[str] = set()  # said once each

    def add(self, names: Iterable[str]) -> None:
        self.unsent += names

    def go(self) -> None:
        """Sends what is unsent, if it is time to try. Raises a Mistake only if nothing of ours is queued."""
        if not self.unsent or monotonic() < self._next:
            return
        try:
            with ledger.alone(self._outputs) as lock:
                if lock is None:
                    return self._wait_for_others()
                self._drop_held()
                try:
                    self._send(lock)
                finally:
                    self._remove_unused()
            self._wait, self._trouble_since = FIRST_WAIT_SECONDS, None
        except NotNow as trouble:
            self._later(f"SLURM did not take {len(self.unsent)} runs ({trouble})")
        except Refused as refusal:
            self._give_up(refusal)
        except OSError as error:
            trouble = f"cannot write {error.filename or self._outputs}: {error.strerror or error}"
            if not self.jobs and not self.submitted:
                raise Mistake(trouble) from error
            self._later(trouble)

    def _drop_held(self) -> None:
        """Somebody else may have submitted some meanwhile, and so may we, if sbatch was cut off before its answer."""
        if self.launch and self.launch.there:
            for batch, names in self.launch.unsure.items():
                self._sent(self.launch, batch, self._cluster.find(self.launch, batch, len(names)))
        held = self._follow()
        if taken := [name for name in self.unsent if name in held]:
            self.notices.append(f"{len(taken)} runs are in the queue already")
        for name in self.unsent:
            if self.tracked[name].run.finished and not self.tracked[name].run.config.force:
                self.tracked[name].state = "finished"  # by somebody else's job, which has left the queue by now
        self.unsent = [name for name in self.unsent if name not in held and self.tracked[name].open]

    def _send(self, lock: int) -> None:
        if not (runs := [self.tracked[name].run for name in self.unsent]):
            return
        if self.launch and not self.launch.there:  # somebody may have cleaned up too well
            self.launch = None
        launch = self.launch = self.launch or Launch.new(self._outputs, self._cluster.name, self._retries)
        packs = self._packs(launch, runs, {name: tracked.failures for name, tracked in self.tracked.items()})
        for batch in self._cluster.batches(packs):
            names = [[Run(config).name for config in pack.configs] for pack in batch]
            key = launch.sending(names)
            try:
                ids = self._cluster.send(launch, key, batch, lock)
            except Refused:
                launch.sent(key, [])
                raise
            self._sent(launch, key, ids)

    def _sent(self, launch: Launch, batch: str, ids: Sequence[str]) -> None:
        new = launch.sent(batch, ids)
        self.jobs += [Job(id, launch, self._cluster, held, Reader(launch.journal(id))) for id, held in new.items()]
        self.submitted += len(new)
        sent = {name for held in new.values() for name in held}
        self.unsent = [name for name in self.unsent if name not in sent]
        for name in sent:
            announce(self.tracked[name].run)

    def _wait_for_others(self) -> None:
        if monotonic() - self._said_so > LONGEST_WAIT_SECONDS:
            self._said_so = monotonic()
            self.notices.append("another command is submitting runs of these outputs; waiting for it")
        self._next = monotonic() + FIRST_WAIT_SECONDS

    def _later(self, why: str) -> None:
        now = monotonic()
        self._trouble_since = now if self._trouble_since is None else self._trouble_since
        if not self.jobs and now - self._trouble_since > PATIENCE_SECONDS:
            raise Mistake(f"{why}; given up after {PATIENCE_SECONDS / 60:.0f} minutes, nothing is queued")
        self.notices.append(f"{why}; trying again in {self._wait:.0f} s; {self._going_on()}")
        self._next = now + self._wait
        self._wait = min(2 * self._wait, LONGEST_WAIT_SECONDS)

    def _going_on(self) -> str:
        if not self.jobs:
            return "nothing is queued"
        return f"{len(self.jobs)} jobs go on: {', '.join(dict.fromkeys(job.id.split('_')[0] for job in self.jobs))}"

    def _give_up(self, refusal: Refused) -> None:
        if not self.jobs:
            raise refusal
        for name in self.unsent:
            self.tracked[name].state, self.tracked[name].error = "failed", str(refusal)
        self.notices.append(f"{refusal}; {self._going_on()}")
        self.unsent = []

    def _remove_unused(self) -> None:
        if self.launch and self.launch.there and not self.launch.jobs and not self.launch.unsure:
            self.launch.remove()
            self.launch = None

    def pick_up(self) -> set[str]:
        """Names of the runs that jobs of earlier launches hold, as far as SLURM answers."""
        with suppress(NotNow):
            return self._follow()
        return set()

    def _follow(self) -> set[str]:
        """Follows jobs of other launches that hold runs of ours; the names of all that are held."""
        held, problems = {name for job in self.jobs for name in job.runs}, list[str]()
        for launch, cluster, jobs, _ in found.alive(self._outputs, self._cluster, problems):
            followed = {job.id for job in self.jobs if job.launch == launch}
            for id, names in jobs.items():
                mine = [name for name in names if name in self.tracked and name not in held]
                if id not in followed and (mine := found.still_to_run(launch, id, mine)):
                    self.jobs.append(Job(id, launch, cluster, mine, Reader(launch.journal(id))))
                    held |= set(mine)
        self.notices += [problem for problem in problems if problem not in self._problems]
        self._problems |= set(problems)
        return held

    def leaving(self) -> list[found.Leaving]:
        """As far as SLURM answers."""
        with suppress(NotNow):
            return list(found.leaving(self._outputs, self._cluster))
        return []

    def tidy(self) -> None:
        """Removes launches that have no jobs any more and whose command is gone."""
        if not (self._outputs / ledger.FOLDER).is_dir():
            return
        with ledger.alone(self._outputs) as lock:
            for launch in found.over(self._outputs, self._cluster) if lock else ():
                launch.remove()


def announce(run: Run) -> None:
    """A run that waits has a folder too, so that anybody who looks there sees that it is coming."""
    with suppress(OSError):  # the job will say so
        if not (run.folder / CONFIG).exists():
            run.folder.mkdir(parents=True, exist_ok=True)
            Folder(run.folder).write_config(run.config)
