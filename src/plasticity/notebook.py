"""What a notebook or a script calls: runs and curves as DataFrames, doing a run, and the network of any task of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from warnings import warn

import pandas as pd
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import open_dict
from omegaconf.errors import OmegaConfBaseException
from threadpoolctl import threadpool_limits
from yaml import YAMLError

from hydra_plugins.plasticity.compose import loader
from hydra_plugins.plasticity.sentences import sentence
from plasticity.ground.errors import Mistake
from plasticity.learner import Learner
from plasticity.lives import Lives
from plasticity.networks import Network
from plasticity.record import Record
from plasticity.results import frames
from plasticity.results.lives.history import history
from plasticity.results.lives.scenes import Scene, scenes
from plasticity.runs import build, checkpoint, identity, pages
from plasticity.runs.config import Config
from plasticity.runs.execution import execute
from plasticity.runs.folder import CONFIG, LIVES, Folder
from plasticity.runs.keys import text, typed
from plasticity.runs.progress import Quiet, view
from plasticity.runs.resolve import read_config, resolve
from plasticity.runs.run import Run
from plasticity.streams import Samples

CONF = Path(__file__).parents[2] / "conf"
OTHER_TIMES = ("seconds",)  # columns that are another number each time


def runs(outputs: str | Path = "outputs", *lines: str) -> pd.DataFrame:
    """A row for each run and task, with settings and measures as columns. `lines` choose runs: "model=aen N=*"."""
    return frames.runs(frames.read(outputs, lines)[0])


def curves(outputs: str | Path = "outputs", *lines: str, smooth: int = 1) -> pd.DataFrame:
    """A row for each curve and task: of each measure the mean over seeds, `…_std` and `…_ci95`, half of the interval;
    `smooth`: each seed's moving mean over so many tasks first."""
    return frames.curves(frames.read(outputs, lines)[1], smooth)


def run(*overrides: str, config_dir: str | Path | None = None, show: bool = False, **settings: Any) -> "Loaded":
    """As `python launch/main.py …` would: the same folder, the same numbers, resumed or extended if it is there."""
    words = [*overrides, *(f"{key}={text(value)}" for key, value in settings.items())]
    config = compose(words, [Path(config_dir)] if config_dir else [])
    done = execute(config, view() if show else Silent())
    return Loaded(done.folder)


def compose(words: list[str], more: list[Path]) -> Config:
    if not CONF.is_dir():
        raise Mistake(f"{CONF} is missing; install the suite from its repository, with pip install -e .")
    try:
        composed = loader(CONF, more).load_configuration("config", words, run_mode=RunMode.RUN)
    except (HydraException, OmegaConfBaseException, YAMLError) as error:
        raise Mistake(sentence(error)) from error
    with open_dict(composed):
        sweeper = composed.pop("hydra").sweeper
    if sweeper.curves or sweeper.params:
        raise Mistake(f"{' '.join(words)} is many runs; python launch/main.py starts them, and runs() reads them")
    return resolve(composed)


class Silent(Quiet):
    """Says only what somebody should know."""

    def say(self, line: str) -> None:
        if line.startswith("warning"):
            warn(line, stacklevel=2)


def load(folder: str | Path) -> "Loaded":
    """A run, by its folder."""
    if not (Path(folder) / CONFIG).is_file():
        raise Mistake(f"{folder} is not the folder of a run: it has no {CONFIG}")
    return Loaded(Path(folder))


@dataclass(frozen=True)
class Loaded:
    """A run that is read and never written."""

    folder: Path

    @cached_property
    def settings(self) -> dict[str, Any]:
        return typed(Folder(self.folder).what)

    @property
    def rows(self) -> pd.DataFrame:
        """Its tasks.csv."""
        return pd.DataFrame([dict(row) for row in self._records])

    @property
    def lives(self) -> pd.DataFrame:
        """A row for each unit there ever was: when it was born and died, in which task and after how many of its
        samples, and why. One that lives has neither death nor reason."""
        rows = []
        for life in history(self.folder).lives:
            died = life.died or (pd.NA, pd.NA)
            rows.append((life.unit, *life.born, *died, life.why))
        names = ("unit", "born_task", "born_sample", "died_task", "died_sample", "why")
        return pd.DataFrame(rows, columns=names).astype(dict.fromkeys(names[:-1], "Int64"))

    @property
    def looks(self) -> pd.DataFrame:
        """A row for each unit and task that it began, before rules act: the share of samples on which it fires, its
        mean output, sums of its absolute incoming and outgoing weights, and its utility."""
        glances = history(self.folder).glances
        return pd.concat([pd.DataFrame({"task": one.task, "unit": one.units, **one.looks}) for one in glances])

    @property
    def _records(self) -> list[Record]:
        return Folder(self.folder).rows

    def samples(self, task: int) -> Samples:
        """What the network meets in a task."""
        return self._learner().stream.samples(task)

    def network(self, task: int | None = None) -> Network:
        """As row `task` of tasks.csv describes it: when the task begins, after the rules that act then. Without a task:
        as the last one left it. From the nearest checkpoint before, or from the start, learned anew in memory."""
        there = len(self._records)
        if task is not None and not 0 <= task < there:
            raise Mistake(f"task {task} is not one of {self.folder}: it has 0 to {there - 1}, and network() is the end")
        learner = self._learner()
        with threadpool_limits(1):  # as the run itself
            start = self._restore(learner, there if task is None else task)
            for record in learner.records(start, there if task is None else task):
                self._compare(record)
            if task is not None:
                learner.begin(task)
        return learner.network

    def scenes(self, first: int | None = None, last: int | None = None) -> Iterator[Scene]:
        """The network when each of these tasks begins, before rules act, and which units they drop or renew then.
        Without `last`: when the task would begin that is next; without `first`: that one alone."""
        there = len(self._records)
        last = there if last is None else last
        first = last if first is None else first
        if not 0 <= first <= last <= there:
            raise Mistake(
                f"task {last} is not one of {self.folder}: it has 0 to {there - 1}, and {there} would be next"
            )
        learner = self._learner()
        with threadpool_limits(1):  # as the run itself
            start = self._restore(learner, first)
            known = Lives() if start == 0 else pages.lives(self.folder / LIVES, start, learner.network.units)
            for scene in scenes(learner, known, start, last):
                if scene.task >= first:
                    yield scene

    def _learner(self) -> Learner:
        config = read_config(self.folder / CONFIG)
        if Run(config).digest != identity.digest(Folder(self.folder).what):
            raise Mistake(f"{self.folder} was run with other code of your own than there is now; it cannot be repeated")
        return build.learner(config)

    def _restore(self, learner: Learner, task: int) -> int:
        """Nothing is set aside or removed, unlike by a run that goes on; gives the task that comes next."""
        found = checkpoint.readable(self.folder, identity.digest(Folder(self.folder).what))
        for saved in sorted(found, key=lambda one: -len(one.rows)):
            if len(saved.rows) <= task:
                learner.network.restore(saved.network)
                return len(saved.rows)
        return 0

    def _compare(self, record: Record) -> None:
        """Learned anew on another kind of machine, numbers may differ in their last digits."""
        before, now = self._kept[int(record["task"])], record
        unlike = [name for name in before if name in now and name not in OTHER_TIMES and before[name] != now[name]]
        if [name for name in unlike if before[name] == before[name]]:
            warn(f"{self.folder}: task {record['task']} learned anew differs in {', '.join(unlike)}", stacklevel=3)

    @cached_property
    def _kept(self) -> list[Record]:
        return self._records
