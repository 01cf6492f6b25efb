"""Signals that ask a run to stop: taken at once while it learns, after the write while it writes."""

import os
import signal
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR2)


def leave_closed_terminal() -> None:
    """Writing to a terminal that was closed fails, and must not break the saving: what is said from now on is lost."""
    for stream in (1, 2):
        with suppress(OSError):
            if stat.S_ISCHR(os.fstat(stream).st_mode) and not os.isatty(stream):
                with open(os.devnull, "wb") as nothing:
                    os.dup2(nothing.fileno(), stream)


class Interrupted(BaseException):
    """Not an Exception: nothing but the run itself may catch it."""

    def __init__(self, number: int):
        super().__init__(f"interrupted by {signal.Signals(number).name}")
        self.code = 128 + number


class Interrupts:
    def __init__(self) -> None:
        self._received: int | None = None
        self._open = False

    def __enter__(self) -> "Interrupts":
        # nohup has us ignore the end of the terminal; everything else is told to us.
        heard = [one for one in SIGNALS if one != signal.SIGHUP or signal.getsignal(one) != signal.SIG_IGN]
        self._before = {number: signal.signal(number, self._handle) for number in heard}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        outer = getattr(self._before[signal.SIGINT], "__self__", None)
        if isinstance(outer, Interrupts):  # what came too late for this run is meant for those after it
            outer._received = outer._received or self._received

    def _handle(self, number: int, _: FrameType | None) -> None:
        if number == signal.SIGHUP:
            leave_closed_terminal()
        self._received = self._received or number
        if self._open:
            self._open = False  # once: a second signal must not break the saving
            raise Interrupted(self._received)

    @contextmanager
    def breakable(self) -> Iterator[None]:
        """The stretch in which a signal raises at once; one that came earlier raises at its start."""
        self._open = True
        try:
            if self._received:
                self._open = False
                raise Interrupted(self._received)
            yield
        except Exception as error:
            if self._received:  # a library that was cut short may put another error in the place of ours
                raise Interrupted(self._received) from error
            raise
        finally:
            self._open = False
