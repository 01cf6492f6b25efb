"""How a run is tracked: by a follower, a process of its own, that reads the run's folder and feeds wandb."""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event, Thread
from time import monotonic

from plasticity.ground.errors import Mistake
from plasticity.runs import hints

log = logging.getLogger("plasticity")
MODES = ("offline", "online", "disabled")
# Seconds that a run that has ended gives its follower for the last rows; none if it is in trouble. A server has the
# least or, if it still answers then, a share of the run's time, should that be more; a follower that a finished run did
# not wait for goes on alone for a while.
PATIENCE = {"finished": 10.0, "stopped": 2.0}
SHARE, LEAST = 0.02, 2.0
LATE = "the server has not taken every row yet, and has 30 s more for it"
MOMENT = 0.02
STALE = 45.0  # seconds after which trouble that was not heard of again is over; its words are at most 35 apart
IN_VAIN = "WANDB_DIR"  # of wandb's own variables, the one that a run's folder leaves nothing to say
SWEEP = ("SWEEP_ID", "RUN_ID")  # what `wandb agent` sets: which run of which sweep it wants


@dataclass(frozen=True)
class Wandb:
    mode: str
    project: str
    entity: str | None = None
    group: str | None = None

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            hint = f"choose {', '.join(MODES)} (WANDB_MODE sets it, too)"
            raise Mistake(f"tracker.mode={self.mode} is not known; {hint}")
        for key in ("project", "entity"):
            name = getattr(self, key)
            if not (name is None and key == "entity") and not _possible(name):
                rule = "1 to 128 characters, none of /\\#?%: and no control character"
                raise Mistake(f"tracker.{key}={name} is not a name that wandb takes: {rule}")
        if not (self.group is None or (isinstance(self.group, str) and self.group.isprintable())):
            raise Mistake(f"tracker.group={self.group!r} is not a name")

    @contextmanager
    def follow(self, folder: Path, say: Callable[[str], None]) -> Iterator[None]:
        if self.mode == "disabled":
            yield
            return
        if (elsewhere := os.environ.get(IN_VAIN)) and not swept():  # wandb's agent sets it always
            note = f"{IN_VAIN}={elsewhere} is not used: wandb's files of a run lie in its own folder"
            log.info(note)
            say(f"note: {note}")
        follower = _Follower(self, folder, say)
        try:
            yield
        except BaseException:  # an interruption too
            follower.end("stopped")
            raise
        follower.end("finished")

    def look_at_finished(self, folder: Path, say: Callable[[str], None]) -> None:
        """A sweep has not seen a run that was finished before it began."""
        if self.mode == "online" and swept():
            with self.follow(folder, say):
                say("its rows go to the sweep")


def swept() -> bool:
    return all(os.environ.get(f"WANDB_{name}") for name in SWEEP)


def _possible(name: object) -> bool:
    return (
        isinstance(name, str) and 0 < len(name.strip()) <= 128 and name.isprintable() and not set(name) & set("/\\#?%:")
    )


def sentence(error: Exception) -> str:
    """What wandb says of an error may be pages."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


class _Follower:
    """The run's end of two pipes: one tells the follower what to follow and, when it closes, that the run has
    ended, however it ended; through the other the follower tells of trouble."""

    def __init__(self, tracker: Wandb, folder: Path, say: Callable[[str], None]):
        self._say, self._warned, self._trouble_at = say, False, -STALE
        self._later = hints.command("sync", hints.outputs_of(folder))
        self._process, self._done = None, Event()
        self._online, self._started, self._answers = tracker.mode == "online", monotonic(), False
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "plasticity.tracking.follower"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                start_new_session=True,  # a Ctrl-C is for the run; the follower ends when the run does
                text=True,
            )
        except OSError as error:
            self._trouble(f"its follower does not start: {error}")
            return
        Thread(target=self._listen, daemon=True).start()
        self._tell(json.dumps(asdict(tracker) | {"folder": str(folder.absolute())}))

    def _tell(self, line: str) -> None:
        assert self._process
        assert self._process.stdin
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except OSError:
            self._trouble("its follower has died")

    def _listen(self) -> None:
        assert self._process
        assert self._process.stdout
        for line in self._process.stdout:
            if line.startswith("trouble "):
                self._trouble(line.removeprefix("trouble ").strip())
            else:
                self._trouble_at = -STALE
            self._answers |= line.strip() == "answers"
            if line.strip() == "written":
                self._done.set()
        if self._process.wait() != 0 and not self._done.is_set():
            self._trouble("its follower has died")
        self._done.set()

    def _trouble(self, reason: str) -> None:
        self._trouble_at = monotonic()
        if not self._warned:
            self._warned = True
            log.warning("wandb: %s", reason)
            self._say(f"warning: wandb: {reason}; the run goes on, and {self._later} publishes it later")

    def end(self, how: str) -> None:
        if self._process is None:
            return
        assert self._process.stdin
        self._tell(how)
        with suppress(OSError):
            self._process.stdin.close()
        ended = monotonic()
        while not self._done.wait(MOMENT) and monotonic() - ended < self._patience(how, ended) and not self._troubled():
            pass
        if self._done.is_set():
            return
        goes_on = self._online and how == "finished"
        self._trouble(LATE if goes_on else "not everything was written")
        if not goes_on:
            self._process.kill()  # wandb's own process goes with it
            self._process.wait()

    def _patience(self, how: str, ended: float) -> float:
        if not self._online:
            return PATIENCE[how]
        return min(PATIENCE[how], max(LEAST, SHARE * (ended - self._started) if self._answers else 0.0))

    def _troubled(self) -> bool:
        return monotonic() - self._trouble_at < STALE
