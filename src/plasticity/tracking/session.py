"""One session with wandb: a run's rows, each once and in order, to wandb's files or to its server."""

import hashlib
import io
import json
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

import requests
import wandb

from plasticity import records
from plasticity.errors import Mistake
from plasticity.learner import Record
from plasticity.tracking.page import LONGEST, Page, X, summary

# Settings of somebody's shell that would turn one run into another.
FOREIGN = (
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
)
TROUBLE = ("retrying request", "retry loop", "Fatal error")  # how wandb says that nothing gets through
DOWN = (500, 502, 503, 504)


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
        self._page, self._failed = Page.of(folder), None
        self._online = target.mode == "online"

    def __enter__(self) -> Self:
        with ExitStack() as quiet:
            quiet.enter_context(redirect_stdout(_Ear(self._hear)))
            quiet.enter_context(redirect_stderr(_Ear(self._hear)))
            self._prepare()
            if self._online and (reason := unreachable()):
                self._trouble(reason)
            self._note = Note(self._folder, self._target) if self._online else None
            if self._note:
                self._note.check(records.read(self._folder / "tasks.csv"))
            self._run = self._begin()
            self.sent = self._run.starting_step
            self._quiet = quiet.pop_all()
        return self

    def _prepare(self) -> None:
        for name in FOREIGN:
            os.environ.pop(f"WANDB_{name}", None)
        os.environ["WANDB_ERROR_REPORTING"] = "false"
        for old in (self._folder / "wandb").glob("run-*" if self._online else "offline-run-*"):
            shutil.rmtree(old, ignore_errors=True)  # whatever they held is in tasks.csv

    def _begin(self) -> wandb.Run:
        page, target = self._page, self._target
        run = wandb.init(
            dir=str(self._folder),
            id=page.id,
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

    def _hear(self, line: str) -> None:
        if any(words in line for words in TROUBLE):
            self._failed = line.removeprefix("wandb: ").removeprefix("WARNING ").strip()
            self._trouble(self._failed)

    def send(self, rows: Sequence[Record]) -> None:
        if self._note:
            self._note.check(rows)
        if len(rows) <= self.sent:
            return
        if self._note:
            self._note.write(rows)
        for record in rows[self.sent :]:
            self._run.log(self._page.point(record), step=record.task, commit=True)
        self._run.summary.update(summary(rows))
        self.sent = len(rows)

    def finish(self, code: int) -> None:
        """Returns when everything has arrived, and raises if it has not in time."""
        self._failed = None
        self._run.finish(exit_code=code)
        if self._failed:
            raise ConnectionError(self._failed)

    def __exit__(self, *_: object) -> None:
        self._quiet.close()


class Note:
    """`wandb/sent.json`: a digest of the rows that were handed over, by server. Should the run be started
    over and come to other numbers, the two must not be mixed."""

    def __init__(self, folder: Path, target: Target):
        self._path = folder / "wandb" / "sent.json"
        self._place = f"{server()}/{target.entity or ''}/{target.project}"
        try:
            self._all = json.loads(self._path.read_text())
        except (OSError, ValueError):
            self._all = {}

    def check(self, rows: Sequence[Record]) -> None:
        known = self._all.get(self._place, {"rows": 0})
        if 0 < known["rows"] <= len(rows) and known["digest"] != _digest(rows[: known["rows"]]):
            elsewhere = "publish it to another project, with python launch/sync.py --project NAME"
            raise Mistake(
                f"the server has other numbers of this run, from before it was started over; {elsewhere}"
            )

    def write(self, rows: Sequence[Record]) -> None:
        self._all[self._place] = {"rows": len(rows), "digest": _digest(rows)}
        records.replace(self._path, json.dumps(self._all, indent=1).encode())


def _digest(rows: Sequence[Record]) -> str:
    """Of the numbers that a run comes to each time: not of how long it took."""
    return hashlib.sha256(
        "".join(records.line(replace(row, seconds=0.0)) for row in rows).encode()
    ).hexdigest()


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


def server() -> str:
    """Without the name and password that an address may carry."""
    address = urlsplit(wandb.setup().settings.base_url)
    return f"{address.scheme}://{address.netloc.rpartition('@')[2]}{address.path}".rstrip("/")


def unreachable() -> str | None:
    """Why the server cannot be reached: wandb itself would take half a minute to find out."""
    try:
        answer = requests.post(
            f"{server()}/graphql",
            json={"query": "query ServerInfo { serverInfo { cliVersionInfo } }"},
            timeout=3,
        )
    except requests.RequestException as error:
        return f"{server()} cannot be reached ({type(error).__name__})"
    return f"{server()} answers {answer.status_code}" if answer.status_code in DOWN else None


def discard() -> None:
    """Forgets a session that failed, so that another may begin."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        wandb.teardown()
