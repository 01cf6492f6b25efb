"""The rows of many runs, kept as `kept.py` keeps the rest, but as packed numbers that are read when asked for."""

import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import numpy as np

from plasticity.record import Record
from plasticity.runs.kept import forgiving, place, settled, signature, tidy
from plasticity.runs.rows import Table

KIND = "tables"
MOST = 500  # that wait to be written: thousands would take much memory
TABLE = f"CREATE TABLE IF NOT EXISTS {KIND} (path TEXT PRIMARY KEY, signature TEXT, columns TEXT, numbers BLOB)"
PLACES = "<f8"  # as numbers lie in the file
FAST = 1  # of zlib's levels: a third of the size


class KeptTables:
    """Of the runs below a folder. Where it cannot be read or written, files are read, and that is all."""

    def __init__(self, outputs: Path):
        self._file = place(KIND, outputs, "sqlite")
        self._new: list[tuple[str, str, str, bytes]] = []

    @cached_property
    def _there(self) -> sqlite3.Connection | None:
        with forgiving(self._file):
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            there = sqlite3.connect(self._file)
            try:
                there.execute(TABLE)
                return there
            except sqlite3.Error:
                there.close()
                raise
        return None

    def of(self, path: Path, read: Callable[[], Sequence[Record]]) -> Sequence[Record]:
        """What `read` gives, which must depend on this file alone."""
        key, before = os.path.abspath(path), signature(path)
        if before and (known := self._known(key, before)) is not None:
            return known
        found = read()
        if isinstance(found, Table) and before and before == signature(path) and settled(before):
            self._new.append((key, before, *packed(found)))
            if len(self._new) >= MOST:
                self.save()
        return found

    def _known(self, key: str, signature: str) -> Table | None:
        with suppress(sqlite3.Error, zlib.error, ValueError, TypeError):  # damaged: it is read, and kept anew
            words = f"SELECT columns, numbers FROM {KIND} WHERE path = ? AND signature = ?"
            for columns, numbers in self._there.execute(words, (key, signature)).fetchall() if self._there else ():
                return unpacked(columns, numbers)
        return None

    def save(self) -> None:
        """Two commands that save at once save in turns; what does not come to it is read again."""
        if self._new and self._there:
            with forgiving(self._file):
                with self._there:
                    self._there.executemany(f"INSERT OR REPLACE INTO {KIND} VALUES (?, ?, ?, ?)", self._new)
                tidy(self._file.parent)
        self._new.clear()


def packed(table: Table) -> tuple[str, bytes]:
    return json.dumps([table.names, table.whole]), zlib.compress(table.values.astype(PLACES).tobytes(), FAST)


def unpacked(columns: str, numbers: bytes) -> Table:
    names, whole = json.loads(columns)
    return Table(names, np.frombuffer(zlib.decompress(numbers), PLACES).reshape(-1, len(names)), whole)
