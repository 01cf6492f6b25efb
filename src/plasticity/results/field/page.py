"""The comparison as a page: its table and pictures, by data set, by what is equal, and by step sizes."""

# pandas declares more than comes out: a group's key and what a column gives are of any type there.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportGeneralTypeIssues=false

from collections.abc import Iterator, Sequence
from html import escape
from math import isfinite
from typing import Any

import pandas as pd

from plasticity.ground.arrays import Floats
from plasticity.results import webpage
from plasticity.results.field import comparison, tables
from plasticity.results.field.collect import SIZES
from plasticity.results.field.comparison import Evaluated, Row
from plasticity.results.field.entries import SCRATCH, Choice, Class
from plasticity.results.field.pictures import MOVING, styles
from plasticity.results.field.sensitivity import short, span, varied
from plasticity.results.statistics import bands, smooth
from plasticity.results.words import UNITS_PER_TASK, cell

SECTIONS = {"figures": "Figures", "comparison": "Table", "sensitivity": "Sensitivity", "selection": "Selection"}
SCRIPTS = ("page", "tables", "field")
Group = tuple[Class, Sequence[Row]]
Words = Sequence[str]
PICKED = ("data", "equal in", "to an AEN with", "step sizes")
LEAD = (
    "At equal size, equal arithmetic or equal memory, do elastic networks keep learning better than fixed networks "
    "with the field's remedies? Settings were chosen with seeds that nothing here is measured on."
)


def page(found: Sequence[Evaluated], tried: pd.DataFrame, chosen: Sequence[Choice]) -> str:
    groups = [(where, comparison.rows(each)) for where, each in comparison.groups(found).items()]
    data = {"groups": [_group(*each) for each in groups], "sensitivity": list(_sensitivity(tried))}
    parts = {
        "title": "the comparison with the field",
        "heading": "Elastic networks beside the field's remedies",
        "links": webpage.links(SECTIONS),
        "command": "field",
        "lead": escape(LEAD),
        "moving": str(MOVING),
        "comparison": _comparison(groups),
        "selection": _selection(chosen),
        "data": webpage.data(data),
    }
    return webpage.filled("field.html", parts, SCRIPTS)


def _place(where: Class) -> dict[str, str]:
    return {
        "cell": cell(where.dataset, where.N),
        "match": tables.EQUAL_IN[where.match],
        "growth": UNITS_PER_TASK[where.growth],
        "regime": tables.REGIMES[where.regime],
    }


def _group(where: Class, rows: Sequence[Row]) -> dict[str, Any]:
    scratch = next((row.evaluated for row in rows if row.evaluated.choice.contestant == SCRATCH), None)
    looks = {name: {"color": style.color, "dash": style.dash} for name, style in styles(rows).items()}
    shown = [_row(row, scratch) | looks[row.contestant] for row in rows]
    return {**_place(where), "rows": shown}


def _row(row: Row, scratch: Evaluated | None) -> dict[str, Any]:
    choice, gap = row.evaluated.choice, scratch is not None and row.evaluated is not scratch
    return {
        "title": choice.title,
        "setting": choice.setting,
        "step_size": choice.step_size,
        "accuracy": {"mean": 100 * row.accuracy.mean, "half": _number(100 * row.accuracy.half)},
        "sizes": row.sizes,
        "best": row.best,
        "tasks": _band(row.evaluated.series["accuracy"]),
        "gap": _band(comparison.gap_over_tasks(row.evaluated, scratch)) if gap and scratch else None,
    }


def _band(series: Floats) -> dict[str, list[float | None]]:  # (seeds, tasks)
    band = bands(smooth(series, MOVING))
    return {name: [_number(100 * value) for value in getattr(band, name)] for name in ("mean", "half")}


def _number(value: float) -> float | None:
    return round(float(value), 4) if isfinite(value) else None


def _sensitivity(tried: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for place, there in tried.groupby(["dataset", "N"], sort=False):
        for title, part in there.groupby("title", sort=False):
            for key, table in varied(part):
                points = table.assign(accuracy=100 * table["accuracy"])
                best = points.groupby("value", sort=False)["accuracy"].max()
                yield {
                    "cell": cell(*place),
                    "title": title,
                    "key": short(key),
                    "points": points.to_dict("records"),
                    "best": list(best.items()),
                    "range": span(points["accuracy"].to_numpy()),
                }


def _comparison(groups: Sequence[Group]) -> str:
    numbers = len(tables.INTERVALS) + len(SIZES)
    kinds = ["text", *["number"] * numbers, "text", "number", "text"]
    rows = [
        _line(tuple(_place(where).values()), kinds, tables.cells(row), _numbers(row))
        for where, each in groups
        for row in each
    ]
    how = f"{tables.HOW} Click a heading to sort."
    return _table("comparison", "Table", how, PICKED, tables.HEAD, kinds, rows)


def _numbers(row: Row) -> list[float]:
    means = [getattr(row, name).mean for name in tables.INTERVALS]
    return [*means, *row.sizes.values(), row.evaluated.choice.step_size]


def _selection(chosen: Sequence[Choice]) -> str:
    kinds = ["text", "number", "text", "number", "number", "number", "text"]
    rows = [
        _line(
            (cell(*one.cell), tables.REGIMES[one.regime]),
            kinds,
            tables.cells_chosen(one),
            (one.tried, one.step_size, one.accuracy.mean, len(one.tied)),
        )
        for one in chosen
    ]
    return _table("selection", "Selection", tables.HOW_CHOSEN, PICKED[::3], tables.CHOSEN, kinds, rows)


def _table(name: str, title: str, how: str, picks: Words, head: Words, kinds: Words, rows: Words) -> str:
    picked = "".join(f'<th data-sort="text" data-filter>{escape(word)}</th>' for word in picks)
    others = "".join(f'<th data-sort="{kind}">{escape(word)}</th>' for word, kind in zip(head, kinds, strict=True))
    inside = f"<thead><tr>{picked}{others}</tr></thead><tbody>{''.join(rows)}</tbody>"
    return webpage.titled(name, title, how, inside)


def _line(picked: Words, kinds: Words, texts: Words, numbers: Sequence[float]) -> str:
    """A row: what can be picked, and then its own cells, of which those with numbers are sorted by these."""
    values = iter(numbers)
    cells = [
        webpage.sortable(kind, next(values) if kind == "number" else text, escape(text))
        for text, kind in zip((*picked, *texts), ["text"] * len(picked) + [*kinds], strict=True)
    ]
    return f"<tr>{''.join(cells)}</tr>"
