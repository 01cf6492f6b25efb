"""A real SLURM for tests: several nodes on this machine, and words to ask and disturb it with."""

import os
import re
import signal
import stat
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from time import time

import pytest

from support.grids import wait_until

HERE = Path(__file__).parents[1] / "slurm"
CANNOT_BE_HERE = 2  # of up.sh
MAX_ARRAY = 4  # small, so that a grid of six jobs has to be split
NODES = 2


@contextmanager
def running() -> Iterator[None]:
    environment = os.environ | {"SLURM_TEST_ARRAY": str(MAX_ARRAY), "SLURM_TEST_NODES": str(NODES)}
    up = subprocess.run([HERE / "up.sh"], env=environment, capture_output=True, text=True, check=False)
    if up.returncode == CANNOT_BE_HERE:  # nothing is installed by a test
        pytest.skip(up.stderr.strip())
    if up.returncode:
        pytest.fail(f"tests/slurm/up.sh: {up.stderr}")
    before = os.environ.get("SLURM_CONF")
    os.environ["SLURM_CONF"] = up.stdout.strip().removeprefix("export SLURM_CONF=")
    clean()
    yield
    del os.environ["SLURM_CONF"]
    if before:
        os.environ["SLURM_CONF"] = before
    subprocess.run([HERE / "down.sh"], check=True)


def clean() -> None:
    """The controller up, no job in the queue, every node idle: whatever a test, or one that failed, has left."""
    if subprocess.run(["scontrol", "ping"], capture_output=True, check=False).returncode:
        subprocess.run(["slurmctld"], check=True)
    wait_until(lambda: _cancel() or not queue())
    wait_until(lambda: _resume() or {state for _, state in _nodes()} == {"idle"})


def _cancel() -> None:
    subprocess.run("squeue -ah -o %A | sort -u | xargs -r scancel", shell=True, capture_output=True, check=False)


def _nodes() -> list[list[str]]:
    return [line.split() for line in slurm("sinfo", "-hN", "-p", "main", "-o", "%N %T").splitlines()]


def _resume() -> None:
    for node, state in _nodes():
        if "down" in state or "drain" in state:
            subprocess.run(["scontrol", "update", f"NodeName={node}", "State=RESUME"], check=False)


def slurm(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def queue() -> list[str]:
    return slurm("squeue", "-ahr", "-o", "%i").split()


def last_id() -> int:
    """The newest job's; what is submitted later has a larger one."""
    return int(re.findall(r"^NEXT_JOB_ID\s*=\s*(\d+)", slurm("scontrol", "show", "config"), re.M)[0]) - 1


def new_jobs(since: int) -> list[str]:
    """Those that ended, too: the controller remembers them for minutes, and at once, where accounting may lag."""
    return [id for id in slurm("squeue", "-ahr", "-t", "all", "-o", "%i").split() if int(id.split("_")[0]) > since]


def restarts() -> list[int]:
    """Of the jobs in the queue."""
    return [int(number) for number in slurm("squeue", "-ahr", "-O", "RestartCnt").split()]


def hasten() -> None:
    """SLURM lets a requeued job wait for two minutes, and may hold one whose node failed until somebody releases it."""
    for line in slurm("squeue", "-ahr", "-t", "PENDING", "-o", "%i %r").splitlines():
        id, _, reason = line.partition(" ")
        if reason == "BeginTime":
            subprocess.run(["scontrol", "update", f"JobId={id}", "StartTime=now"], capture_output=True, check=False)
        elif "requeued held" in reason:
            subprocess.run(["scontrol", "release", id], capture_output=True, check=False)


def mend() -> None:
    """What somebody would do who wants to see the end of it."""
    hasten()
    _resume()


def end_of(launcher: subprocess.Popen[str], seconds: float = 300) -> tuple[int, str]:
    """The command's code and all it said."""
    with ThreadPoolExecutor(1) as threads:
        said = threads.submit(launcher.communicate, timeout=seconds)
        wait_until(lambda: hasten() or said.done(), seconds + 10)
    return launcher.returncode, "".join(said.result())


def crash_controller() -> None:
    """As a power cut does, but after it has saved its state: what happened within its last 5 seconds it forgets, kills
    jobs that began then, and drains their node."""
    folder, now = Path(os.environ["SLURM_CONF"]).parents[1], time()
    for id in queue():
        slurm("scontrol", "update", f"JobId={id}", "AdminComment=seen")  # something to save
    wait_until(lambda: (folder / "state" / "job_state").stat().st_mtime > now)
    os.kill(int((folder / "run" / "slurmctld.pid").read_text()), signal.SIGKILL)
    wait_until(lambda: subprocess.run(["squeue"], capture_output=True, check=False).returncode)


def preempt() -> None:
    """A job of higher priority takes every node for a moment; it preempts what runs there."""
    slurm("sbatch", "-p", "urgent", "--exclusive", "-N", str(NODES), "-o", "/dev/null", "--wrap", "sleep 1")


def wrapper(folder: Path, program: str, script: str) -> str:
    """A PATH on which the program is a shell script: `real` is the program itself, `count` how often it was called."""
    folder.mkdir(exist_ok=True)
    real = subprocess.run(["which", program], capture_output=True, text=True, check=True).stdout.strip()
    path = folder / program
    counting = f"echo >>{path}.calls\ncount=$(wc -l <{path}.calls)\nreal={real}\n"
    path.write_text(f"#!/usr/bin/env bash\n{counting}{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return f"{folder}:{os.environ['PATH']}"
