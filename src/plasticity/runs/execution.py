"""Doing a run so that it can stop anywhere and go on."""

import logging
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic

from filelock import Timeout
from threadpoolctl import threadpool_limits

from plasticity.ground import news
from plasticity.ground.errors import Mistake
from plasticity.ground.files import set_aside
from plasticity.ground.locks import Lock
from plasticity.learner import Learner
from plasticity.lives import Lives
from plasticity.record import Record
from plasticity.runs import build, checkpoint, pages, rows, status
from plasticity.runs.checkpoint import Checkpoint
from plasticity.runs.config import Config
from plasticity.runs.folder import LIVES, LOG, ROWS, Folder
from plasticity.runs.parts import make
from plasticity.runs.progress import View
from plasticity.runs.resolve import warnings
from plasticity.runs.run import Run
from plasticity.runs.signals import Interrupted, Interrupts
from plasticity.runs.tracker import Tracker
from plasticity.runs.warm import warm

log = logging.getLogger("plasticity")


def execute(config: Config, view: View) -> Run:
    """Starts, resumes or extends the run, or says that there is nothing to do."""
    run, tracker = Run(config), make(config.tracker)
    # One thread: the products are too small to share, and grids run many processes side by side.
    with threadpool_limits(1), Interrupts() as interrupts, _writable(run.folder), _alone(run.folder, view, interrupts):
        if run.finished and not config.force:
            without = f", but did not measure {' and '.join(run.unmeasured)}" if run.unmeasured else ""
            view.say(f"{run.folder} is finished ({len(run.rows)} tasks){without}; force=true starts it over")
            tracker.look_at_finished(run.folder, view.say)
        else:
            with _logged(run.folder), _reported(run) as report:
                _go(run, view, interrupts, report, tracker)
    return run


def _go(run: Run, view: View, interrupts: Interrupts, report: status.Reporter, tracker: Tracker) -> None:
    config, folder = run.config, run.folder
    if config.force:
        Folder(folder).clear()
    Folder(folder).write_config(config)
    for warning in warnings(config):
        _warn(warning, view)
    with interrupts.breakable(), news.heard_by(view.say):
        learner = build.learner(config)
        with suppress(Exception):  # what is wrong shows itself in the first task
            warm(config)
    done = _resume(run, learner, view)
    learner = replace(learner, lives=_lives(run, learner, len(done), view))
    if warning := report.goes_on(len(done)):
        _warn(warning, view)
    rows.write(folder / ROWS, done, rows.columns(done, learner.columns))
    report.progress(len(done))
    view.begin(run.name, done, config.tasks)
    try:
        with tracker.follow(folder, view.say), closing(_tasks(run, learner, done, interrupts)) as tasks:
            for record in tasks:
                report.progress(len(done))
                view.record(record)
    finally:
        view.stop()
    view.end(folder, done)


def _tasks(run: Run, learner: Learner, done: list[Record], interrupts: Interrupts) -> Generator[Record, None, None]:
    """Row by row; a signal is heard while the next one is in the making, never while one is written."""
    names = rows.columns(done, learner.columns)
    path = run.folder / ROWS
    with path.open("a") as file, _pages(run, learner) as write_page, _checkpoints(run, learner, done) as boundary:
        pending = learner.records(len(done), run.config.tasks)
        while True:
            with interrupts.breakable():
                record = next(pending, None)
            if record is None:
                break
            file.write(rows.line(record, names))
            file.flush()
            write_page()
            done.append(record)
            boundary.reached()
            yield record


def _resume(run: Run, learner: Learner, view: View) -> list[Record]:
    """Puts the network where its last usable checkpoint left it; the csv follows the checkpoint."""
    saved, problems = checkpoint.load(run.folder, run.digest, learner.network.restore)
    if saved is None and (lost := len(run.rows)):
        aside = set_aside(run.folder / ROWS)
        problems.append(f"no checkpoint holds the {lost} tasks of {ROWS}: begun anew, kept as {aside.name}")
    for problem in problems:
        _warn(problem, view)
    if saved is None:
        return []
    log.info("resumed after %d tasks", len(saved))
    return list(saved)


def _lives(run: Run, learner: Learner, tasks: int, view: View) -> Lives | None:
    """What is known of them after so many tasks; the file follows the checkpoint, too."""
    if not run.config.lives:
        return None
    lives = pages.go_on(run.folder / LIVES, tasks, learner.network.units)
    if lives is None:
        _warn(f"{LIVES} does not hold the {tasks} tasks done: the lives of units are not written down", view)
    return lives


@contextmanager
def _pages(run: Run, learner: Learner) -> Iterator[Callable[[], object]]:
    """Writes down the last task's lives, if they are followed."""
    if (lives := learner.lives) is None:
        yield lambda: None
        return
    with (run.folder / LIVES).open("a") as file:
        yield lambda: (file.write(pages.line(lives.page)), file.flush())


def _warn(sentence: str, view: View) -> None:
    log.warning(sentence)
    view.say(f"warning: {sentence}")


class _Boundary:
    """The last task boundary: kept in memory always, on disk every `checkpoint_seconds`."""

    def __init__(self, run: Run, learner: Learner, rows: list[Record]):
        self._run, self._learner, self._rows = run, learner, rows
        # On disk: what was resumed from may lie there under another name, left by a save that was cut short.
        self._saved_rows, self._saved_at = checkpoint.rows(run.folder), monotonic()
        self._snapshot = learner.network.snapshot()

    def reached(self) -> None:
        self._snapshot = self._learner.network.snapshot()
        if monotonic() - self._saved_at >= self._run.config.checkpoint_seconds:
            self.save()

    def save(self) -> None:
        if len(self._rows) > self._saved_rows:
            pages.secure(self._run.folder / LIVES)
            done = Checkpoint(self._run.digest, tuple(self._rows), self._snapshot)
            checkpoint.save(self._run.folder, done)
            self._saved_rows, self._saved_at = len(self._rows), monotonic()


@contextmanager
def _checkpoints(run: Run, learner: Learner, rows: list[Record]) -> Iterator[_Boundary]:
    boundary = _Boundary(run, learner, rows)
    try:
        yield boundary
    finally:  # the end, a signal or an error alike
        boundary.save()


@contextmanager
def _reported(run: Run) -> Iterator[status.Reporter]:
    report = status.Reporter(run.folder, run.config.tasks)
    try:
        yield report
    except Interrupted as interrupted:
        log.info("%s", interrupted)
        report.end("interrupted")
        raise
    except BaseException as error:
        log.exception("failed") if not isinstance(error, Mistake) else log.error("failed: %s", error)
        report.end("failed", f"{error}" if isinstance(error, Mistake) else f"{type(error).__name__}: {error}")
        raise
    report.end("finished")
    log.info("finished")


@contextmanager
def _alone(folder: Path, view: View, interrupts: Interrupts) -> Iterator[None]:
    """One writer. The kernel releases the lock of a process that dies, however it dies."""
    lock = Lock(folder / ".lock", hint="set outputs=FOLDER to one on a disk that supports flock")
    with interrupts.breakable():
        try:
            lock.acquire(timeout=0)
        except Timeout:
            other = Folder(folder).status
            who = f"process {other.pid} on {other.host}" if other else "another process"
            view.say(f"{folder} is being run by {who}; waiting for it")
            lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _logged(folder: Path) -> Iterator[None]:
    handler = logging.FileHandler(folder / LOG)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log.setLevel(logging.INFO)
    log.propagate = False
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
        handler.close()


@contextmanager
def _writable(folder: Path) -> Iterator[None]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise Mistake(f"cannot write {error.filename or folder}: {error.strerror or error}") from error
