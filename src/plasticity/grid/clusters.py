"""Where jobs go: this machine or a SLURM cluster, both through submitit."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from math import ceil
from pathlib import Path
from typing import Any, Protocol

from plasticity.errors import Mistake
from plasticity.grid.ledger import Launch
from plasticity.grid.pack import Pack

PATIENCE_SECONDS = 60  # for a command of SLURM's
FOR_EVER = 10**6  # we count time-outs ourselves: submitit takes a preemption of a short job for one
A_YEAR = 60 * 24 * 365  # minutes


class Cluster(Protocol):
    name: str

    def submit(self, launch: Launch, packs: Sequence[Pack]) -> list[str]:
        """The jobs' ids; either all packs are queued, or none and a Mistake says why."""
        ...

    def states(self, launch: Launch, jobs: Iterable[str]) -> dict[str, str]:
        """RUNNING, PENDING … of those of the jobs that are not over."""
        ...

    def cancel(self, launch: Launch, jobs: Iterable[str]) -> None: ...

    def final_state(self, job: str) -> str:
        """How the cluster says a job ended."""
        ...


class Local:
    """submitit's local executor: a job is a process on this machine."""

    name = "local"

    def __init__(self) -> None:
        self._own: dict[str, Any] = {}

    def submit(self, launch: Launch, packs: Sequence[Pack]) -> list[str]:
        from submitit import LocalExecutor

        executor = LocalExecutor(launch.folder)
        executor.update_parameters(timeout_min=A_YEAR)
        # The job shares our terminal, and outlives us if it has to.
        with ignored(signal.SIGINT, signal.SIGHUP), streams_to(launch.folder / "job.log"):
            jobs = [executor.submit(pack) for pack in packs]
        self._own |= {job.job_id: job for job in jobs}
        return [job.job_id for job in jobs]

    def states(self, launch: Launch, jobs: Iterable[str]) -> dict[str, str]:
        return {job: "RUNNING" for job in jobs if self._alive(launch, job)}

    def _alive(self, launch: Launch, job: str) -> bool:
        if job in self._own:
            return not self._own[job].done()
        return str(launch.folder) in said(["ps", "-ww", "-o", "args=", "-p", job]).stdout

    def cancel(self, launch: Launch, jobs: Iterable[str]) -> None:
        for job in self.states(launch, jobs):
            os.kill(int(job), signal.SIGTERM)

    def final_state(self, job: str) -> str:
        return "its process is gone"


class Slurm:
    """Job arrays, none larger than the cluster allows."""

    name = "slurm"

    def __init__(self, parameters: dict[str, Any], array_parallelism: int = 1, folder: str | None = None):
        self._parameters, self._parallelism, self._folder = parameters, array_parallelism, folder
        self._seen: dict[str, str] = {}
        if not shutil.which("sbatch") or not shutil.which("srun"):
            raise Mistake("hydra/launcher=slurm needs SLURM, and this machine has no sbatch; use hydra/launcher=local")

    def submit(self, launch: Launch, packs: Sequence[Pack]) -> list[str]:
        from submitit import AutoExecutor
        from submitit.core.utils import FailedJobError, FailedSubmissionError

        arrays = ceil(len(packs) / self._largest_array())
        size = ceil(len(packs) / arrays)
        executor = AutoExecutor(self._folder or launch.folder, cluster="slurm", slurm_max_num_timeout=FOR_EVER)
        jobs: list[str] = []
        try:
            parallelism = max(1, self._parallelism // arrays)
            executor.update_parameters(slurm_array_parallelism=parallelism, **self._parameters)
            with outside_any_job(), redirect_stderr(StringIO()):  # submitit prints what we say ourselves
                for first in range(0, len(packs), size):
                    jobs += [job.job_id for job in executor.submit_array(packs[first : first + size])]
        except (FailedJobError, FailedSubmissionError, ValueError, TypeError) as error:
            self.cancel(launch, jobs)
            raise Mistake(f"SLURM refused the jobs: {one_line(str(error))}") from error
        except BaseException:
            self.cancel(launch, jobs)
            raise
        return jobs

    def _largest_array(self) -> int:
        answer = said(["scontrol", "show", "config"])
        if answer.returncode:
            raise Mistake(f"SLURM does not answer: {one_line(answer.stderr or answer.stdout)}")
        settings = dict(line.split("=", 1) for line in answer.stdout.splitlines() if "=" in line)
        found = {key.strip(): value.strip() for key, value in settings.items()}
        return max(1, int(found.get("MaxArraySize", "1001")))

    def states(self, launch: Launch, jobs: Iterable[str]) -> dict[str, str]:
        answer = said(["squeue", "--me", "--array", "--noheader", "--format=%i %T"])
        if answer.returncode == 0:  # a controller that is away for a while has not ended our jobs
            self._seen = dict(line.split() for line in answer.stdout.splitlines())
            return {job: self._seen[job] for job in jobs if job in self._seen}
        return dict.fromkeys(jobs, "UNKNOWN")

    def cancel(self, launch: Launch, jobs: Iterable[str]) -> None:
        if arrays := sorted({job.split("_")[0] for job in jobs}):
            said(["scancel", *arrays])

    def final_state(self, job: str) -> str:
        """The controller knows for some minutes; accounting, which not every cluster has, may be minutes late."""
        asked = ["squeue", "--states=all", "--array", "--noheader", "--format=%T", f"--jobs={job}"]
        accounting = ["sacct", "--noheader", "--allocations", "--parsable2", "--format=State", f"--jobs={job}"]
        words = said(asked).stdout.strip() or said(accounting).stdout.strip() or "it is gone from the queue"
        return words.splitlines()[0]


def said(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 1, "", str(error))


def one_line(text: str) -> str:
    """`sbatch: error: a` and `sbatch: error: b` on two lines become `a; b`."""
    lines = [line.split("error:", 1)[-1].strip() for line in text.splitlines() if line.strip()]
    return "; ".join(dict.fromkeys(lines))


@contextmanager
def ignored(*signals: signal.Signals) -> Iterator[None]:
    """Processes that are started meanwhile ignore the signals for ever."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def streams_to(path: Path) -> Iterator[None]:
    """Processes that are started meanwhile hold none of our streams, so that a pipe behind us ends when we do."""
    sys.stdout.flush()
    sys.stderr.flush()
    before = [os.dup(number) for number in range(3)]
    with path.open("ab") as file, open(os.devnull, "rb") as nothing:
        for number, target in enumerate((nothing, file, file)):
            os.dup2(target.fileno(), number)
    try:
        yield
    finally:
        for number, kept in enumerate(before):
            os.dup2(kept, number)
            os.close(kept)


@contextmanager
def outside_any_job() -> Iterator[None]:
    """A job that submits jobs must not hand them its own allocation."""
    inherited = [name for name in os.environ if name.startswith(("SLURM_", "SUBMITIT_")) and name != "SLURM_CONF"]
    hidden = {name: os.environ.pop(name) for name in (inherited if "SLURM_JOB_ID" in os.environ else ())}
    try:
        yield
    finally:
        os.environ.update(hidden)
