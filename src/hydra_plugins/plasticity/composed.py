"""What Hydra composed of groups, kept for the next command: a tenth of a second each, hundreds for a page of figures.

It is found again by all that it was made of: every file of settings, the schema, Hydra itself. So what has changed is
composed anew, and nothing that is kept can be out of date.
"""

import hashlib
import json
import pickle
import platform
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hydra.types import RunMode
from omegaconf import DictConfig, open_dict
from platformdirs import user_cache_dir

from plasticity.ground.files import ours
from plasticity.runs import config
from plasticity.runs.kept import forgiving, tidy

LIBRARIES = ("hydra-core", "omegaconf")
ELSEWHERE = b"searchpath"  # settings that name further folders: of those nothing is known here
FOLDERS, LIBRARY = ("", "file"), ("pkg", "structured")  # where settings are, by how their place begins
TABLE = "CREATE TABLE IF NOT EXISTS composed (words TEXT PRIMARY KEY, value BLOB)"


class Composed:
    """By the words that choose groups. Where it cannot be read or written, Hydra composes, and that is all."""

    def __init__(self, loader: Any, config_name: str, always: Sequence[str] = ()):
        """`always`: what is said to Hydra itself."""
        self._loader, self._config_name, self._always = loader, config_name, always

    def of(self, words: Sequence[str]) -> DictConfig:
        """What these choices of groups make of a run's settings, without Hydra's own."""
        said = [*self._always, *words]
        if any(ELSEWHERE.decode() in word for word in said):
            return self._compose(said)
        key = json.dumps([self._config_name, *said])
        if (known := self._known(key)) is not None:
            return known
        found = self._compose(said)
        if self._there is not None:
            with forgiving(self._file), self._there:
                self._there.execute("INSERT OR REPLACE INTO composed VALUES (?, ?)", (key, pickle.dumps(found)))
        return found

    def _compose(self, said: Sequence[str]) -> DictConfig:
        composed = self._loader.load_configuration(self._config_name, said, run_mode=RunMode.RUN)
        with open_dict(composed):
            composed.pop("hydra")
        return composed

    def _known(self, key: str) -> DictConfig | None:
        if self._there is not None:
            with suppress(sqlite3.Error, pickle.UnpicklingError, EOFError, AttributeError, ValueError, TypeError):
                for (value,) in self._there.execute("SELECT value FROM composed WHERE words = ?", (key,)).fetchall():
                    found = pickle.loads(value)
                    return found if isinstance(found, DictConfig) else None
        return None

    @cached_property
    def _there(self) -> sqlite3.Connection | None:
        """What is unpickled can be code: it is only read where nobody else can write."""
        with suppress(OSError, LookupError), forgiving(self._file):
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if ours(self._file.parent):
                new = not self._file.exists()
                there = sqlite3.connect(self._file)
                there.execute("PRAGMA synchronous = OFF")  # it can be composed again
                there.execute(TABLE)
                if new:
                    tidy(self._file.parent)
                return there
        return None

    @cached_property
    def _file(self) -> Path:
        return Path(user_cache_dir("plasticity")) / "composed" / f"{self._digest()[:16]}.sqlite"

    def _digest(self) -> str:
        """Of all that settings are composed of. Raises LookupError where that cannot be said."""
        libraries = [platform.python_version(), *map(version, LIBRARIES), Path(config.__file__).read_text()]
        found = hashlib.sha256(json.dumps(libraries).encode())
        for element in self._loader.config_search_path.get_path():
            kind, _, place = element.path.rpartition("://")
            if kind in FOLDERS:
                folder = Path(place)
                for path in sorted(folder.rglob("*.yaml")):
                    content = path.read_bytes()
                    if ELSEWHERE in content:
                        raise LookupError(path)
                    found.update(json.dumps([str(path.relative_to(folder)), len(content)]).encode() + content)
            elif kind not in LIBRARY:
                raise LookupError(element.path)
            found.update(b"/")
        return found.hexdigest()
