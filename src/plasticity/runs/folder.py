"""A run's folder: finding, reading and writing what is in it. The folder is the truth about a run."""

import os
import platform
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml

from plasticity import __version__
from plasticity.errors import Mistake
from plasticity.files import replace
from plasticity.record import Record
from plasticity.runs import checkpoint, identity, rows, status
from plasticity.runs.config import Config
from plasticity.runs.status import Status

CONFIG, ROWS, LOG = "config.yaml", "tasks.csv", "run.log"
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times faster where libyaml is there
AGAIN = "# Again: python launch/main.py --config-path {folder}\n"
# Hydra would otherwise make folders and logs of its own where the command is given.
QUIET = {
    "defaults": ["_self_", {"override hydra/job_logging": "none"}, {"override hydra/hydra_logging": "none"}],
    "hydra": {"run": {"dir": "."}, "output_subdir": None, "job": {"chdir": False}},
}


@dataclass(frozen=True)
class Folder:
    path: Path

    @cached_property
    def config(self) -> dict[str, Any]:
        """The configuration as it was written, with what identifies the run and what it ran on."""
        try:
            config = yaml.load((self.path / CONFIG).read_text(), Loader)
            _ = int(config["seed"]), int(config["tasks"]), int(config["N"])
            _ = config["identity"]["label"], config["identity"]["dataset"]["name"], config["identity"]["model"]["rules"]
        except (yaml.YAMLError, OSError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
            raise Mistake(f"{self.path}: {CONFIG} cannot be read ({type(error).__name__}: {error})") from error
        return config

    @property
    def what(self) -> identity.What:
        return self.config["identity"]

    @property
    def rows(self) -> list[Record]:
        return rows.read(self.path / ROWS)

    @property
    def certain_rows(self) -> list[Record]:
        """The rows that nothing can change: all of a finished run; else those that a checkpoint holds, because a run
        that is killed makes the others anew, in other seconds."""
        return self.rows if self.said_finished else self.rows[: checkpoint.rows(self.path)]

    @property
    def status(self) -> Status | None:
        return status.read(self.path)

    @property
    def said_finished(self) -> bool:
        """By the run's own word."""
        return self.status is not None and self.status.state == "finished"

    def write_config(self, config: Config) -> None:
        """A run that goes on keeps what it ran on before, and adds what it goes on with."""
        now = {"from_task": checkpoint.rows(self.path), **versions()}  # what no checkpoint holds is done anew
        before = self._ran_on()
        same = before and {**before[-1], "from_task": 0} == {**now, "from_task": 0}
        replace(self.path / CONFIG, text(config, self.path, before if same else [*before, now]).encode())

    def _ran_on(self) -> list[dict[str, Any]]:
        try:
            before = yaml.load((self.path / CONFIG).read_text(), Loader).get("ran_on") or []
            return [each for each in before if isinstance(each, dict)]
        except (OSError, yaml.YAMLError, UnicodeDecodeError, AttributeError, TypeError):
            return []

    def clear(self) -> None:
        """For a run that starts over: nothing of what it did before is left."""
        checkpoint.remove(self.path)
        for name in (CONFIG, ROWS, status.NAME):
            (self.path / name).unlink(missing_ok=True)


def find(outputs: Path) -> Iterator[Folder]:
    """The folders of runs below a folder, in order of their names."""
    for path, inside, files in os.walk(outputs):
        inside[:] = sorted(name for name in inside if not name.startswith("."))
        if CONFIG in files:
            inside.clear()  # nothing below a run is another run
            yield Folder(Path(path))


def text(config: Config, folder: Path, ran_on: list[dict[str, Any]]) -> str:
    """`config.yaml`: enough to run it again, and to know what its numbers are."""
    whole = QUIET | asdict(config) | {"force": False, "identity": identity.identity(config), "ran_on": ran_on}
    return AGAIN.format(folder=folder.absolute()) + yaml.safe_dump(whole, sort_keys=False, allow_unicode=True)


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
