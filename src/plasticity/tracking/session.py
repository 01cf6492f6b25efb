"""One session with wandb: a run's rows, each once and in order, to wandb's files or to its server."""

import io
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Self

import wandb

from plasticity.record import Record
from plasticity.runs.folder import Folder
from plasticity.tracking.page import LONGEST, Page, X, summary
from plasticity.tracking.server import Note, Unreachable, server, unreachable
from plasticity.tracking.tracker import SWEEP, swept

# Settings of somebody's shell that would turn one run into another.
FOREIGN = [
    "RUN_ID",
    "RESUME",
    "MODE",
    "DIR",
    "NAME",
    "RUN_GROUP",
    "JOB_TYPE",
    "TAGS",
    "NOTES",
    "SWEEP_ID",
    "SERVICE",
    "SILENT",
]
TEARDOWN_SECONDS = 5.0
TROUBLE, FATAL = ("retrying request", "retry loop"), "Fatal error"  # how wandb says that nothing gets through


@dataclass(frozen=True)
class Target:
    mode: str
    project: str
    entity: str | None
    group: str | None
    patience: float = 8.0  # seconds for a server to take the last rows


class Session:
    """A server only ever appends, so it is asked how many rows it has (`sent`), and given those after."""

    def __init__(self, folder: Path, target: Target, trouble: Callable[[str], None]):
        self._folder, self._target, self._trouble = folder, target, trouble
        self._page, self._failed, self._summed = Page.of(folder), None, False
        self._online = target.mode == "online"

    def __enter__(self) -> Self:
        with ExitStack() as quiet:
            quiet.enter_context(redirect_stdout(_Ear(self._hear)))
            quiet.enter_context(redirect_stderr(_Ear(self._hear)))
            self._prepare()
            if self._online and (reason := unreachable()):
                raise Unreachable(reason)
            self._note = Note(self._folder, self._target.entity, self._target.project) if self._online else None
            if self._note:
                self._note.check(Folder(self._folder).rows)
            self._run = self._begin()
            self.sent = self._run.starting_step
            self._quiet = quiet.pop_all()
        return self

    def _prepare(self) -> None:
        kept = SWEEP if self._online else ()  # of a run that `wandb agent` started
        for name in FOREIGN:
            if name not in kept or not swept():
                os.environ.pop(f"WANDB_{name}", None)
        os.environ["WANDB_ERROR_REPORTING"] = "false"
        for old in (self._folder / "wandb").glob("run-*" if self._online else "offline-run-*"):
            shutil.rmtree(old, ignore_errors=True)  # whatever they held is in tasks.csv

    def _begin(self) -> wandb.Run:
        page, target = self._page, self._target
        run = wandb.init(
            dir=str(self._folder),
            id=self._id(),
            name=page.name,
            mode="online" if self._online else "offline",
            project=target.project,
            entity=target.entity,
            group=target.group and target.group[: LONGEST["name"]],
            job_type=page.model,
            tags=page.tags,
            config=page.config,
            resume="allow" if self._online else None,
            settings=_settings(target),
        )
        run.define_metric(X, hidden=True)
        for key in page.keys:
            run.define_metric(key, step_metric=X)
        return run

    def _id(self) -> str:
        """The one that a sweep's agent gave it, kept for later; else the run's digest."""
        kept = self._folder / "wandb" / "sweep_run"
        if self._online and swept():
            kept.write_text(os.environ["WANDB_RUN_ID"])
        return kept.read_text().strip() if self._online and kept.exists() else self._page.id

    def _hear(self, line: str) -> None:
        words = line.removeprefix("wandb: ").removeprefix("WARNING ").strip()
        if FATAL in words:
            self._failed = words
        if any(sign in words for sign in (*TROUBLE, FATAL)):
            self._trouble(words)

    def send(self, rows: Sequence[Record]) -> None:
        self._check()
        if not rows or len(rows) < self.sent or (len(rows) == self.sent and self._summed):
            return
        if self._note:
            self._note.check(rows)
            self._note.write(rows)
        for record in rows[self.sent :]:
            self._run.log(self._page.point(record), step=int(record["task"]), commit=True)
        self._run.summary.update(summary(rows))  # without a new row, too: an earlier session may not have come to it
        self.sent, self._summed = len(rows), True

    def finish(self, code: int) -> None:
        """Returns when everything has arrived, and raises if it has not in time."""
        if not self._online:
            self._run._run_messages = None  # wandb would wait a tenth of a second for words to print
        self._run.finish(exit_code=code)
        self._check()

    def _check(self) -> None:
        if self._failed:  # wandb would take more rows, and leave them
            raise ConnectionError(self._failed)

    def __exit__(self, *_: object) -> None:
        self._quiet.close()


class _Ear(io.TextIOBase):
    """wandb has a good deal to say on a terminal. Here it says it to us."""

    def __init__(self, hear: Callable[[str], None]):
        self._hear = hear

    def write(self, text: str) -> int:
        for line in text.splitlines():
            self._hear(line)
        return len(text)


def _settings(target: Target) -> wandb.Settings:
    return wandb.Settings(
        base_url=server(),  # without a password, which wandb would write into its log
        quiet=True,
        console="off",
        symlink=False,
        disable_git=True,
        disable_code=True,
        save_code=False,
        x_disable_meta=True,
        x_disable_machine_info=True,
        x_disable_stats=True,
        x_save_requirements=False,
        init_timeout=10,
        finish_timeout=target.patience,
        finish_timeout_raises=True,
        x_file_stream_transmit_interval=5,
        x_file_stream_retry_wait_max_seconds=5,
    )


def discard() -> None:
    """Ends wandb's own process: its file is whole then, and after a failure another session may begin. After one,
    it may fail, too, or wait for a server that does not come back."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        ending = Thread(target=_teardown, daemon=True)
        ending.start()
        ending.join(TEARDOWN_SECONDS)


def _teardown() -> None:
    with suppress(Exception):
        wandb.teardown()
