"""Which figures are on disk as they would be drawn now, by what they are drawn from and what their files hold.

Times of files say nothing about what is in them, so nothing here goes by those: a figure that somebody deleted, edited
or replaced is drawn again, and so is every figure when the suite, a library, a font or a setting of matplotlib changes.
"""

import hashlib
import json
import platform
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.font_manager import FontProperties, findfont

from plasticity.ground.files import replace
from plasticity.runs import kept

LIBRARIES = ("matplotlib", "numpy", "pillow", "scipy", "fonttools", "contourpy", "kiwisolver")


class Drawn:
    """Of a folder: by a figure's name, what it was drawn from, and the digests of its files by their names. Where it
    cannot be kept, figures are drawn, and that is all."""

    def __init__(self, folder: Path):
        self._folder, self._file = folder, kept.place("figures", folder, "json")
        self._known: dict[str, tuple[str, dict[str, str]]] = {}
        with suppress(OSError, ValueError, TypeError, AttributeError):
            self._known = {name: (drawn_from, dict(there)) for name, (drawn_from, there) in self._read().items()}

    def _read(self) -> dict[str, Any]:
        return json.loads(self._file.read_text())

    def files(self, name: str, drawn_from: str) -> list[Path]:
        """Nothing, if it has to be drawn."""
        before, there = self._known.get(name, ("", {}))
        with suppress(OSError):
            if before == drawn_from and all(digest((self._folder / one).read_bytes()) == there[one] for one in there):
                return [self._folder / one for one in there]
        return []

    def add(self, name: str, drawn_from: str, there: Mapping[str, str]) -> None:
        self._known[name] = drawn_from, dict(there)

    def close(self) -> None:
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            replace(self._file, json.dumps(self._known).encode())
            kept.tidy(self._file.parent)


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def source(*parts: Any) -> str:
    """A digest of everything that a drawing is made from: data, and whatever else decides how it looks."""
    found = hashlib.sha256(surroundings().encode())
    _take(parts, found.update)
    return found.hexdigest()


def _take(value: Any, take: Callable[[Any], None]) -> None:
    """Each part with its kind and length, so that no two values give the same. One that has no `repr` of its own, which
    says where in memory it lies, is another one each time."""
    if isinstance(value, np.ndarray):
        take(f"array {value.dtype.str} {value.shape}\n".encode())
        take(np.ascontiguousarray(value))
    elif isinstance(value, Mapping):
        take(f"mapping {len(value)}\n".encode())
        for key, each in value.items():
            _take(key, take)
            _take(each, take)
    elif isinstance(value, list | tuple):
        take(f"sequence {len(value)}\n".encode())
        for each in value:
            _take(each, take)
    elif is_dataclass(value):
        _take([type(value).__name__, {each.name: getattr(value, each.name) for each in fields(value)}], take)
    else:
        text = repr(value).encode()
        take(f"{type(value).__name__} {len(text)}\n".encode() + text)


@cache
def surroundings() -> str:
    """Of the suite's own files, the libraries, the fonts and matplotlib's settings, whatever they are for."""
    package = Path(str(files("plasticity")))
    own = sorted(path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    fonts = {findfont(FontProperties(weight=weight)) for weight in ("normal", "bold")}
    said = {
        "files": {str(path.relative_to(package)): digest(path.read_bytes()) for path in own},
        "libraries": {name: version(name) for name in LIBRARIES} | {"python": platform.python_version()},
        "fonts": {Path(path).name: digest(Path(path).read_bytes()) for path in fonts},
        "settings": {key: repr(value) for key, value in dict.items(matplotlib.rcParams) if key != "backend"},
    }
    return json.dumps(said, sort_keys=True)
