"""What a person sees while a grid runs: a live board on a terminal, a plain line now and then in a file."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TypeVar

from rich.console import Console, Group
from rich.live import Live as RichLive
from rich.progress_bar import ProgressBar
from rich.text import Text

from plasticity import terminal
from plasticity.grid import notes
from plasticity.grid.state import count, readable
from plasticity.grid.tracked import Tracked
from plasticity.runs.keys import apart, said
from plasticity.runs.progress import PLAIN_SECONDS

T = TypeVar("T")
BAR = 30  # columns: there is room for it anywhere
MOST_NAMED = 4  # of the runs at work; more would not be read


class Plain:
    def __init__(self, console: Console) -> None:
        self.console, self._shown = console, monotonic()
        self._pace, self._names, self._errors = Pace(), Names(), set()

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
            self.say("; ".join([summary(runs, self._pace), *self._names.active(runs)[:1]]))


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
        last = [f"{len(errors)} with an error, the last: {errors[-1]}"] if errors else []
        lines = [summary(runs, self._pace), *self._names.active(runs), *last]
        self._board.update(board("\n".join(lines), *tasks(runs)))


def board(line: str, done: int, total: int) -> Group:
    return Group(
        ProgressBar(total=max(1, total), completed=done, width=BAR), Text(), Text(line)
    )  # the bar ends no line


class Names:
    """Runs by what tells them apart from the others of the grid."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def active(self, runs: Sequence[Tracked]) -> list[str]:
        """The runs that are at work, some of them by name, each with its tasks; nothing if there are none."""
        if not self._names:
            unlike = apart([tracked.run.what for tracked in runs])
            self._names = {tracked.run.name: said(each) for tracked, each in zip(runs, unlike, strict=True)}
        working = [tracked for tracked in runs if tracked.state == "running"]
        named = [f"{self._name(tracked)} ({tracked.tasks_done}/{tracked.run.config.tasks})" for tracked in working]
        more = [f"{len(named) - MOST_NAMED} more"] if len(named) > MOST_NAMED else []
        return ["running: " + ", ".join(named[:MOST_NAMED] + more)] if named else []

    def _name(self, tracked: Tracked) -> str:
        return self._names.get(tracked.run.name) or tracked.run.name


def tasks(runs: Iterable[Tracked]) -> tuple[int, int]:
    """Done, and to be done in all."""
    runs = list(runs)
    done = (tracked.run.config.tasks if tracked.state == "finished" else tracked.tasks_done for tracked in runs)
    return sum(done), sum(tracked.run.config.tasks for tracked in runs)


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


def summary(runs: list[Tracked], pace: Pace) -> str:
    done, total = tasks(runs)
    states = count(tracked.state for tracked in runs)
    return f"{done}/{total} tasks, {states}{notes.of_tracked(runs)}{pace.left(done, total)}"


def board_for(console: Console) -> Plain:
    return Live(console) if terminal.lively(console) else Plain(console)
