"""What was read of many runs' files, kept for the next command by each file's place, times, size and number.

It is kept among the user's own caches and not beside the runs, which may be somebody else's, and as plain JSON.
"""

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import time_ns
from typing import Any

from platformdirs import user_cache_dir

SETTLED = 2_000_000_000  # ns since a file's latest change: it might change once more at the time that its clock shows
LONG_AGO = 60 * 86_400_000_000_000  # ns
FORM = 1  # of what is kept; another one is read anew
TABLE = "CREATE TABLE IF NOT EXISTS kept (path TEXT PRIMARY KEY, signature TEXT, value TEXT)"


class Kept:
    """Of the runs below a folder. Where it cannot be read or written, files are read, and that is all."""

    def __init__(self, outputs: Path):
        self._file = place("folders", outputs, "sqlite")
        self._new: dict[str, tuple[str, str]] = {}
        self._known: dict[str, tuple[str, str]] = {}
        with suppress(OSError, sqlite3.Error):
            if self._file.exists():
                with closing(sqlite3.connect(self._file)) as there:
                    self._known = {path: tuple(rest) for path, *rest in there.execute("SELECT * FROM kept")}

    def of(self, path: Path, read: Callable[[], Any]) -> Any:
        """What `read` gives, which must depend on this file alone."""
        key, before = os.path.abspath(path), signature(path)
        known, value = self._known.get(key, (None, ""))
        if before and known == before:
            return json.loads(value)
        found = read()
        if before and before == signature(path) and settled(before) and (text := plain(found)):
            self._new[key] = before, text
        return found

    def save(self) -> None:
        """Two commands that save at once save in turns; what does not come to it is read again."""
        with forgiving(self._file):
            if self._new:
                self._write()

    def _write(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with closing(sqlite3.connect(self._file)) as there, there:
            there.execute(TABLE)
            rows = ((path, *rest) for path, rest in self._new.items())
            there.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", rows)
        tidy(self._file.parent)


@contextmanager
def forgiving(file: Path) -> Iterator[None]:
    """What a database will not do is left undone; one that is damaged goes, and the next command begins anew."""
    with suppress(OSError):
        try:
            yield
        except sqlite3.OperationalError:  # locked, not writable, or the disk is full
            pass
        except sqlite3.DatabaseError:
            file.unlink()


def place(kind: str, folder: Path, ending: str) -> Path:
    """The file of what is kept of a folder."""
    name = hashlib.sha256(f"{FORM} {folder.resolve()}".encode()).hexdigest()[:16]
    return Path(user_cache_dir("plasticity")) / kind / f"{name}.{ending}"


def tidy(folder: Path) -> None:
    """Without what is of folders that nobody has looked at for long."""
    for path in folder.iterdir():
        if time_ns() - path.stat().st_mtime_ns > LONG_AGO:
            path.unlink()


def signature(path: Path) -> str | None:
    """None: it is not there, or not to be looked at."""
    try:
        about = os.stat(path)
    except OSError:
        return None
    return f"{about.st_mtime_ns} {about.st_ctime_ns} {about.st_size} {about.st_ino} {about.st_dev}"


def settled(signature: str) -> bool:
    changed = max(int(number) for number in signature.split()[:2])
    return changed < time_ns() - SETTLED


def plain(value: Any) -> str | None:
    """None: JSON would give something else back."""
    try:
        text = json.dumps(value)
        return text if json.loads(text) == value else None
    except (TypeError, ValueError, RecursionError):
        return None
