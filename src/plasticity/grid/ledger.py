"""What was launched: one folder per launch, with its jobs, the runs in each, and what the jobs said of them."""

import json
import os
import shutil
import socket
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from plasticity.errors import Mistake
from plasticity.files import replace

FOLDER = ".launches"  # inside outputs


@dataclass(frozen=True)
class Event:
    run: str  # its name
    kind: str  # started, finished, interrupted, failed, exhausted (timed out too often)
    error: str | None = None
    pid: int | None = None
    gpu: str | None = None  # CUDA_VISIBLE_DEVICES


@dataclass(frozen=True)
class Launch:
    folder: Path

    @staticmethod
    def new(outputs: Path, cluster: str, retries: int) -> "Launch":
        name = f"{datetime.now():%Y-%m-%d_%H-%M-%S}-{os.getpid()}"
        launch = Launch((outputs / FOLDER / name).absolute())
        try:
            launch.folder.mkdir(parents=True)
            about = {"cluster": cluster, "retries": retries, "host": socket.gethostname(), "user": os.getuid()}
            launch._write({**about, "command": sys.argv, "jobs": {}})
        except OSError as error:
            raise Mistake(f"cannot write {launch.folder}: {error.strerror or error}") from error
        return launch

    @property
    def about(self) -> dict:
        return json.loads((self.folder / "launch.json").read_text())

    @property
    def jobs(self) -> dict[str, list[str]]:
        """Names of the runs by the job's id."""
        return self.about["jobs"]

    def _write(self, about: dict) -> None:
        replace(self.folder / "launch.json", (json.dumps(about, indent=1) + "\n").encode())

    def add(self, jobs: dict[str, list[str]]) -> None:
        about = self.about
        self._write({**about, "jobs": {**about["jobs"], **jobs}})

    def journal(self, job: str) -> Path:
        """Only the job itself writes there, so that a shared disk needs no lock."""
        return self.folder / f"{job}.events"

    def close(self) -> None:
        """Nothing of it is queued any more."""
        (self.folder / "closed").touch()

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def open_launches(outputs: Path) -> Iterator[Launch]:
    """Those that may still have jobs somewhere."""
    for path in sorted((outputs / FOLDER).glob("*/launch.json")):
        if not (path.parent / "closed").exists():
            yield Launch(path.parent.absolute())


def write(journal: Path, event: Event) -> None:
    with journal.open("a") as file:
        file.write("\n" + json.dumps(asdict(event)) + "\n")  # on a line of its own, though the last one was torn


class Reader:
    """The events that came since the last look."""

    def __init__(self, journal: Path):
        self._journal, self._read = journal, 0

    def new(self) -> Sequence[Event]:
        try:
            with self._journal.open("rb") as file:
                file.seek(self._read)
                text = file.read()
        except FileNotFoundError:
            return []
        whole = text[: text.rfind(b"\n") + 1]
        self._read += len(whole)
        return [event for line in whole.splitlines() if (event := _event(line))]


def _event(line: bytes) -> Event | None:
    """None for a line that a full disk or a crash has torn."""
    try:
        return Event(**json.loads(line))
    except (ValueError, TypeError):
        return None
