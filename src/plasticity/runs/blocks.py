"""YAML as the suite writes it, fast: of thousands of files that are nearly alike, a part that many share is read once.

A file is a mapping of keys at the margin. It is cut before each of them, and each part is read by itself, or known. A
cut in a wrong place, as within quotes or brackets, leaves a part that cannot be read: then the file is read as a whole,
and so it is where a part may refer to another one, or where anything is written in another way.
"""

import re
from functools import lru_cache
from typing import Any

import yaml

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times faster where libyaml is there
KEY = re.compile(r"^(?=[A-Za-z_])", re.MULTILINE)
PART = re.compile(r"[A-Za-z_]\w*:(?: [^\n]*)?\n(?:(?: |- )[^\n]*\n)*", re.ASCII)  # a key, and what hangs on it
NESTED = re.compile(r"(\w+:\n)((?=  [A-Za-z_])(?:  [^\n]*\n)+)", re.ASCII)  # whose value may be a mapping
MARGIN = re.compile(r"^  ", re.MULTILINE)
COMMENT = re.compile(r"(?:#[^\n]*\n)*")
OTHERWISE = re.compile("[&*\0\r\x85\u2028\u2029\ufeff]")  # what refers to another part, and other ends of a line
MOST = 4_000  # parts that are known at a time


def load(text: str) -> Any:
    """As `yaml.load` with the safe loader. What many files share may be the same object: it is not to be changed."""
    start = COMMENT.match(text)
    try:
        if OTHERWISE.search(text) or not start or start.end() == len(text):
            raise _Otherwise
        return _mapping(text[start.end() :])
    except (_Otherwise, yaml.YAMLError):
        return yaml.load(text, Loader)


class _Otherwise(Exception):
    """It is not written as the suite writes it."""


def _mapping(text: str) -> dict[str, Any]:
    """Of keys at the margin."""
    found: dict[str, Any] = {}
    for part in filter(None, KEY.split(text)):
        found.update(_part(part))
    return found


@lru_cache(MOST)
def _part(text: str) -> dict[str, Any]:
    if not PART.fullmatch(text):
        raise _Otherwise
    if nested := NESTED.fullmatch(text):
        (key,) = yaml.load(nested[1], Loader)  # which may be no text: `on` is a truth
        return {key: _mapping(MARGIN.sub("", nested[2]))}
    return yaml.load(text, Loader)
