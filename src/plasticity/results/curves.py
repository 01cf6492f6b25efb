"""A curve: the runs that differ only in the seed, as arrays over seeds and tasks, read off their folders."""

from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from pathlib import Path

import numpy as np

from plasticity.ground.arrays import Floats
from plasticity.ground.errors import Mistake
from plasticity.results.measures import KEPT, MEASURES
from plasticity.runs import folder as folders
from plasticity.runs import identity
from plasticity.runs.folder import Folder
from plasticity.runs.identity import What
from plasticity.runs.rows import columns, series

NAMED = 3  # runs without a task, of which the others are counted


@dataclass(frozen=True)
class Trace:
    """One run."""

    seed: int
    values: Mapping[str, Floats]  # by measure: (tasks,)
    seconds: float  # of all the tasks learned, of which `values` may be a part
    learned: int
    folder: str  # below outputs
    asked: int  # tasks the run is to have
    state: str  # why it has fewer, if it has

    @property
    def tasks(self) -> int:
        return len(next(iter(self.values.values())))


@dataclass(frozen=True)
class Curve:
    what: What
    traces: tuple[Trace, ...]  # by seed, all with the same number of tasks
    left_out: tuple[str, ...] = ()  # what is not in them, and why
    unused: tuple[str, ...] = ()  # folders of runs that are not in them

    @cached_property
    def key(self) -> str:
        return identity.curve_key(self.what)

    @property
    def dataset(self) -> str:
        return self.what["dataset"]["name"]

    @property
    def N(self) -> int:
        return self.what["N"]

    @property
    def label(self) -> str:
        return self.what["label"]

    @property
    def seeds(self) -> tuple[int, ...]:
        return tuple(trace.seed for trace in self.traces)

    @property
    def tasks(self) -> int:
        return self.traces[0].tasks

    @cached_property
    def measures(self) -> list[str]:
        """Those of which some run has a value, and what follows from them; the suite's own in their order."""
        there = dict.fromkeys(name for trace in self.traces for name in trace.values)
        known = [name for name in there if np.isfinite(self.series(name)).any()]
        return sorted(known, key=lambda name: list(MEASURES).index(name) if name in MEASURES else len(MEASURES))

    def series(self, measure: str) -> Floats:  # (seeds, tasks)
        """nan where a run does not have the measure."""
        missing = np.full(self.tasks, nan)
        return np.stack([trace.values.get(measure, missing) for trace in self.traces])

    def cut(self, tasks: int) -> "Curve":
        def cut(trace: Trace) -> Trace:
            return replace(trace, values={name: values[:tasks] for name, values in trace.values.items()})

        return replace(self, traces=tuple(map(cut, self.traces)))

    def of(self, seeds: Collection[int]) -> "Curve":
        return replace(self, traces=tuple(trace for trace in self.traces if trace.seed in seeds))


def read(outputs: Path, seeds: Container[int] | None = None) -> tuple[list[Curve], list[str]]:
    """The curves whose runs, of these seeds, lie under a folder, and a sentence for each that could not be read."""
    runs, problems = read_runs(outputs)
    together: dict[str, list[Trace]] = defaultdict(list)
    whats: dict[str, What] = {}
    for what, trace in runs:
        if seeds is None or trace.seed in seeds:
            key = identity.curve_key(what)
            together[key].append(trace)
            whats.setdefault(key, what)
    return [curve(whats[key], traces) for key, traces in together.items()], problems


def read_runs(outputs: Path) -> tuple[list[tuple[What, Trace]], list[str]]:
    """Every run by itself, whole."""
    if not outputs.is_dir():
        raise Mistake(f"{outputs} is not a folder; run something first, or name the folder of the runs")
    found, problems, waiting = [], [], []
    for folder in folders.find(outputs):
        try:
            found.append(read_run(folder, outputs))
        except NoTask as nothing:
            waiting.append(str(nothing))
        except Mistake as problem:
            problems.append(str(problem))
        else:
            problems += folder.problems(found[-1][1].learned)
    if more := waiting[NAMED:]:  # a grid under way has hundreds
        waiting[NAMED:] = [f"{outputs}: in {len(more)} more {'run' if len(more) == 1 else 'runs'} no task is done yet"]
    return found, problems + waiting


