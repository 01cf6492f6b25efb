"""The report: one page that opens from disk, with everything it needs inside."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from math import isfinite, log10
from pathlib import Path
from typing import Any

import numpy as np
import plotly.offline

from plasticity import __version__
from plasticity.arrays import Floats
from plasticity.results import table, words
from plasticity.results.curves import Curve
from plasticity.results.field import published
from plasticity.results.field.published import Comparison
from plasticity.results.figures import Figure
from plasticity.results.measures import KEPT
from plasticity.results.paper import choices, verdicts
from plasticity.results.paper.choices import Choice
from plasticity.results.paper.claims import Judgement
from plasticity.results.paper.statements import counts
from plasticity.results.sources import Source
from plasticity.results.statistics import bands
from plasticity.results.table import Row

COMMANDS = """pip install -e .
python launch/main.py experiment=paper 'seed=range(0,{seeds})' tasks={tasks}   # every run of the paper, once
python launch/main.py experiment=aen dataset=fmnist seeds=ten   # or the runs of one figure
python launch/figures.py   # figures, table, claims and this page"""


def page(
    figures: Sequence[Figure],
    rows: Sequence[Row],
    judged: Sequence[Judgement],
    studied: Sequence[Choice],
    beside: Sequence[Comparison],
    notes: Sequence[str],
    source: Source,
) -> str:
    runs = sum(len(curve.traces) for curve in source.curves)
    parts = {
        "lead": escape(_lead(source, runs)),
        "tally": "".join(f"<div><b>{n}</b><span>{verdict}</span></div>" for verdict, n in counts(judged).items()),
        "rule": escape(verdicts.RULE),
        "verdicts": _verdicts(judged),
        "how": escape(table.HOW),
        "table": _table(rows, source),
        "choices_link": '<a href="#choices">Choices</a>' if studied else "",
        "choices": _section("choices", "Choices", choices.HOW, choices.HEAD, choices.tallies(studied)),
        "published_link": '<a href="#published">Published</a>' if beside else "",
        "published": _section(
            "published", "Beside published numbers", published.HOW, published.HEAD, list(map(published.cells, beside))
        ),
        "commands": escape(_commands(source.curves)),
        "notes_link": '<a href="#notes">Notes</a>' if notes else "",
        "notes": _notes(notes),
        "version": __version__,
        "runs": str(runs),
        "plotly": plotly.offline.get_plotlyjs(),
        "data": _data(figures),
    }
    template = files("plasticity.results").joinpath("report.html").read_text()
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)


def _lead(source: Source, runs: int) -> str:
    cells = dict.fromkeys(words.cell(curve.dataset, curve.N) for curve in source.curves)
    seconds = sum(trace.seconds for curve in source.curves for trace in curve.traces)
    return (
        "A sequence of image-classification tasks, one sample at a time, learned by fixed, growing and "
        f"elastic networks: what {runs} runs of {len(source.curves)} curves ({'; '.join(cells)}; "
        f"{seconds / 3600:,.1f} core-hours) say about the paper's claims."
    )


def _commands(curves: Sequence[Curve]) -> str:
    """What would give as many seeds and tasks as there are."""
    seeds = max(len(curve.traces) for curve in curves)
    return COMMANDS.format(seeds=seeds, tasks=max(curve.tasks for curve in curves))


def _verdicts(judged: Sequence[Judgement]) -> str:
    cells = list(dict.fromkeys((one.dataset, one.N) for one in judged))
    head = "".join(f"<th>{escape(words.cell(*cell))}</th>" for cell in cells)
    text = [f"<thead><tr><th>The paper says</th>{head}</tr></thead><tbody>"]
    for claim in verdicts.statements(judged):
        there = {(one.dataset, one.N): one for one in judged if one.claim.says == claim}
        chips = "".join(f"<td>{_chip(there[cell]) if cell in there else ''}</td>" for cell in cells)
        text.append(f'<tr class="claim" tabindex="0" aria-expanded="false"><td>{escape(claim)}</td>{chips}</tr>')
        evidence = "".join(map(_evidence, there.values()))
        text.append(f'<tr class="evidence" hidden><td colspan="{len(cells) + 1}">{evidence}</td></tr>')
    return "".join([*text, "</tbody>"])


def _chip(judgement: Judgement) -> str:
    kind = judgement.verdict.replace(" ", "-")
    return f'<span class="chip {kind}">{verdicts.MARK[judgement.verdict]} {judgement.verdict}</span>'


