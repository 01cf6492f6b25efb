"""Runs and curves as pandas DataFrames: for notebooks and scripts, and as csv and parquet."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from plasticity.ground.arrays import Floats
from plasticity.ground.errors import Mistake
from plasticity.results import archive, choosing, words
from plasticity.results import curves as read_curves
from plasticity.results.curves import Curve, Trace
from plasticity.results.measures import MEASURES
from plasticity.results.measures import measure as described
from plasticity.results.statistics import bands, smooth
from plasticity.runs.keys import typed

FORMS = ("csv", "parquet")


def read(outputs: str | Path, lines: Sequence[str] = ()) -> tuple[list[Curve], list[Curve]]:
    """Each run by itself, and the curves that they are together: of run folders, or of a folder that has records alone;
    `lines` choose some, as `model=aen N=*`."""
    folder = Path(outputs)
    found, problems = read_curves.read_runs(folder)
    if not found and (folder / "records" / archive.INDEX).is_file():
        found = [(curve.what, trace) for curve in archive.read(folder / "records") for trace in curve.traces]
    if not found:
        raise Mistake(f"{folder} has no run with a finished task" + (f" ({problems[0]})" if problems else ""))
    alone = [Curve(what, (replace(trace, folder=str(folder / trace.folder)),)) for what, trace in found]
    chosen = choosing.chosen(alone, lines) if lines else alone
    if not chosen:
        raise Mistake(f"no run of {folder} is of {' or '.join(lines)}")
    return chosen, read_curves.joined(chosen)


def runs(alone: Sequence[Curve]) -> pd.DataFrame:
    """Long: a row for each run and task, with its settings, the task, and every measure."""
    parts = [_run(curve, trace) for curve in alone for trace in curve.traces]
    return _in_order(pd.concat(parts, ignore_index=True), _keys(alone))


def _run(curve: Curve, trace: Trace) -> pd.DataFrame:
    values = {name: _counted(name, of) for name, of in trace.values.items()}
    rows = pd.DataFrame({"task": np.arange(trace.tasks), **values})
    own = {**_settings(curve), "seed": trace.seed, "folder": trace.folder, "state": trace.state}
    return rows.assign(**own)


def _counted(name: str, values: Floats) -> np.ndarray:
    """Numbers of units and connections are whole."""
    whole = described(name).section == "size" and bool(np.isfinite(values).all())
    return values.astype(np.int64) if whole else values


def curves(found: Sequence[Curve], smoothing: int = 1) -> pd.DataFrame:
    """A row for each curve and task; of every measure the mean over seeds, its standard deviation and half its 95 % t
    interval (`…_std`, `…_ci95`)."""
    parts = []
    for cell in dict.fromkeys((curve.dataset, curve.N) for curve in found):
        here = [curve for curve in found if (curve.dataset, curve.N) == cell]
        names = words.names([curve.what for curve in here])
        parts += [_curve(curve, name, smoothing) for curve, name in zip(here, names, strict=True)]
    return _in_order(pd.concat(parts, ignore_index=True), ["curve", *_keys(found)])


def _curve(curve: Curve, name: str, smoothing: int) -> pd.DataFrame:
    columns: dict[str, Any] = {"task": np.arange(curve.tasks), "seeds": len(curve.traces)}
    for measure in curve.measures:
        band = bands(smooth(curve.series(measure), smoothing))
        columns |= {measure: band.mean, f"{measure}_std": band.std, f"{measure}_ci95": band.half}
    return pd.DataFrame(columns).assign(curve=name, **_settings(curve))


def measures(curves: Sequence[Curve]) -> pd.DataFrame:
    """What each column means."""
    there = dict.fromkeys(name for curve in curves for name in curve.measures)
    shown = [described(name) for name in there]
    return pd.DataFrame([{"measure": one.name, "title": one.axis, "meaning": one.meaning} for one in shown])


def _settings(curve: Curve) -> dict[str, Any]:
    """By the keys that one types; what is not a number or a word is a text."""
    return {
        key: value if isinstance(value, int | float | str | None) else str(value)
        for key, value in typed(curve.what).items()
        if not key.endswith(".kind")
    }


def _keys(curves: Sequence[Curve]) -> list[str]:
    return list(dict.fromkeys(key for curve in curves for key in _settings(curve)))


def _in_order(frame: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    first = [*keys, *(name for name in ("seed", "task", "seeds") if name in frame)]
    last = [name for name in ("state", "folder") if name in frame]
    known = [name for name in MEASURES if name in frame]
    rest = [name for name in frame if name not in (*first, *known, *last)]
    return frame.reindex(columns=[*first, *known, *rest, *last])


def write(folder: Path, outputs: Path, lines: Sequence[str] = ()) -> list[Path]:
    """Everything, in every form."""
    alone, together = read(outputs, lines)
    folder.mkdir(parents=True, exist_ok=True)
    tables: Mapping[str, pd.DataFrame] = {
        "runs": runs(alone),
        "curves": curves(together),
        "measures": measures(together),
    }
    paths = []
    for name, frame in tables.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
        frame.to_parquet(folder / f"{name}.parquet", index=False)
        paths += [folder / f"{name}.{form}" for form in FORMS]
    return paths
