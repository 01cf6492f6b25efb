"""Lifelines for the report's page: of one run of each curve, which units there are in each task, and how they fire."""

import base64
import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from plasticity.ground.errors import Mistake
from plasticity.results.curves import Curve
from plasticity.results.lives.history import History, history
from plasticity.results.words import cell, names
from plasticity.runs.folder import LIVES

RUNS = 24  # in one page
CELLS = 1_000_000  # units × tasks of a run that a browser draws at once
ABSENT, SILENT, ALWAYS = 0, 1, 255  # of a unit in a task; the more it fires, the nearer it is to the last


def lifelines(curves: Sequence[Curve], outputs: Path) -> list[dict[str, Any]]:
    """Of the first run of each curve that wrote them down, if units came or went in it and it is not too long."""
    found: list[dict[str, Any]] = []
    for curve, name in zip(curves, names([curve.what for curve in curves]), strict=True):
        title = f"{name}, {cell(curve.dataset, curve.N)}"
        found += _of_first(curve, outputs, title) if len(found) < RUNS else []
    return found


def _of_first(curve: Curve, outputs: Path, title: str) -> list[dict[str, Any]]:
    there = [outputs / trace.folder for trace in curve.traces]
    folder = next((each for each in there if (each / LIVES).is_file()), None)
    try:
        one = history(folder) if folder else None
        shown = one and _changes(one) and len(one.lives) * one.tasks <= CELLS
        return [{"name": f"{title}, seed {one.what['seed']}", **_described(one)}] if one and shown else []
    except (Mistake, KeyError, IndexError, ValueError):  # a file that is damaged, or anybody's, is no picture
        return []


def _changes(one: History) -> bool:
    return any(life.died or life.born != (0, 0) for life in one.lives)


def _described(one: History) -> dict[str, Any]:
    died = [[round(one.when(life.died), 4), life.unit, life.why] for life in one.lives if life.died]
    packed = base64.b64encode(gzip.compress(shades(one).tobytes(), mtime=0)).decode()
    return {"units": len(one.lives), "tasks": one.tasks, "died": died, "packed": packed}


def shades(one: History) -> np.ndarray:  # (units, tasks) bytes
    """Not of a task that a unit does not live to learn."""
    found = np.full((len(one.lives), one.tasks), ABSENT, np.uint8)
    for glance in one.glances:
        fired = np.ceil((ALWAYS - SILENT) * np.asarray(glance.looks["fired"], float))
        found[glance.units, glance.task] = SILENT + fired
    for life in one.lives:
        if life.died and life.died[1] == 0:
            found[life.unit, life.died[0]] = ABSENT
    return found
