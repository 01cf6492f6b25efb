"""The process that follows a run: hands new rows of its folder to wandb, and ends when the run does."""

import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from time import sleep
from typing import TextIO

from plasticity.ground.locks import Lock
from plasticity.record import Record
from plasticity.tracking.streams import private
from plasticity.tracking.tracker import sentence

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
POLL_SECONDS = 2.0
RETRY_SECONDS = 10.0
GRACE_SECONDS = 30.0  # after the run's end, for what its server has not taken yet


class Orders(Thread):
    """What the run says: first what to follow, then how it ended; if nothing, it was killed."""

    def __init__(self, pipe: TextIO):
        super().__init__(daemon=True)
        self.place = json.loads(pipe.readline())
        self._pipe, self._ended, self.finished = pipe, Event(), False
        self.start()

    def run(self) -> None:
        self.finished = "finished" in self._pipe.read()
        self._ended.set()
        sleep(GRACE_SECONDS)
        os._exit(1)

    def ended(self, within: float) -> bool:
        return self._ended.wait(within)


def main() -> None:
    for number in SIGNALS:  # sent to a whole job, they are meant for the run
        signal.signal(number, signal.SIG_IGN)
    orders, reports = Orders(private(0)), private(1)

    def report(word: str) -> None:
        with suppress(OSError):  # the run has ended and did not wait
            print(word, file=reports, flush=True)

    try:
        _follow(orders, report)
    except Exception as error:  # whatever it is, it is no reason to stop the run
        report(f"trouble {sentence(error)}")
        sys.exit(0)


def _follow(orders: Orders, report: Callable[[str], None]) -> None:
    from plasticity.runs.folder import Folder  # here: an import that fails is reported
    from plasticity.tracking import offline
    from plasticity.tracking.server import unreachable
    from plasticity.tracking.session import Session, Target, discard

    folder = Path(orders.place.pop("folder"))
    target = Target(**orders.place)
    run = Folder(folder)

    def rows() -> Sequence[Record]:
        return run.certain_rows if target.mode == "online" else run.rows  # a resumed run's offline file is written anew

    (folder / "wandb").mkdir(exist_ok=True)
    os.environ["WANDB_CACHE_DIR"] = str(folder / "wandb" / "cache")
    with Lock(folder / "wandb" / f".{target.mode}.lock"):  # a follower of a killed run may still be writing
        while True:
            try:
                with Session(folder, target, lambda reason: report(f"trouble {reason}")) as session:
                    report("begun")
                    while not orders.ended(POLL_SECONDS):
                        session.send(rows())
                    session.send(rows())
                    if target.mode == "online":
                        report(f"trouble {reason}" if (reason := unreachable()) else "answers")
                    session.finish(0 if orders.finished else 1)
                discard()
                if target.mode == "offline" and (problem := offline.problem(folder, len(rows()))):
                    report(f"trouble {problem}")
                report("written")  # the run need not wait for this process to end, too
                return
            except Exception as error:  # no network, a server's error, a full disk: wandb has many kinds
                report(f"trouble {sentence(error)}")
                discard()
            if orders.ended(RETRY_SECONDS):
                return


if __name__ == "__main__":
    main()
