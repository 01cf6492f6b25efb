"""What was launched: one folder per launch, with its jobs, the runs in each, and what the jobs said of them."""

import fcntl
import json
import os
import shutil
import socket
import sys
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from time import time
from typing import Any

from plasticity.ground.errors import Mistake
from plasticity.ground.files import replace

FOLDER = ".launches"  # inside outputs
LOCK = ".lock"
A_DAY = 24 * 3600.0
UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError)  # what somebody else's launch.json may be
Names = list[str]


@dataclass(frozen=True)
class Event:
    run: str  # its name; none for timed_out
    kind: str  # started, finished, interrupted, failed, given_up, timed_out (the job)
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
        private(outputs)
        launch.folder.mkdir(mode=0o700)
        launch.folder.chmod(0o700)  # whatever the umask took away
        about = {"cluster": cluster, "retries": retries, "host": socket.gethostname(), "user": os.getuid()}
        launch._write({**about, "pid": os.getpid(), "command": sys.argv, "jobs": {}, "unsure": {}})
        return launch

    @property
    def about(self) -> dict[str, Any]:
        return json.loads((self.folder / "launch.json").read_text())

    @property
    def there(self) -> bool:
        return (self.folder / "launch.json").exists()

    @property
    def jobs(self) -> dict[str, Names]:
        """Names of the runs by the job's id."""
        return self.about["jobs"]

    @property
    def unsure(self) -> dict[str, list[Names]]:
        """Batches that were about to be sent, and may have been: the names of the runs in each of their jobs."""
        return self.about.get("unsure", {})

    def _write(self, about: dict[str, Any]) -> None:
        replace(self.folder / "launch.json", (json.dumps(about, indent=1) + "\n").encode())

    def sending(self, names: list[Names]) -> str:
        """Written down before a batch is sent; returns the batch's name."""
        batch, about = uuid.uuid4().hex[:12], self.about
        self._write({**about, "unsure": {**about.get("unsure", {}), batch: names}})
        (self.folder / "closed").unlink(missing_ok=True)
        return batch

    def sent(self, batch: str, ids: Sequence[str]) -> dict[str, Names]:
        """And after it: the jobs that the batch became, none if it was not taken."""
        about = self.about
        names = about["unsure"].pop(batch)
        new = dict(zip(ids, names, strict=True)) if ids else {}
        self._write({**about, "jobs": {**about["jobs"], **new}})
        return new

    def journal(self, job: str) -> Path:
        """Only the job itself writes there, so that a shared disk needs no lock."""
        return self.folder / f"{job}.events"

    @property
    def attended(self) -> bool:
        """Whether the command that began it may still be there, to submit more."""
        about = self.about
        if about["host"] != socket.gethostname():
            return time() - (self.folder / "launch.json").stat().st_mtime < A_DAY
        try:
            os.kill(about.get("pid", 0) or 2**22 + 1, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
        return True

    def close(self) -> None:
        """Nothing of it is queued any more."""
        with suppress(OSError):
            (self.folder / "closed").touch()

    @property
    def closed(self) -> bool:
        return (self.folder / "closed").exists()

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def launches(outputs: Path) -> Iterator[Launch]:
    for path in sorted((outputs / FOLDER).glob("*/launch.json")):
        yield Launch(path.parent.absolute())


def private(outputs: Path) -> Path:
    """The folder of all launches, which nobody else may look into, whatever the umask."""
    folder = outputs / FOLDER
    outputs.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.stat().st_uid == os.getuid():
        folder.chmod(0o700)
    return folder


@contextmanager
def alone(outputs: Path) -> Iterator[int | None]:
    """An open file that one command at a time holds while it submits jobs; None: another command has it.

    Leaves neither the file nor an empty folder behind.
    """
    path = outputs / FOLDER / LOCK
    private(outputs)
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except FileNotFoundError:  # another command has just cleaned up
        yield None
        return
    held = False
    try:
        held = _locked(file, path)
        yield file if held else None
    finally:
        if held and not any(launches(outputs)):
            with suppress(OSError):
                path.unlink()
                path.parent.rmdir()
        os.close(file)


def _locked(file: int, path: Path) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(file), os.stat(path))  # whoever had it may have removed it
    except (BlockingIOError, FileNotFoundError):
        return False
    except OSError as error:
        hint = "keep outputs on a disk that supports flock"
        raise Mistake(f"{path} cannot be locked with flock ({error.strerror}); {hint}") from error


def write(journal: Path, event: Event) -> None:
    journal.parent.mkdir(parents=True, exist_ok=True)  # somebody may have cleaned up too well
    with journal.open("a") as file:
        file.write("\n" + json.dumps(asdict(event)) + "\n")  # on a line of its own, though the last one was torn


class Reader:
    """The events that came since the last look."""

    def __init__(self, journal: Path):
        self._journal, self._read = journal, 0

    def new(self) -> Sequence[Event]:
        try:
            with self._journal.open("rb") as file:
                if file.seek(0, os.SEEK_END) < self._read:
                    self._read = 0  # it was removed, and begun anew
                file.seek(self._read)
                text = file.read()
        except OSError:
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
