"""A curve: the runs that differ only in the seed, as arrays over seeds and tasks, read off their folders."""

import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from plasticity.arrays import Floats
from plasticity.errors import Mistake
from plasticity.runs import records, status

METRICS = ("accuracy", "dormancy", "units", "connections")
# What makes two runs one curve. The engine is not in it: engines differ in speed, not in what they compute.
WHAT = ("model", "dataset", "N", "step_size", "order", "probe")
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times faster where libyaml is there

What = Mapping[str, Any]


@dataclass(frozen=True)
class Trace:
    """One run."""

    seed: int
    values: Floats  # (metrics, tasks)
    seconds: float  # of all the tasks learned, of which `values` may be a part
    learned: int
    folder: str  # below outputs
    asked: int  # tasks the run is to have
    state: str  # why it has fewer, if it has

    @property
    def tasks(self) -> int:
        return self.values.shape[1]


@dataclass(frozen=True)
class Curve:
    what: What
    traces: tuple[Trace, ...]  # by seed, all with the same number of tasks
    left_out: tuple[str, ...] = ()  # what is not in them, and why

    @cached_property
    def key(self) -> str:
        return digest(self.what)

    @property
    def dataset(self) -> str:
        return self.what["dataset"]["name"]

    @property
    def N(self) -> int:
        return self.what["N"]

    @property
    def label(self) -> str:
        return self.what["model"]["label"]

    @property
    def seeds(self) -> tuple[int, ...]:
        return tuple(trace.seed for trace in self.traces)

    @property
    def tasks(self) -> int:
        return self.traces[0].tasks

    def series(self, metric: str) -> Floats:  # (seeds, tasks)
        return np.stack([trace.values[METRICS.index(metric)] for trace in self.traces])

    def cut(self, tasks: int) -> "Curve":
        cut = (replace(trace, values=trace.values[:, :tasks]) for trace in self.traces)
        return replace(self, traces=tuple(cut))

    def of(self, seeds: Collection[int]) -> "Curve":
        return replace(self, traces=tuple(trace for trace in self.traces if trace.seed in seeds))


def digest(what: What) -> str:
    text = json.dumps({key: what[key] for key in WHAT}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def read(outputs: Path) -> tuple[list[Curve], list[str]]:
    """The curves whose runs lie under a folder, and a sentence for each folder that could not be read."""
    if not outputs.is_dir():
        raise Mistake(f"{outputs} is not a folder; run something first, or name the folder with --outputs")
    together: dict[str, list[Trace]] = defaultdict(list)
    whats: dict[str, What] = {}
    problems = []
    for folder in folders(outputs):
        try:
            what, trace = read_run(folder, outputs)
        except Mistake as problem:
            problems.append(str(problem))
        else:
            together[digest(what)].append(trace)
            whats.setdefault(digest(what), what)
    return [curve(whats[key], traces) for key, traces in together.items()], problems


def folders(outputs: Path) -> Iterator[Path]:
    for path, inside, files in os.walk(outputs):
        inside.sort()
        if "config.yaml" in files:
            inside.clear()  # nothing below a run is another run
            yield Path(path)


def read_run(folder: Path, outputs: Path) -> tuple[What, Trace]:
    try:
        config = yaml.load((folder / "config.yaml").read_text(), Loader)
        what = {key: config[key] for key in WHAT}
        seed, asked = int(config["seed"]), int(config["tasks"])
        _ = what["model"]["label"], what["dataset"]["name"]
    except (yaml.YAMLError, OSError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
        raise Mistake(f"{folder}: config.yaml cannot be read ({type(error).__name__}: {error})") from error
    rows = records.read(folder / "tasks.csv")
    said = status.read(folder)
    state = "" if said is None else f"{said.state}, {said.error}" if said.error else said.state
    if not rows:
        raise Mistake(f"{folder}: no task is done yet" + (f" ({state})" if state else ""))
    values = np.array([[getattr(row, metric) for row in rows] for metric in METRICS], np.float64)
    seconds = round(sum(row.seconds for row in rows), 3)
    return what, Trace(seed, values, seconds, len(rows), f"{folder.relative_to(outputs)}", asked, state)


def curve(what: What, traces: Iterable[Trace]) -> Curve:
    """The tasks that all its traces share, with everything else said in `left_out`."""
    by_seed: dict[int, Trace] = {}
    left_out = []
    for trace in sorted(traces, key=lambda trace: (trace.seed, -trace.tasks, trace.folder)):
        if trace.seed in by_seed:
            left_out.append(f"seed {trace.seed} is there twice; {by_seed[trace.seed].folder} is used")
        by_seed.setdefault(trace.seed, trace)
    length = common(sorted(trace.tasks for trace in by_seed.values()))
    for trace in by_seed.values():
        left_out += _unlike(trace, length)
    used = tuple(trace for trace in by_seed.values() if trace.tasks >= length)
    return replace(Curve(what, used).cut(length), left_out=tuple(left_out))


def common(lengths: Sequence[int]) -> int:
    """The number of tasks that keeps the most records: a run that has just begun cuts no other short."""
    return max(lengths, key=lambda length: (length * sum(other >= length for other in lengths), -length))


def _unlike(trace: Trace, length: int) -> list[str]:
    said = []
    if trace.tasks < trace.asked:
        why = f" ({trace.state})" if trace.state else ""
        missing = ", left out" if trace.tasks < length else ""
        said.append(f"seed {trace.seed} has {trace.tasks} of {trace.asked} tasks{why}{missing}")
    elif trace.tasks < length:
        said.append(f"seed {trace.seed} has {trace.tasks} tasks where others have {length}, left out")
    if trace.tasks > length:
        said.append(f"seed {trace.seed} has {trace.tasks} tasks, {length} of them used")
    broken = np.flatnonzero(~np.isfinite(trace.values).all(axis=0))
    if len(broken):
        where = f"in {len(broken)} tasks, from task {broken[0]}"
        said.append(f"seed {trace.seed} has values that are not numbers {where}")
    return said
