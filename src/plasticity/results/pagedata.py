"""What the report's page draws from: every seed's values, and how each figure shows them."""

import base64
import gzip
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from plasticity.results import drawing, panels, words
from plasticity.results.curves import Curve
from plasticity.results.figures import Figure, Preset
from plasticity.results.measures import MEASURES, measure
from plasticity.results.statistics import ENOUGH, quantile

CHOICE = "choice"  # the figure of all curves, of which a reader picks some
CONSTANTS = {
    "enough": ENOUGH,
    "stray": panels.STRAY,
    "stretch": panels.STRETCH,
    "middle": panels.MIDDLE,
    "room": panels.ROOM,
    "ticks": drawing.TICKS,
    "linear": drawing.LINEAR,
}
DESCRIBED = ("title", "meaning", "scale", "size", "least", "most", "from_zero")


def data(figures: Sequence[Figure], curves: Sequence[Curve], lives: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    names = list(dict.fromkeys(name for curve in curves for name in curve.measures))
    described, blocks = _curves(curves)
    seeds = range(ENOUGH, max(len(curve.traces) for curve in curves) + 1)
    return {
        "curves": described,
        "figures": [_figure(figure, names) for figure in (*figures, *_choices(figures, curves))],
        "measures": {name: _measure(name) for name in _ordered(names)},
        "quantiles": {n: float(quantile(n - 1)) for n in seeds},
        "constants": CONSTANTS,
        "lives": list(lives),
        "packed": base64.b64encode(gzip.compress(b"".join(blocks), mtime=0)).decode(),
    }


def _ordered(names: Iterable[str]) -> list[str]:
    known = list(MEASURES)
    return sorted(names, key=lambda name: known.index(name) if name in known else len(known))


def _measure(name: str) -> dict[str, Any]:
    shown = measure(name)
    return {key: value for key, value in asdict(shown).items() if key in DESCRIBED} | {"axis": shown.axis}


def _curves(curves: Sequence[Curve]) -> tuple[dict[str, Any], list[bytes]]:
    """Each once, however many figures show it; and where in the values its own begin, by measure."""
    described, blocks, at = {}, [], 0
    for curve in curves:
        starts = {}
        for name in curve.measures:
            starts[name] = at
            blocks.append(curve.series(name).astype("<f4").tobytes())
            at += len(curve.traces) * curve.tasks
        own = {"dataset": curve.dataset, "N": curve.N, "seeds": curve.seeds, "tasks": curve.tasks, "starts": starts}
        described[curve.key] = own
    return described, blocks


def _choices(figures: Sequence[Figure], curves: Sequence[Curve]) -> list[Figure]:
    """Of each data set and N, all curves there are."""
    found = []
    for dataset, N in dict.fromkeys((figure.preset.dataset, figure.preset.N) for figure in figures):
        here = tuple(curve for curve in curves if (curve.dataset, curve.N) == (dataset, N))
        preset = Preset(CHOICE, "A choice of curves", dataset, N, tuple(curve.what for curve in here))
        found.append(Figure(preset, here, (), figures[0].settings))
    return found


def _figure(figure: Figure, names: Sequence[str]) -> dict[str, Any]:
    preset, choice = figure.preset, figure.preset.name == CHOICE
    there = [name for name in names if any(name in curve.measures for curve in figure.curves)]
    return {
        "name": figure.name,
        "title": preset.title,
        "dataset": preset.dataset,
        "N": preset.N,
        "cell": words.where(preset.dataset, preset.N),
        "panels": figure.panels,
        "logarithmic": [name for name in there if figure.logarithmic(name)],
        "smooth": {} if choice else {name: width for name in there if (width := panels.light(figure, name)) > 1},
        "curves": [_shown(figure, curve) for curve in figure.curves],
        "notes": [] if choice else figure.notes,
        "choice": choice,
        "hidden": [curve.key for curve in figure.curves[FIRST:]] if choice else [],
    }


FIRST = 6  # curves that a choice begins with


def _shown(figure: Figure, curve: Curve) -> Mapping[str, Any]:
    points = sorted(figure.published(curve).items())
    return {"key": curve.key, "legend": figure.legend(curve), **asdict(figure.style(curve)), "published": points}
