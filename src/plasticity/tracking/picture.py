"""The dashboard's panels as a picture, drawn from the rows that wandb gets: what to expect, without an account."""

from collections import defaultdict
from collections.abc import Sequence
from math import nan
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plasticity.ground.arrays import Floats
from plasticity.ground.errors import Mistake
from plasticity.results.drawing import LOOK, literal
from plasticity.results.measures import COMPARED, measure
from plasticity.runs.folder import Folder
from plasticity.tracking.page import CURVE, Page
from plasticity.tracking.sync import runs

COLUMNS, LEGEND = 3, 4
Curves = dict[str, list[list[dict[str, float]]]]  # by model, by seed: the points of each task


def draw(outputs: Path, dataset: str, N: int) -> Figure:
    """One section of the dashboard: mean over seeds, and from the least to the most."""
    curves = _curves(outputs, dataset, N)
    with matplotlib.rc_context(LOOK):
        figure = Figure(figsize=(11, 5.6), layout="constrained")
        figure.suptitle(literal(f"{dataset}, N = {N:,}"), x=0.01, ha="left", weight="bold")
        axes = figure.subplots(-(-len(COMPARED) // COLUMNS), COLUMNS).ravel()
        for panel, name in zip(axes, COMPARED, strict=True):
            _panel(panel, measure(name).stored_axis, f"{dataset}-N{N}/{name}", curves)
        figure.legend(
            axes[0].get_lines(), list(map(literal, curves)), loc="outside lower left", ncols=min(len(curves), LEGEND)
        )
    return figure


def _curves(outputs: Path, dataset: str, N: int) -> Curves:
    curves: Curves = defaultdict(list)
    for folder in runs(outputs)[0]:
        page, rows = Page.of(folder), Folder(folder).certain_rows
        if (page.config["dataset"]["name"], page.N) == (dataset, N):
            curves[page.config[CURVE]].append([page.point(row) for row in rows])
    if not curves:
        raise Mistake(f"there are no runs of {dataset} with N={N} in {outputs}")
    return dict(sorted(curves.items()))


def _panel(panel: Axes, title: str, key: str, curves: Curves) -> None:
    panel.set_title(title)
    for seeds in curves.values():
        values = _table(key, seeds)
        tasks = np.arange(values.shape[1])
        (line,) = panel.plot(tasks, values.mean(axis=0), linewidth=1.1)
        panel.fill_between(tasks, values.min(axis=0), values.max(axis=0), color=line.get_color(), alpha=0.18, lw=0)


def _table(key: str, seeds: Sequence[Sequence[dict[str, float]]]) -> Floats:  # (seeds, tasks that all have)
    return np.array([[point.get(key, nan) for point in points] for points in zip(*seeds, strict=False)]).T
