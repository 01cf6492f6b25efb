"""A page that opens from disk, with everything it needs inside: its template filled, and its tables."""

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

import plotly.offline

from plasticity import __version__

PAGE = files("plasticity.results").joinpath("page")


def filled(template: str, parts: Mapping[str, str], scripts: Sequence[str]) -> str:
    """A file of `page/`, with whatever stands in double braces there, and its scripts one after the other."""
    every = {
        "style": PAGE.joinpath("style.css").read_text(),
        "scripts": "\n".join(PAGE.joinpath(f"{name}.js").read_text() for name in scripts),
        "plotly": plotly.offline.get_plotlyjs(),
        "version": __version__,
        **parts,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: every[match[1]], PAGE.joinpath(template).read_text())


def data(value: Mapping[str, Any]) -> str:
    """For a script element, in which `</script`, `<!--` and `<script` are the page's, whatever string they stand in."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


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
