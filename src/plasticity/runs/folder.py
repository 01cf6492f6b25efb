"""A run's folder: finding, reading and writing what is in it. The folder is the truth about a run."""

import os
import platform
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml

from plasticity import __version__
from plasticity.ground.errors import Mistake, printable, reason
from plasticity.ground.files import replace
from plasticity.lives import Page
from plasticity.record import Record
from plasticity.runs import blocks, checkpoint, expected, identity, pages, rows, status
from plasticity.runs.config import Config
from plasticity.runs.kept import Kept
from plasticity.runs.kept_tables import KeptTables
from plasticity.runs.status import Status
from plasticity.runs.summary import Summary

CONFIG, ROWS, LIVES, LOG = "config.yaml", "tasks.csv", "lives.jsonl", "run.log"
Dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)  # three times faster, as above all submitting needs it
OPENINGS, MOST_OPENINGS = ("[", "{", "- ", "? "), 2_000  # of what can be nested; a run has some dozens
AGAIN = "# Again: python launch/main.py --config-path {folder}\n"
# Hydra would otherwise make folders and logs of its own where the command is given.
QUIET = {
    "defaults": ["_self_", {"override hydra/job_logging": "none"}, {"override hydra/hydra_logging": "none"}],
    "hydra": {"run": {"dir": "."}, "output_subdir": None, "job": {"chdir": False}},
}


@dataclass(frozen=True)
class Folder:
    path: Path
    kept: Kept | None = field(default=None, compare=False, repr=False)  # what is known of its files
    tables: KeptTables | None = field(default=None, compare=False, repr=False)  # and of its rows

    @cached_property
    def config(self) -> dict[str, Any]:
        """The configuration as it was written, with what identifies the run and what it ran on."""
        try:
            config = self._of(CONFIG, _load)
            expected.check(config)
        except (yaml.YAMLError, OSError, KeyError, TypeError, ValueError, RecursionError, Mistake) as error:
            raise Mistake(f"{self.path}: {CONFIG} cannot be read ({reason(error)})") from error
        return config

    @property
    def what(self) -> identity.What:
        return self.config["identity"]

    @property
    def rows(self) -> list[Record]:
        return rows.read(self.path / ROWS)

    @property
    def table(self) -> Sequence[Record]:
        """The rows, in little memory: for whoever looks at many runs."""
        path = self.path / ROWS
        return rows.table(path) if self.tables is None else self.tables.of(path, lambda: rows.table(path))

    @property
    def summary(self) -> Summary | None:
        """Of its rows; None if there are none."""
        found = self._of(ROWS, _summary)
        return Summary(**found) if found else None

    @property
    def saved(self) -> int:
        """How many rows its checkpoint holds."""
        return self._of("checkpoint", lambda path: checkpoint.rows(path.parent))

    def _of(self, name: str, read: Callable[[Path], Any]) -> Any:
        """What is read of a file, or known of it."""
        path = self.path / name
        return read(path) if self.kept is None else self.kept.of(path, lambda: read(path))

    @property
    def pages(self) -> list[Page]:
        """Of the lives of its units, as many as its rows at most; none if it has not written them down."""
        return pages.read(self.path / LIVES)[: len(self.rows)]

    @property
    def certain_rows(self) -> Sequence[Record]:
        """The rows that nothing can change: all of a finished run; else those that a checkpoint holds, because a run
        that is killed makes the others anew, in other seconds."""
        return self.table[: self._vouched()]

    @property
    def certain(self) -> int:
        """How many those are, by what is kept of its files: for whoever looks at many runs."""
        known = self.summary
        return len(range(known.tasks if known else 0)[: self._vouched()])

    def _vouched(self) -> int:
        said = self.status
        return said.tasks_done if said is not None and said.state == "finished" else self.saved

    @property
    def status(self) -> Status | None:
        return status.read(self.path)

    @property
    def said_finished(self) -> bool:
        """By the run's own word."""
        return self.status is not None and self.status.state == "finished"

    def finished(self, tasks: int, done: int | None = None) -> bool:
        """With so many tasks: by its own word, and by rows that its checkpoint vouches for. Rows alone may be of a run
        that was killed before it saved the network that they came from. `done`: rows that were read just now."""
        if not self.said_finished:
            return False
        try:
            return min(len(self.table) if done is None else done, self.saved) >= tasks
        except Mistake:  # it says so itself, when it is run again
            return False

    def problems(self, done: int = 0) -> list[str]:
        """A sentence for each file that is damaged, though the run can be shown. `done`: as above."""
        found = (status.problem(self.path), rows.problem(self.path / ROWS, done))
        return [problem for problem in found if problem]

    def write_config(self, config: Config) -> None:
        """A run that goes on keeps what it ran on before, and adds what it goes on with."""
        now = {"from_task": checkpoint.rows(self.path), **versions()}  # what no checkpoint holds is done anew
        before = self._ran_on()
        same = before and {**before[-1], "from_task": 0} == {**now, "from_task": 0}
        replace(self.path / CONFIG, text(config, self.path, before if same else [*before, now]).encode())

    def _ran_on(self) -> list[dict[str, Any]]:
        try:
            before = _load(self.path / CONFIG).get("ran_on") or []
            return [each for each in before if isinstance(each, dict)]
        except (OSError, yaml.YAMLError, ValueError, AttributeError, TypeError, RecursionError):
            return []

    def clear(self) -> None:
        """For a run that starts over: nothing of what it did before is left."""
        checkpoint.remove(self.path)
        for name in (CONFIG, ROWS, LIVES, status.NAME):
            (self.path / name).unlink(missing_ok=True)


