"""A process that does runs, one after the other: starting it takes as long as some thirty small tasks."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

ONE_THREAD: dict[str, str] = dict.fromkeys(
    ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)


class Worker:
    """Only a run that has finished is followed by another: what goes wrong ends the process, and no other run."""

    def __init__(self, config: Path, log: IO[str], gpu: str | None):
        ours, theirs = os.pipe()
        self._told = open(ours, "rb", buffering=0)  # noqa: SIM115 (as long as the process)
        os.set_blocking(ours, False)
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "plasticity.runs.worker", "--attended", str(theirs), str(config)],
                env=os.environ | ONE_THREAD | ({} if gpu is None else {"CUDA_VISIBLE_DEVICES": gpu}),
                stdin=subprocess.PIPE,  # further runs; it ends when this process does
                stdout=log,
                stderr=log,
                pass_fds=[theirs],
                start_new_session=True,  # a terminal's Ctrl-C is for the launcher, which then tells us
            )
        finally:
            os.close(theirs)

    def has_finished(self) -> bool:
        """Since it was last asked: the run that it had, and it waits for another."""
        return bool(self._told.read(1))  # None: nothing said yet; nothing: it has ended

    def take(self, config: Path) -> bool:
        """Another run; False if the process has ended meanwhile."""
        assert self.process.stdin
        try:
            self.process.stdin.write(json.dumps(str(config)).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            return False
        return True

    def dismiss(self) -> None:
        """No further run will come: it ends by itself, once a run under way has saved."""
        assert self.process.stdin
        with suppress(OSError):
            self.process.stdin.close()
