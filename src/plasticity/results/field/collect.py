"""From runs to the two tables that the comparison rests on, and to and from the files that are committed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pandas as pd

from plasticity.ground.errors import Mistake
from plasticity.results.curves import Curve
from plasticity.results.field.entries import Entry
from plasticity.results.statistics import level

SELECTION, EVALUATION = "selection.csv", "evaluation.parquet"
SIZES = ("connections", "work", "memory")
WHO = ("dataset", "N", "growth", "match", "contestant", "title", "boundaries", "step_size", "setting", "line")


def selection(entries: Iterable[Entry], curves: Sequence[Curve]) -> pd.DataFrame:
    """One row per setting and seed: the mean accuracy over all tasks, and the sizes over the last third of them."""
    there = _there(entries, curves)
    tasks = _tasks(there)
    rows = []
    for entry, curve in there:
        cut = curve.cut(tasks[entry.where])
        accuracy, sizes = cut.series("accuracy").mean(axis=1), {size: level(cut.series(size)) for size in SIZES}
        for place, seed in enumerate(cut.seeds):
            values = {size: float(sizes[size][place]) for size in SIZES}
            rows.append(_who(entry) | {"seed": seed, "tasks": cut.tasks, "accuracy": float(accuracy[place])} | values)
    return pd.DataFrame(rows)


def evaluation(entries: Iterable[Entry], curves: Sequence[Curve]) -> pd.DataFrame:
    """One row per chosen setting, seed and task."""
    parts = []
    there = _there(entries, curves)
    tasks = _tasks(there)
    for entry, curve in there:
        cut = curve.cut(tasks[entry.where])
        seeds, task = np.repeat(cut.seeds, cut.tasks), np.tile(np.arange(cut.tasks), len(cut.seeds))
        series = {name: cut.series(name).ravel().astype(np.float32) for name in ("accuracy", *SIZES)}
        parts.append(pd.DataFrame(_who(entry) | {"seed": seeds, "task": task} | series))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def joined(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """From several places; what two of them have counts once."""
    whole = pd.concat(parts, ignore_index=True)
    keys = [name for name in (*WHO, "seed", "task") if name in whole]
    return whole.drop_duplicates(keys, ignore_index=True) if keys else whole


def _there(entries: Iterable[Entry], curves: Sequence[Curve]) -> list[tuple[Entry, Curve]]:
    by_key = {curve.key: curve for curve in curves}
    return [(entry, by_key[entry.key]) for entry in entries if entry.key in by_key]


def _tasks(there: Sequence[tuple[Entry, Curve]]) -> Mapping[object, int]:
    """As many as all runs of a class have: what went on longer is not compared by more."""
    tasks: dict[object, int] = {}
    for entry, curve in there:
        tasks[entry.where] = min(curve.tasks, tasks.get(entry.where, curve.tasks))
    return tasks


def _who(entry: Entry) -> dict[str, object]:
    flat = {**asdict(entry), **asdict(entry.where)}
    return {name: flat[name] for name in WHO}


def write(folder: Path, tried: pd.DataFrame, evaluated: pd.DataFrame) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    tried.to_csv(folder / SELECTION, index=False, float_format="%.6g")
    paths = [folder / SELECTION]
    if len(evaluated):
        kinds = {name: "category" for name in WHO if name != "step_size"}
        evaluated.astype(kinds).to_parquet(folder / EVALUATION, compression="zstd", index=False)
        paths.append(folder / EVALUATION)
    return paths


def read(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    if not (folder / SELECTION).is_file():
        raise Mistake(f"{folder / SELECTION} is missing; python launch/field.py writes it")
    try:
        tried = pd.read_csv(folder / SELECTION, keep_default_na=False)
        there = (folder / EVALUATION).is_file()
        evaluated = pd.read_parquet(folder / EVALUATION) if there else pd.DataFrame()
    except (OSError, ValueError) as error:
        raise Mistake(f"the records in {folder} cannot be read ({error})") from error
    plain = {name: object for name in WHO if name not in ("step_size", "N")} if len(evaluated) else {}
    return tried, evaluated.astype(plain | ({"N": int} if plain else {}))
