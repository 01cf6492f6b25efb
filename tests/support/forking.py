"""Commands in processes of their own that begin with everything imported: imports are most of what a small one costs.

A process that has imported the suite, and done nothing else, waits for words on a socket and forks for each command.
"""

import atexit
import gc
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from pathlib import Path

from hydra.core.plugins import Plugins

# Read while modules are imported, which has been done; whoever sets another value needs a process from its beginning.
READ_AT_IMPORT = ("NUMBA", "PLASTICITY", "OMP_", "MKL_", "OPENBLAS_", "PYTHON", "MPL", "LD_", "XDG_", "HOME", "TMPDIR")
# All that a command may need but wandb, which looks at its surroundings meanwhile.
IMPORTED = (
    *("torch", "pandas", "matplotlib.pyplot", "hydra", "hydra_plugins.plasticity.launchers", "omegaconf._impl"),
    *("antlr4.LL1Analyzer", "plasticity.runs.execution", "plasticity.runs.hints", "plasticity.grid.watch"),
    *("plasticity.results.figures", "plasticity.results.report"),
)
LARGEST = 1 << 20  # of a command's words and surroundings


class Forks:
    """Where the commands of this process come from."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._begun_with = _read_at_import(os.environ)
        self._one_at_a_time = threading.Lock()
        self._pid = os.getpid()
        with theirs:
            command = [sys.executable, __file__, str(theirs.fileno())]
            self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()])
        atexit.register(self.close)

    def close(self) -> None:
        if os.getpid() == self._pid:
            self._socket.close()
            self._process.wait()

    def can(self, environment: Mapping[str, str]) -> bool:
        return _read_at_import(environment) == self._begun_with

    def run(
        self, words: Sequence[str], cwd: str | Path, environment: Mapping[str, str], timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """A script and its arguments; what it says is read until nobody it has started can say more, as by
        subprocess.run."""
        with self._one_at_a_time, ThreadPoolExecutor(2) as readers:
            pipes = [os.pipe(), os.pipe()]
            asked = json.dumps([[*words], str(cwd), {**environment}]).encode()
            socket.send_fds(self._socket, [asked], [writing for _, writing in pipes])
            for _, writing in pipes:
                os.close(writing)
            said = [readers.submit(_read, reading) for reading, _ in pipes]
            pid = int(self._socket.recv(64))
            self._socket.settimeout(timeout)
            try:
                code = int(self._socket.recv(64))
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                self._socket.settimeout(None)
                self._socket.recv(64)  # or the next command would take its code for its own
                raise
            self._socket.settimeout(None)
            return subprocess.CompletedProcess(words, code, *(each.result() for each in said))


@cache
def forks() -> Forks:
    return Forks()


def _read(pipe: int) -> str:
    with os.fdopen(pipe) as file:
        return file.read()


def _read_at_import(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(READ_AT_IMPORT)}


# What the process does that forks


def _import() -> None:
    for name in IMPORTED:
        import_module(name)
    Plugins.instance()  # finds them all
    gc.freeze()


def _command(asks: socket.socket) -> str | None:
    """In each new process a script, whose words and surroundings are then this process's; None at the end."""
    while True:
        asked, files, _, _ = socket.recv_fds(asks, LARGEST, 2)
        if not asked:
            return None
        sys.stdout.flush()
        if not (pid := os.fork()):
            asks.close()
            for file, place in zip(files, (1, 2), strict=True):
                os.dup2(file, place)
                os.close(file)
            words, cwd, environment = json.loads(asked)
            os.environ.clear()
            os.environ.update(environment)
            os.chdir(cwd)
            sys.argv[:] = words
            sys.path[0] = str(Path(words[0]).parent)
            return words[0]
        for file in files:
            os.close(file)
        asks.send(str(pid).encode())
        _, status = os.waitpid(pid, 0)
        asks.send(str(os.waitstatus_to_exitcode(status)).encode())


if __name__ == "__main__":
    _import()
    if script := _command(socket.socket(fileno=int(sys.argv[1]))):
        runpy.run_path(script, run_name="__main__")