def _summary(path: Path) -> dict[str, Any] | None:
    found = rows.table(path)
    return asdict(Summary.of(found)) if found else None


def _load(path: Path) -> Any:
    text = path.read_text()
    if sum(text.count(opening) for opening in OPENINGS) > MOST_OPENINGS:  # libyaml itself would overflow its stack
        raise ValueError("it is nested too deeply")
    return blocks.load(text)


def find(outputs: Path) -> Iterator[Folder]:
    """The folders of runs below a folder, in order of their names. What is read of them meanwhile is kept."""
    unread: list[OSError] = []
    kept, tables = Kept(outputs), KeptTables(outputs)
    for path, inside, files in os.walk(outputs, onerror=unread.append):
        inside[:] = sorted(name for name in inside if not name.startswith("."))
        if CONFIG in (*files, *inside):
            inside.clear()  # nothing below a run is another run
            yield Folder(Path(path), kept, tables)
    kept.save()
    tables.save()
    for error in unread:  # there may be a run in it: whoever asks for its configuration gets a sentence
        yield Folder(Path(error.filename))


def text(config: Config, folder: Path, ran_on: list[dict[str, Any]]) -> str:
    """`config.yaml`: enough to run it again, and to know what its numbers are."""
    whole = QUIET | asdict(config) | {"force": False, "identity": identity.identity(config), "ran_on": ran_on}
    return AGAIN.format(folder=shlex.quote(printable(str(folder.absolute())))) + yaml.dump(
        whole, Dumper=Dumper, sort_keys=False, allow_unicode=True
    )


@cache
def versions() -> dict[str, str | None]:
    packages = {name: version(name) for name in ("numpy", "torch", "numba")}
    return {"python": platform.python_version(), **packages, "plasticity": __version__, "commit": _commit()}


def _commit() -> str | None:
    """The commit that the suite was run from, with a plus if files were changed since."""
    describe = ["git", "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty=+"]
    if shutil.which("git") is None:
        return None
    here = Path(__file__).parent
    return subprocess.run(describe, cwd=here, capture_output=True, text=True, check=False).stdout.strip() or None
