"""Curves as a few small files that can be committed: one csv per curve, and what each of them is."""

import csv
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from io import StringIO
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from plasticity.ground.errors import Mistake
from plasticity.ground.files import replace
from plasticity.results.curves import Curve, Trace
from plasticity.results.measures import KEPT, PRUNING
from plasticity.results.statistics import bands
from plasticity.runs.keys import differences

INDEX = "curves.json"
LONGEST = 150  # letters of a file's name that say what it is; file systems take about 250
CURVE = ("label", "model", "dataset", "N", "stream", "probe", "update")
RUN = ("seed", "seconds", "learned", "folder", "asked", "state")


def write(folder: Path, curves: Sequence[Curve], settings: Mapping[str, Any]) -> None:
    """A file is named after its curve and in what it leaves the default settings."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [_name(curve, settings) for curve in curves]
    shared = Counter(names)
    index = []
    for curve, name in zip(curves, names, strict=True):
        distinct = shared[name] == 1 and len(name) <= LONGEST
        file = f"{name}.csv" if distinct else f"{name[:LONGEST]}-{curve.key}.csv"
        replace(folder / file, _csv(curve).encode())
        runs = [{name: getattr(trace, name) for name in RUN} for trace in curve.traces]
        index.append({"file": file, "what": curve.what, "left_out": curve.left_out, "runs": runs})
    replace(folder / INDEX, (json.dumps(index, indent=1, ensure_ascii=False) + "\n").encode())


def _name(curve: Curve, settings: Mapping[str, Any]) -> str:
    unlike = (re.sub(r"[^\w=.]", "", word) for word in differences(curve.what, settings))
    return "-".join([curve.dataset, f"N{curve.N}", curve.label, *unlike])


def read(folder: Path) -> list[Curve]:
    try:
        index = json.loads((folder / INDEX).read_text())
        return [_curve(folder, entry) for entry in index]
    except FileNotFoundError as error:
        raise Mistake(f"{error.filename} is missing; --save-records writes such records") from error
    except OSError as error:
        raise Mistake(f"{error.filename}: {error.strerror}; name a folder that holds records") from error
    except (ValueError, KeyError, TypeError) as error:
        raise Mistake(f"the records in {folder} cannot be read ({type(error).__name__}: {error})") from error


def _csv(curve: Curve) -> str:
    """For a reader the mean, spread and number of seeds; for what pairs by seed, every seed's value."""
    columns: dict[str, np.ndarray] = {"task": np.arange(curve.tasks)}
    kept = (*KEPT, *(name for name in PRUNING if name in curve.measures))
    for metric in kept:
        series = curve.series(metric)
        band = bands(series)
        columns.setdefault("n", band.n)
        columns |= {f"{metric}_mean": band.mean, f"{metric}_std": band.std}
    for metric in kept:
        series = curve.series(metric)
        columns |= {f"{metric}_seed{seed}": row for seed, row in zip(curve.seeds, series, strict=True)}
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    # Nine digits hold a share of any N and any number of connections; means are for readers.
    forms = [".6g" if name.endswith(("_mean", "_std")) else ".9g" for name in columns]
    for row in zip(*columns.values(), strict=True):
        writer.writerow(map(format, row, forms))
    return text.getvalue()


def _curve(folder: Path, entry: dict) -> Curve:
    if missing := {*CURVE} - {*entry["what"]}:
        raise ValueError(f"{entry['file']} does not say its {', '.join(sorted(missing))}")
    if not entry["runs"]:
        raise ValueError(f"{entry['file']} has no runs")
    path = folder / entry["file"]
    with path.open() as file:
        header, *rows = list(csv.reader(file))
    table = dict(zip(header, np.array(rows, np.float64).T, strict=True))

    def trace(run: dict) -> Trace:
        kept = (*KEPT, *(name for name in PRUNING if f"{name}_mean" in table))
        columns = {name: f"{name}_seed{run['seed']}" for name in kept}
        missing = np.full(len(rows), nan)
        return Trace(values={name: table.get(column, missing) for name, column in columns.items()}, **run)

    return Curve(entry["what"], tuple(map(trace, entry["runs"])), tuple(entry["left_out"]))
