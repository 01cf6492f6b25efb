"""From runs to the two tables that the comparison rests on, and to and from the files that are committed."""

# pandas declares more than comes out: a group's key and what a column gives are of any type there.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportGeneralTypeIssues=false
# pyright: reportReturnType=false

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from plasticity.ground.errors import Mistake
from plasticity.results.curves import Curve, common
from plasticity.results.field.entries import ELASTIC, Class, Placed, Sizes, Tried
from plasticity.results.statistics import level

SELECTION, EVALUATION = "selection.csv", "evaluation.parquet"
SIZES = ("connections", "work", "memory")
WORDS = ("dataset", "contestant", "title", "boundaries", "setting", "line", "growth", "match", "regime")
SETTING = ("dataset", "N", "contestant", "title", "boundaries", "step_size", "setting", "line")
PLACE = ("dataset", "N", "growth", "match", "regime")
CHOSEN = (*PLACE, "contestant", "step_size", "setting")  # what says which curve of the evaluation it is
COLUMNS = {
    SELECTION: (*SETTING, "seed", "tasks", "accuracy", *SIZES),
    EVALUATION: (*CHOSEN, "seed", "task", "accuracy", *SIZES),
}

Each = TypeVar("Each", Tried, Placed)


def selection(entries: Iterable[Tried], curves: Sequence[Curve]) -> pd.DataFrame:
    """One row per setting and seed: the mean accuracy over all tasks, and the sizes over the last third of them."""
    rows = []
    for each, cut in _as_long(_there(entries, curves), lambda each: (each.dataset, each.N)):
        who, accuracy = asdict(each), cut.series("accuracy").mean(axis=1)
        sizes = {size: level(cut.series(size)) for size in SIZES}
        for place, seed in enumerate(cut.seeds):
            values = {size: float(sizes[size][place]) for size in SIZES}
            run = {"seed": seed, "tasks": cut.tasks, "accuracy": float(accuracy[place])}
            rows.append({name: who[name] for name in SETTING} | run | values)
    return pd.DataFrame(rows)


def evaluation(entries: Iterable[Placed], curves: Sequence[Curve]) -> pd.DataFrame:
    """One row per chosen setting, class, seed and task."""
    parts = []
    for each, cut in _as_long(_there(entries, curves), lambda each: (each.where.dataset, each.where.N)):
        seeds, task = np.repeat(cut.seeds, cut.tasks), np.tile(np.arange(cut.tasks), len(cut.seeds))
        series = {name: cut.series(name).ravel().astype(np.float32) for name in ("accuracy", *SIZES)}
        parts.append(pd.DataFrame(_chosen(each) | {"seed": seeds, "task": task} | series))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _chosen(entry: Placed) -> dict[str, Any]:
    flat = {**asdict(entry), **asdict(entry.where)}
    return {name: flat[name] for name in CHOSEN}


def elastic_sizes(evaluated: pd.DataFrame, seeds: int) -> Sizes:
    """What AEN settles at on fresh seeds, where it has so many of them."""
    if not len(evaluated):
        return {}
    aen = evaluated[evaluated["contestant"] == ELASTIC]
    parts = aen.groupby(["dataset", "N", "growth", "regime"], sort=False)
    return {place: _settled(part) for place, part in parts if part["seed"].nunique() >= seeds}


def _settled(part: pd.DataFrame) -> Mapping[str, float]:
    wide = {size: part.pivot_table(index="seed", columns="task", values=size) for size in SIZES}
    return {size: round(float(level(table.to_numpy(np.float64)).mean())) for size, table in wide.items()}


def missing(entries: Iterable[Placed], evaluated: pd.DataFrame, seeds: int) -> list[Placed]:
    """What has fewer fresh seeds than it should."""
    counted = evaluated.groupby(list(CHOSEN), sort=False)["seed"].nunique().to_dict() if len(evaluated) else {}
    return [each for each in entries if counted.get(tuple(_chosen(each).values()), 0) < seeds]


def classes(evaluated: pd.DataFrame) -> list[Class]:
    """In which something is as large as an AEN."""
    return [Class(*place) for place in evaluated[list(PLACE)].drop_duplicates().itertuples(index=False, name=None)]


def joined(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """From several places; what two of them have counts once."""
    whole = pd.concat(parts, ignore_index=True)
    keys = [name for name in (*SETTING, *PLACE, "seed", "task") if name in whole]
    return whole.drop_duplicates(keys, ignore_index=True) if keys else whole


def _there(entries: Iterable[Each], curves: Sequence[Curve]) -> list[tuple[Each, Curve]]:
    by_key = {curve.key: curve for curve in curves}
    return [(entry, by_key[entry.key]) for entry in entries if entry.key in by_key]


def _as_long(
    there: Sequence[tuple[Each, Curve]], cell: Callable[[Each], tuple[str, int]]
) -> Iterator[tuple[Each, Curve]]:
    """Those that have as many tasks as most on their data set and N, cut to these: what went on longer is not compared
    by more, and what is still under way cuts nobody short."""
    lengths: dict[tuple[str, int], list[int]] = defaultdict(list)
    for each, curve in there:
        lengths[cell(each)] += [curve.tasks] * len(curve.seeds)
    tasks = {place: common(sorted(found)) for place, found in lengths.items()}
    for each, curve in there:
        if curve.tasks >= tasks[cell(each)]:
            yield each, curve.cut(tasks[cell(each)])


def write(folder: Path, tried: pd.DataFrame, evaluated: pd.DataFrame) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    tried.to_csv(folder / SELECTION, index=False, float_format="%.6g")
    paths = [folder / SELECTION]
    if len(evaluated):
        kinds = {name: "category" for name in CHOSEN if name != "step_size"}
        evaluated.astype(kinds).to_parquet(folder / EVALUATION, compression="zstd", index=False)
        paths.append(folder / EVALUATION)
    return paths


def read(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    if not (folder / SELECTION).is_file():
        raise Mistake(f"{folder / SELECTION} is missing; python launch/field.py writes it")
    tried = _checked(folder / SELECTION, partial(pd.read_csv, keep_default_na=False))
    if not (folder / EVALUATION).is_file():
        return tried, pd.DataFrame()
    evaluated = _checked(folder / EVALUATION, pd.read_parquet)
    return tried, evaluated.astype({name: object for name in CHOSEN if name in WORDS})


def _checked(path: Path, reader: Callable[[Path], pd.DataFrame]) -> pd.DataFrame:
    try:
        table = reader(path)
    except (OSError, ValueError) as error:
        raise Mistake(f"{path} cannot be read ({error})") from error
    if not len(table):
        raise Mistake(f"{path} has no rows; python launch/field.py writes it")
    for name in COLUMNS[path.name]:
        if name not in table:
            raise Mistake(f"{path} has no column {name}; python launch/field.py writes it")
        if name not in WORDS and not is_numeric_dtype(table[name]):
            raise Mistake(f"{path} has something in the column {name} that is no number")
    return table
