"""The report: one page that opens from disk, with everything it needs inside."""

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path
from urllib.parse import quote

from plasticity.results import pagedata, table, webpage, words
from plasticity.results.curves import Curve
from plasticity.results.field import published
from plasticity.results.field.published import Comparison
from plasticity.results.figures import Figure
from plasticity.results.lives.pagelines import lifelines
from plasticity.results.measures import MEASURES, measure
from plasticity.results.paper import choices, verdicts
from plasticity.results.paper.choices import Choice
from plasticity.results.paper.claims import Judgement, Verdict
from plasticity.results.sources import Source
from plasticity.results.table import Row
from plasticity.results.webpage import section, titled

SCRIPTS = ("page", "numbers", "plots", "pdf", "tables", "pickers", "lives")
LIVES = """<section id="lives"><h2>Lives of units</h2>
<div class="pickers"><label>Run <select id="pick-life"></select></label></div>
<div id="lifelines"></div>
<p class="hint">Each unit of one run of a curve is a line, from the first task that it began to its death, darker where
it fires on more samples, reddish where on none. Drag to zoom, double-click to go back. <code>python
launch/lives.py</code> draws those of all curves.</p></section>"""
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
    runs, lives = sum(len(curve.traces) for curve in source.curves), lifelines(source.curves, source.outputs)
    sections = {
        "lives": LIVES if lives else "",
        "verdicts": _verdicts(judged),
        "table": _table(rows, source),
        "choices": section("choices", "Choices", choices.HOW, choices.HEAD, choices.tallies(studied)),
        "published": section(
            "published", "Beside published numbers", published.HOW, published.HEAD, list(map(published.cells, beside))
        ),
        "measures": _measures(source.curves),
        "notes": _notes(notes),
    }
    there = [name for name, text in sections.items() if text]
    parts = {
        **sections,
        "lead": escape(_lead(source, runs)),
        "title": "figures and verdicts",
        "heading": "Growing and elastic networks that keep learning",
        "links": webpage.links({name: name.capitalize() for name in ("figures", *there)}),
        "command": "figures",
        "commands": escape(_commands(source.curves)),
        "data": webpage.data(pagedata.data(figures, source.curves, lives)),
    }
    return webpage.filled("index.html", parts, SCRIPTS)


def _lead(source: Source, runs: int) -> str:
    cells = dict.fromkeys(words.cell(curve.dataset, curve.N) for curve in source.curves)
    seconds = sum(trace.seconds for curve in source.curves for trace in curve.traces)
    return (
        "A sequence of image-classification tasks, one sample at a time, learned by fixed, growing and "
        f"elastic networks: {_many(runs, 'run')} of {_many(len(source.curves), 'curve')} ({'; '.join(cells)}; "
        f"{seconds / 3600:,.1f} core-hours)."
    )


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _commands(curves: Sequence[Curve]) -> str:
    """What would give as many seeds and tasks as there are."""
    seeds = max(len(curve.traces) for curve in curves)
    return COMMANDS.format(seeds=seeds, tasks=max(curve.tasks for curve in curves))


def _verdicts(judged: Sequence[Judgement]) -> str:
    """Of claims that some run speaks to, where it does."""
    shown = [one for one in judged if one.begun]
    cells = list(dict.fromkeys((one.dataset, one.N) for one in shown))
    kinds = "|".join(verdict for verdict in Verdict if any(one.verdict is verdict for one in shown))
    head = "".join(f"<th>{escape(words.cell(*cell))}</th>" for cell in cells)
    text = [f'<thead><tr><th data-filter="{kinds}">The paper says</th>{head}</tr></thead><tbody>']
    for claim in verdicts.statements(shown):
        there = {(one.dataset, one.N): one for one in shown if one.claim.says == claim}
        chips = "".join(f"<td>{_chip(there[cell]) if cell in there else ''}</td>" for cell in cells)
        text.append(f'<tr class="claim" tabindex="0" aria-expanded="false"><td>{escape(claim)}</td>{chips}</tr>')
        evidence = "".join(map(_evidence, there.values()))
        text.append(f'<tr class="evidence" hidden><td colspan="{len(cells) + 1}">{evidence}</td></tr>')
    how = f"{verdicts.tally(shown)}. {verdicts.RULE} Click a claim for the numbers."
    return titled("verdicts", "Verdicts on the paper's claims", how, "".join([*text, "</tbody>"])) if shown else ""


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


FILTERED = ("data", "N")


def _table(rows: Sequence[Row], source: Source) -> str:
    kinds = ["text" if column.name in ("data", "curve") else "number" for column in table.COLUMNS]
    head = "".join(
        f'<th data-sort="{kind}"{" data-filter" if column.name in FILTERED else ""}>{escape(column.name)}</th>'
        for column, kind in zip(table.COLUMNS, kinds, strict=True)
    )
    text = [f"<thead><tr>{head}</tr></thead><tbody>"]
    for row, curve in zip(rows, source.curves, strict=True):
        inside = {"seeds": _runs(curve, source)}
        cells = "".join(
            _cell(column, row, kind, inside.get(column.name)) for column, kind in zip(table.COLUMNS, kinds, strict=True)
        )
        text.append(f"<tr>{cells}</tr>")
    return titled("table", "Table", f"{table.HOW} Click a heading to sort.", "".join([*text, "</tbody>"]))


def _cell(column: table.Column, row: Row, kind: str, inside: str | None) -> str:
    return webpage.sortable(kind, column.value(row), inside or escape(column.text(row)))


def _runs(curve: Curve, source: Source) -> str:
    """Links to the folders, where they are still there."""
    here = (source.folder / "report").absolute()
    links = []
    for place in (*(trace.folder for trace in curve.traces), *curve.unused):
        folder = (source.outputs / place).absolute()
        name = escape(Path(place).name) + (" (left out)" if place in curve.unused else "")
        link = quote(os.fsencode(os.path.relpath(folder, here)))  # a name may hold what means something in an address
        links.append(f'<a href="{link}/">{name}</a>' if folder.is_dir() else f"<span>{name}</span>")
    return f"<details><summary>{len(curve.traces)}</summary>{''.join(links)}</details>"


def _measures(curves: Sequence[Curve]) -> str:
    """What each that some run has means, in one line."""
    there = dict.fromkeys(name for curve in curves for name in curve.measures)
    shown = [measure(name) for name in (*(name for name in MEASURES if name in there), *there) if name in there]
    rows = [(one.name, one.axis, one.meaning) for one in dict.fromkeys(shown)]
    how = "What every column of tasks.csv means. Units, connections and dormancy are those of a task's start."
    return section("measures", "Measures", how, ("column", "title", "meaning"), rows)


def _notes(notes: Sequence[str]) -> str:
    if not notes:
        return ""
    said = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f'<section id="notes"><h2>Not in the figures</h2><ul class="notes">{said}</ul></section>'
