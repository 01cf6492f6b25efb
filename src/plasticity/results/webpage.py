"""A page that opens from disk, with everything it needs inside: its template filled, and its tables."""

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from math import isfinite
from typing import Any

import plotly.offline

from plasticity import __version__

PAGE = files("plasticity.results").joinpath("page")


def filled(template: str, parts: Mapping[str, str], scripts: Sequence[str]) -> str:
    """The frame of all pages around a file of `page/`; in both, double braces hold the name of a part."""
    every = {
        "body": _fill(template, parts),
        "style": PAGE.joinpath("style.css").read_text(),
        "scripts": "\n".join(PAGE.joinpath(f"{name}.js").read_text() for name in scripts),
        "plotly": plotly.offline.get_plotlyjs(),
        "version": __version__,
        **parts,
    }
    return _fill("frame.html", every)


def _fill(template: str, parts: Mapping[str, str]) -> str:
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], PAGE.joinpath(template).read_text())


def links(names: Mapping[str, str]) -> str:
    """To sections, by their ids."""
    return "".join(f'<a href="#{name}">{escape(word)}</a>' for name, word in names.items())


def data(value: Mapping[str, Any]) -> str:
    """For a script element, in which `</script`, `<!--` and `<script` are the page's, whatever string they stand in."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


def sortable(kind: str, value: object, inside: str) -> str:
    """A cell of a table that is sorted by what its cells are worth: a number, or text. What is no number comes last."""
    worth = "" if isinstance(value, float) and not isfinite(value) else str(value)
    return f'<td class="{kind}" data-value="{escape(worth)}">{inside}</td>'


def section(name: str, title: str, how: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table of words under a heading; nothing where it would have no row."""
    if not rows:
        return ""
    first = "".join(f"<th>{escape(word)}</th>" for word in head)
    body = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in rows)
    return titled(name, title, how, f"<thead><tr>{first}</tr></thead><tbody>{body}</tbody>")


def titled(name: str, title: str, how: str, inside: str) -> str:
    text = f'<h2>{escape(title)}</h2><p class="hint">{escape(how)}</p><div class="scroll"><table>{inside}</table></div>'
    return f'<section id="{name}" data-table>{text}</section>'
