"""SLURM's own commands: what is asked of them, and what their answers mean."""

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import NamedTuple

from plasticity.ground.errors import Mistake

PATIENCE_SECONDS = 60  # for one command
ASKING_AGAIN_SECONDS = 2.0
REQUEUES = 1000  # attempts, a few seconds apart: SLURM kills a job long before
# What SLURM calls a job that it has no plans with but to let it run.
UNDISTURBED = ("RUNNING", "SIGNALING", "CONFIGURING")
# Refusals that will not pass by themselves; anything else that sbatch may say is tried again.
REFUSED = re.compile(
    r"invalid|unrecogni[sz]ed|unknown|not permitted|denied|violates|not available|more processors|more tasks|limit"
    r"|no partition|not in this partition|not supported|breached|exceed|too long|no such file|not found"
)
PASSES = re.compile(r"authentication|timed out|try again|temporarily|not available now|unable to contact")


class Refused(Mistake):
    """SLURM will not take it, however often it is asked."""


class NotNow(Exception):
    """SLURM did not take it this time, or did and could not say so."""


class Queued(NamedTuple):
    state: str  # RUNNING, PENDING, …
    reason: str = ""  # why it does not run
    comment: str = ""

    @property
    def why(self) -> str:
        """Nothing for a job that runs."""
        if self.state in UNDISTURBED:
            return ""
        held = "held" in self.reason.lower() and "Admin" not in self.reason  # what those hold, only they free
        freed = "; scontrol release JOB frees it" if held else ""
        return self.state if self.reason in ("", "None") else self.reason + freed


def queue() -> dict[str, Queued] | None:
    """This user's jobs that are not over, by id; None: SLURM does not answer."""
    answer = said(["squeue", "--me", "--array", "--noheader", "--format=%i|%T|%r|%k"])
    if answer.returncode:
        return None
    lines = [line.split("|", 3) for line in answer.stdout.splitlines()]
    return {line[0]: Queued(*line[1:]) for line in lines if len(line) == 4}


def submit(script: Path, held: int) -> str:
    """The job's id. Whatever happens to us, sbatch goes on to its end, and holds the open file `held` until then."""
    command = ["sbatch", "--parsable", str(script)]
    with outside_any_job():
        answer = said(command, pass_fds=(held,), start_new_session=True)
    if answer.returncode == 0 and (found := re.search(r"^(\d+)", answer.stdout, re.M)):
        return found[1]
    why = one_line(answer.stderr or answer.stdout) or f"sbatch ended with code {answer.returncode}"
    if REFUSED.search(why.lower()) and not PASSES.search(why.lower()):
        raise Refused(f"SLURM refused the jobs: {why}")
    raise NotNow(why)


def largest_array() -> int:
    answer = said(["scontrol", "show", "config"])
    if answer.returncode:
        raise NotNow(one_line(answer.stderr or answer.stdout) or "scontrol does not answer")
    found = re.search(r"^MaxArraySize\s*=\s*(\d+)", answer.stdout, re.M)
    return max(1, int(found[1])) if found else 1001


def cancel(jobs: Iterable[str]) -> None:
    if jobs := list(jobs):
        said(["scancel", *jobs])


def final_state(job: str) -> str:
    """The controller knows for some minutes; accounting, which not every cluster has, may be minutes late."""
    asked = ["squeue", "--states=all", "--array", "--noheader", "--format=%T", f"--jobs={job}"]
    accounting = ["sacct", "--noheader", "--allocations", "--parsable2", "--format=State", f"--jobs={job}"]
    for attempt in range(3):
        sleep(ASKING_AGAIN_SECONDS if attempt else 0)
        for answer in map(said, (asked, accounting)):
            if answer.returncode == 0 and answer.stdout.strip():
                return answer.stdout.split("\n")[0].strip()
    return "it is gone from the queue"


def requeue(job: str) -> None:
    """Has SLURM run this job again; returns when SLURM has plans of its own: to requeue it, or to end it."""
    for _ in range(REQUEUES):
        answer = said(["squeue", "--noheader", "--array", "--format=%T", f"--jobs={job}"])
        if answer.returncode == 0 and answer.stdout.strip() not in UNDISTURBED:
            return
        said(["scontrol", "requeue", job])
        sleep(ASKING_AGAIN_SECONDS)


def said(
    command: list[str], pass_fds: tuple[int, ...] = (), start_new_session: bool = False
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE_SECONDS,
            check=False,
            pass_fds=pass_fds,
            start_new_session=start_new_session,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 1, "", str(error))


def one_line(text: str) -> str:
    """`sbatch: error: a` and `sbatch: error: b` on two lines become `a; b`."""
    lines = [line.split("error:", 1)[-1].strip() for line in text.splitlines() if line.strip()]
    return "; ".join(dict.fromkeys(lines))


@contextmanager
def outside_any_job() -> Iterator[None]:
    """A job that submits jobs must not hand them its own allocation."""
    inherited = [name for name in os.environ if name.startswith("SLURM_") and name != "SLURM_CONF"]
    hidden = {name: os.environ.pop(name) for name in (inherited if "SLURM_JOB_ID" in os.environ else ())}
    try:
        yield
    finally:
        os.environ.update(hidden)