class NoTask(Mistake):
    """A run that has nothing to show so far."""


def read_run(folder: Folder, outputs: Path) -> tuple[What, Trace]:
    config, rows, said = folder.config, folder.table, folder.status
    state = "" if said is None else f"{said.state}, {said.error}" if said.error else said.state
    if not rows:
        raise NoTask(f"{folder.path}: no task is done yet" + (f" ({state})" if state else ""))
    names = [name for name in dict.fromkeys((*KEPT, *columns(rows))) if name != "task"]
    values = {name: series(rows, name) for name in names}
    if "seconds" in values:
        values["us_per_sample"] = 1e6 * values["seconds"] / config["N"]
    seconds, place = round(sum(series(rows, "seconds").tolist()), 3), f"{folder.path.relative_to(outputs)}"
    trace = Trace(config["seed"], values, seconds, len(rows), place, config["tasks"], state)
    return identity.curve(folder.what), trace


def curve(what: What, traces: Iterable[Trace]) -> Curve:
    """The tasks that all its traces share, with everything else said in `left_out`."""
    by_seed: dict[int, Trace] = {}
    left_out = []
    all_traces = sorted(traces, key=lambda trace: (trace.seed, -trace.tasks, trace.folder))
    for trace in all_traces:
        if trace.seed in by_seed:
            left_out.append(f"seed {trace.seed} is there twice; {by_seed[trace.seed].folder} is used")
        by_seed.setdefault(trace.seed, trace)
    length = common(sorted(trace.tasks for trace in by_seed.values()))
    for trace in by_seed.values():
        left_out += _unlike(trace, length)
    used = tuple(trace for trace in by_seed.values() if trace.tasks >= length)
    unused = tuple(trace.folder for trace in all_traces if trace.folder not in {one.folder for one in used})
    return replace(Curve(what, used).cut(length), left_out=tuple(left_out), unused=unused)


def joined(found: Iterable[Curve]) -> list[Curve]:
    """Runs of one curve that were read in several places are one curve."""
    together: dict[str, list[Curve]] = defaultdict(list)
    for each in found:
        together[each.key].append(each)
    return [parts[0] if len(parts) == 1 else _joined(parts) for parts in together.values()]


def _joined(parts: Sequence[Curve]) -> Curve:
    whole = curve(parts[0].what, (trace for part in parts for trace in part.traces))
    said = (*(note for part in parts for note in part.left_out), *whole.left_out)
    unused = (*(folder for part in parts for folder in part.unused), *whole.unused)
    return replace(whole, left_out=tuple(dict.fromkeys(said)), unused=unused)


def common(lengths: Sequence[int]) -> int:
    """The number of tasks that keeps the most records: a run that has just begun cuts no other short."""
    return max(lengths, key=lambda length: (length * sum(other >= length for other in lengths), -length))


def of_another_length(seed: int, tasks: int, length: int) -> str:
    """What becomes of a seed that has fewer or more tasks than are shown."""
    if tasks < length:
        return f"seed {seed} has {tasks} tasks where others have {length}, left out"
    return f"seed {seed} has {tasks} tasks, {length} of them used"


def _unlike(trace: Trace, length: int) -> list[str]:
    said = []
    if trace.tasks < trace.asked:
        why = f" ({trace.state})" if trace.state else ""
        missing = ", left out" if trace.tasks < length else ""
        said.append(f"seed {trace.seed} has {trace.tasks} of {trace.asked} tasks{why}{missing}")
    elif trace.tasks < length:
        said.append(of_another_length(trace.seed, trace.tasks, length))
    if trace.tasks > length:
        said.append(of_another_length(trace.seed, trace.tasks, length))
    kept = np.stack([trace.values[name] for name in KEPT])  # (measures, tasks)
    absent = np.isnan(kept).all(axis=1)
    if absent.any():
        said.append(f"seed {trace.seed} has no {', '.join(np.array(KEPT)[absent])}")
    broken = np.flatnonzero(~np.isfinite(kept[~absent]).all(axis=0))
    if len(broken):
        where = f"in {len(broken)} tasks, from task {broken[0]}"
        said.append(f"seed {trace.seed} has values that are not numbers {where}")
    return said
