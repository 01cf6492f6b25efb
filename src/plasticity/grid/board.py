"""What a person sees while a grid runs: a live board on a terminal, a plain line now and then in a file."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TypeVar

from rich.console import Console, Group
from rich.live import Live as RichLive
from rich.progress_bar import ProgressBar
from rich.text import Text

from plasticity.grid.state import count
from plasticity.grid.watch import Tracked
from plasticity.runs.progress import PLAIN_SECONDS

T = TypeVar("T")


class Plain:
    def __init__(self, console: Console) -> None:
        self.console, self._shown = console, monotonic()
        self._pace, self._errors = Pace(), set()

    def say(self, line: str) -> None:
        self.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def steps(self, what: str, items: Iterable[T], total: int) -> Iterator[T]:
        for done, item in enumerate(items, start=1):
            yield item
            if monotonic() - self._shown >= PLAIN_SECONDS:
                self._shown = monotonic()
                self.say(f"{what} {done}/{total}")

    @contextmanager
    def watching(self) -> Iterator[None]:
        yield

    def show(self, runs: Iterable[Tracked]) -> None:
        runs = list(runs)
        for tracked in runs:
            if tracked.error and (tracked.run.name, tracked.failures) not in self._errors:
                self._errors.add((tracked.run.name, tracked.failures))
                again = "trying again" if tracked.open else "given up"
                self.say(f"{tracked.run.name}: {tracked.error} ({again})")
        if monotonic() - self._shown >= PLAIN_SECONDS:
            self._shown = monotonic()
            self.say(summary(runs, self._pace))


class Live(Plain):
    def steps(self, what: str, items: Iterable[T], total: int) -> Iterator[T]:
        with self._live() as live:
            for done, item in enumerate(items, start=1):
                yield item
                live.update(board(f"{what} {done}/{total}", done, total))

    @contextmanager
    def watching(self) -> Iterator[None]:
        with self._live() as self._board:
            yield

    def _live(self) -> RichLive:
        return RichLive(console=self.console, transient=True, refresh_per_second=4)

    def show(self, runs: Iterable[Tracked]) -> None:
        runs = list(runs)
        errors = [f"{tracked.run.name}: {tracked.error}" for tracked in runs if tracked.error]
        done = sum(tracked.state == "finished" for tracked in runs)
        last = f"\n{len(errors)} with an error, the last: {errors[-1]}" if errors else ""
        self._board.update(board(summary(runs, self._pace) + last, done, len(runs)))


def board(line: str, done: int, total: int) -> Group:
    return Group(ProgressBar(total=max(1, total), completed=done, width=60), Text(line))


class Pace:
    """Time left, by the tasks done since the first look."""

    def __init__(self) -> None:
        self._start: tuple[float, int] | None = None

    def left(self, done: int, total: int) -> str:
        now = monotonic()
        self._start = self._start or (now, done)
        began, before = self._start
        if done <= before:
            return ""
        seconds = (total - done) * (now - began) / (done - before)
        return f", about {readable(seconds)} left"


def readable(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def summary(runs: list[Tracked], pace: Pace) -> str:
    total = sum(tracked.run.config.tasks for tracked in runs)
    done = sum(tracked.run.config.tasks if tracked.state == "finished" else tracked.tasks_done for tracked in runs)
    return count(tracked.state for tracked in runs) + pace.left(done, total)


def board_for(console: Console) -> Plain:
    return Live(console) if console.is_terminal else Plain(console)
