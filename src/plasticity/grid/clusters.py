"""Where jobs go: processes on this machine, or a SLURM cluster."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from plasticity.grid import job as jobs_file
from plasticity.grid import slurm
from plasticity.grid.ledger import Launch
from plasticity.grid.pack import Pack
from plasticity.grid.slurm import NotNow, Queued, Refused
from plasticity.ground.errors import Mistake
from plasticity.runs.signals import SIGNALS

if TYPE_CHECKING:
    from submitit.core.utils import JobPaths
    from submitit.slurm.slurm import SlurmExecutor

# Until Python has loaded what handles them: a job that dies of one then would count as failed, and not be requeued.
DEAF = f'trap \'\' {" ".join(number.name.removeprefix("SIG") for number in SIGNALS)}; exec "$0" "$@"'


class Cluster(Protocol):
    name: str

    def batches(self, packs: Sequence[Pack]) -> Sequence[Sequence[Pack]]:
        """The packs as they are sent: one batch at a time."""
        ...

    def send(self, launch: Launch, batch: str, packs: Sequence[Pack], lock: int) -> list[str]:
        """The jobs' ids. Raises Refused for good, NotNow if it may be taken later, or even has been.

        Whoever does the sending holds the open file `lock` to its end.
        """
        ...

    def find(self, launch: Launch, batch: str, size: int) -> list[str]:
        """The jobs of a batch of which nobody knows whether it was sent; none, if it was not. May raise NotNow."""
        ...

    def states(self, launch: Launch, jobs: Iterable[str]) -> dict[str, Queued]:
        """Of those of the jobs that are not over."""
        ...

    def cancel(self, launch: Launch, jobs: Iterable[str]) -> None: ...

    def final_state(self, job: str) -> str:
        """How the cluster says a job ended."""
        ...

    def log(self, launch: Launch, job: str) -> Path:
        """Where the job itself writes what goes wrong."""
        ...


class Local:
    """A job is a process on this machine."""

    name = "local"

    def __init__(self) -> None:
        self._own: dict[str, subprocess.Popen[bytes]] = {}

    def batches(self, packs: Sequence[Pack]) -> Sequence[Sequence[Pack]]:
        return [[pack] for pack in packs]

    def send(self, launch: Launch, batch: str, packs: Sequence[Pack], lock: int) -> list[str]:
        paths = write(launch, batch, packs)
        with (launch.folder / "job.log").open("ab") as log:
            # In a session of its own: what comes from our terminal is for us, and it outlives us if it has to.
            started = [
                subprocess.Popen(
                    command(str(path)), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
                )
                for path in paths
            ]
        self._own |= {str(process.pid): process for process in started}
        return [str(process.pid) for process in started]

    def find(self, launch: Launch, batch: str, size: int) -> list[str]:
        lines = slurm.said(["ps", "-eww", "-o", "pid=,args="]).stdout.splitlines()
        return [line.split()[0] for line in lines if f"{launch.folder / batch}_" in line][:size]

    def states(self, launch: Launch, jobs: Iterable[str]) -> dict[str, Queued]:
        return {job: Queued("RUNNING") for job in jobs if self._alive(launch, job)}

    def _alive(self, launch: Launch, job: str) -> bool:
        if job in self._own:
            return self._own[job].poll() is None
        return str(launch.folder) in slurm.said(["ps", "-ww", "-o", "args=", "-p", job]).stdout

    def cancel(self, launch: Launch, jobs: Iterable[str]) -> None:
        for job in self.states(launch, jobs):
            with suppress(ProcessLookupError):
                os.kill(int(job), signal.SIGTERM)

    def final_state(self, job: str) -> str:
        return "its process is gone"

    def log(self, launch: Launch, job: str) -> Path:
        return launch.folder / "job.log"


class Slurm:
    """Job arrays, none larger than the cluster allows; each carries the batch's name, by which it can be found."""

    name = "slurm"

    def __init__(self, parameters: dict[str, Any], array_parallelism: int = 1, folder: str | None = None):
        self._parameters, self._parallelism, self._folder = parameters, array_parallelism, folder
        if not shutil.which("sbatch") or not shutil.which("srun"):
            raise Mistake("hydra/launcher=slurm needs SLURM, and this machine has no sbatch; use hydra/launcher=local")

    def batches(self, packs: Sequence[Pack]) -> Sequence[Sequence[Pack]]:
        arrays = ceil(len(packs) / slurm.largest_array())
        size = ceil(len(packs) / arrays)
        self._parallel = max(1, self._parallelism // arrays)
        return [packs[first : first + size] for first in range(0, len(packs), size)]

    def send(self, launch: Launch, batch: str, packs: Sequence[Pack], lock: int) -> list[str]:
        write(launch, batch, packs)
        script = launch.folder / f"{batch}.sh"
        script.write_text(self._script(launch, batch, len(packs)))
        ids = _array(slurm.submit(script, lock), len(packs))
        for id in ids:  # a folder of logs may be named after the job
            self._paths(launch, id).folder.mkdir(parents=True, exist_ok=True)
        return ids

    def _script(self, launch: Launch, batch: str, size: int) -> str:
        from submitit import AutoExecutor

        job = shlex.join(command(f"{launch.folder / batch}_")) + '"$SLURM_ARRAY_TASK_ID".pkl'
        comments = self._parameters.get("slurm_comment"), _tag(batch)
        settings = {**self._parameters, "slurm_array_parallelism": self._parallel}
        settings["slurm_comment"] = " ".join(comment for comment in comments if comment)
        # A site may requeue only what asks for it (JobRequeue=0).
        settings["slurm_additional_parameters"] = {
            "requeue": True,
            **(self._parameters.get("slurm_additional_parameters") or {}),
        }
        try:
            executor = AutoExecutor(self._paths(launch).folder, cluster="slurm")
            executor.update_parameters(**settings)
        except (ValueError, TypeError, NameError) as error:
            raise Refused(f"SLURM refused the jobs: {slurm.one_line(str(error))}") from error
        slurms = cast("SlurmExecutor", executor._executor)
        slurms.parameters["map_count"] = size  # an array, be it of one
        return slurms._make_submission_file_text(job, batch)

    def _paths(self, launch: Launch, job: str | None = None) -> "JobPaths":
        from submitit.core.utils import JobPaths

        return JobPaths(self._folder or launch.folder, job)

    def find(self, launch: Launch, batch: str, size: int) -> list[str]:
        if (queued := slurm.queue()) is None:
            raise NotNow("squeue does not answer")
        arrays = {id.split("_")[0] for id, job in queued.items() if _tag(batch) in job.comment}
        return _array(min(arrays), size) if arrays else []

    def states(self, launch: Launch, jobs: Iterable[str]) -> dict[str, Queued]:
        queued = slurm.queue()
        if queued is None:  # a controller that is away for a while has not ended our jobs
            return dict.fromkeys(jobs, Queued("UNKNOWN", "SLURM does not answer"))
        return {job: queued[job] for job in jobs if job in queued}

    def cancel(self, launch: Launch, jobs: Iterable[str]) -> None:
        slurm.cancel(sorted({job.split("_")[0] for job in jobs}))

    def final_state(self, job: str) -> str:
        return slurm.final_state(job)

    def log(self, launch: Launch, job: str) -> Path:
        paths = self._paths(launch, job)
        return paths.stdout if self._parameters.get("stderr_to_stdout") else paths.stderr


def _tag(batch: str) -> str:
    return f"plasticity-{batch}"


def _array(id: str, size: int) -> list[str]:
    return [f"{id}_{number}" for number in range(size)]


def write(launch: Launch, batch: str, packs: Sequence[Pack]) -> list[Path]:
    paths = [launch.folder / f"{batch}_{number}.pkl" for number in range(len(packs))]
    for path, pack in zip(paths, packs, strict=True):
        jobs_file.write(path, pack)
    return paths


def command(path: str) -> list[str]:
    return ["sh", "-c", DEAF, sys.executable, "-u", "-m", "plasticity.grid.job", path]