def _evidence(judgement: Judgement) -> str:
    where = escape(words.cell(judgement.dataset, judgement.N))
    findings = [
        f"<li>{verdicts.MARK[finding.verdict]} {escape(verdicts.sentence(finding))}</li>"
        for finding in judgement.findings
    ]
    asked = escape(verdicts.asked(judgement))
    return f"<h4>{where} <em>(asked: {asked})</em></h4><ul>{''.join(findings)}</ul>"


def _table(rows: Sequence[Row], source: Source) -> str:
    kinds = ["text" if column.name in ("data", "curve") else "number" for column in table.COLUMNS]
    head = "".join(
        f'<th data-sort="{kind}">{escape(column.name)}</th>' for column, kind in zip(table.COLUMNS, kinds, strict=True)
    )
    text = [f"<thead><tr>{head}</tr></thead><tbody>"]
    for row, curve in zip(rows, source.curves, strict=True):
        inside = {"seeds": _runs(curve, source)}
        cells = "".join(
            _cell(column, row, kind, inside.get(column.name)) for column, kind in zip(table.COLUMNS, kinds, strict=True)
        )
        text.append(f"<tr>{cells}</tr>")
    return "".join([*text, "</tbody>"])


def _cell(column: table.Column, row: Row, kind: str, inside: str | None) -> str:
    value = column.value(row)
    sortable = "" if isinstance(value, float) and not isfinite(value) else str(value)
    return f'<td class="{kind}" data-value="{escape(sortable)}">{inside or escape(column.text(row))}</td>'


def _runs(curve: Curve, source: Source) -> str:
    """Links to the folders, where they are still there."""
    here = (source.folder / "report").absolute()
    links = []
    for trace in curve.traces:
        folder = (source.outputs / trace.folder).absolute()
        name = escape(Path(trace.folder).name)
        link = escape(Path(os.path.relpath(folder, here)).as_posix())
        links.append(f'<a href="{link}/">{name}</a>' if folder.is_dir() else f"<span>{name}</span>")
    return f"<details><summary>{len(links)}</summary>{''.join(links)}</details>"


def _section(name: str, title: str, how: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table under a heading; nothing where it would have no row."""
    if not rows:
        return ""
    first = "".join(f"<th>{escape(word)}</th>" for word in head)
    body = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    table = f'<div class="scroll"><table><thead><tr>{first}</tr></thead><tbody>{body}</tbody></table></div>'
    return f'<section id="{name}"><h2>{escape(title)}</h2><p class="hint">{escape(how)}</p>{table}</section>'


def _notes(notes: Sequence[str]) -> str:
    if not notes:
        return ""
    said = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f'<section id="notes"><h2>Not in the figures</h2><ul class="notes">{said}</ul></section>'


def _data(figures: Sequence[Figure]) -> str:
    """Each curve once, however many figures show it."""
    curves = {curve.key: _series(curve) for figure in figures for curve in figure.curves}
    cells = list(dict.fromkeys(words.cell(figure.preset.dataset, figure.preset.N) for figure in figures))
    data = {"curves": curves, "figures": list(map(_figure, figures)), "cells": cells}
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/")


def _series(curve: Curve) -> dict[str, dict[str, list[float | None]]]:
    found = {metric: bands(curve.series(metric)) for metric in KEPT}
    return {metric: {"mean": _short(band.mean), "half": _short(band.half)} for metric, band in found.items()}


def _short(values: Floats) -> list[float | None]:
    """Enough digits to draw; what is not a number is a gap."""
    return [float(f"{value:.5g}") if isfinite(value) else None for value in values]


def _figure(figure: Figure) -> dict[str, Any]:
    curves = []
    for curve in figure.curves:
        style = figure.style(curve)
        look = {"color": style.color, "dash": style.dash, "marker": style.marker}
        points = sorted(figure.published(curve).items())
        curves.append({"key": curve.key, "legend": figure.legend(curve), **look, "published": points})
    return {
        "name": figure.name,
        "title": figure.preset.title,
        "cell": words.cell(figure.preset.dataset, figure.preset.N),
        "panels": figure.panels,
        "logarithmic": [panel for panel in figure.panels if figure.logarithmic(panel)],
        "ranges": _ranges(figure),
        "curves": curves,
        "notes": figure.notes,
    }


def _ranges(figure: Figure) -> Mapping[str, list[float]]:
    """Logarithmic axes of units begin at one: a network may begin with none."""
    shown = [panel for panel in ("units",) if panel in figure.panels and figure.logarithmic(panel)]
    tops = [np.nanmax(np.concatenate([curve.series(panel).ravel() for curve in figure.curves])) for panel in shown]
    return {panel: [0, log10(top) + 0.1] for panel, top in zip(shown, tops, strict=True)}
