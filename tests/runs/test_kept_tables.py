"""The rows that are known from an earlier look are those that are in the file now."""

import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from plasticity.record import Record
from plasticity.runs import kept, kept_tables, rows
from plasticity.runs.folder import find
from plasticity.runs.kept_tables import KeptTables

TEXT = "task,accuracy,units,seconds\n0,0.1,3,nan\n1,0.30000000000000004,4,1e-05\n"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(kept, "user_cache_dir", lambda name: str(tmp_path / "cache"))
    monkeypatch.setattr(kept, "SETTLED", 0)
    return tmp_path / "cache"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "outputs" / "run" / "tasks.csv"
    path.parent.mkdir(parents=True)
    path.write_text(TEXT)
    return path


def look(file: Path) -> tuple[Sequence[Record], bool]:
    """As a command of its own would: the rows, and whether it had to read the file."""
    reads: list[Path] = []
    store = KeptTables(file.parents[1])
    found = store.of(file, lambda: reads.append(file) or rows.table(file))
    store.save()
    return found, bool(reads)


def test_a_file_is_read_once_and_its_numbers_are_the_same_to_the_last_bit(file: Path) -> None:
    first, again = look(file), look(file)
    assert (first[1], again[1]) == (True, False)
    assert rows.text(first[0], rows.columns(first[0])) == rows.text(again[0], rows.columns(again[0])) == TEXT


def test_what_has_changed_is_read_again_even_at_the_same_size_and_time(file: Path) -> None:
    look(file)
    about = file.stat()
    file.write_text(TEXT.replace("0.1", "0.2"))
    os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns))
    found, read = look(file)
    assert read
    assert found[0]["accuracy"] == 0.2


def test_what_was_written_a_moment_ago_is_not_kept(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "SETTLED", 60_000_000_000)
    assert [look(file)[1] for _ in range(2)] == [True, True]


def test_what_changes_while_it_is_read_is_not_kept(file: Path) -> None:
    store = KeptTables(file.parents[1])

    def read() -> Sequence[Record]:
        found = rows.table(file)
        file.write_text(TEXT + "2,0.5,5,1.0\n")
        return found

    assert len(store.of(file, read)) == 2
    store.save()
    assert len(look(file)[0]) == 3


def test_a_damaged_file_is_read_each_time(file: Path) -> None:
    file.write_text(TEXT + "2,0.5")
    assert [(len(found), read) for found, read in (look(file), look(file))] == [(2, True), (2, True)]


def test_a_file_that_is_not_there_has_no_rows(file: Path) -> None:
    look(file)
    file.unlink()
    assert look(file) == ([], True)


def test_a_damaged_or_unwritable_cache_is_no_cache(file: Path, own_cache: Path) -> None:
    look(file)
    (there,) = (own_cache / "tables").iterdir()
    there.write_bytes(b"not a database, but long enough to be taken for one" * 9)
    assert look(file)[1]
    assert not there.exists()
    assert [look(file)[1] for _ in range(2)] == [True, False]
    there.unlink()
    there.mkdir()
    assert look(file)[1]


@pytest.mark.parametrize("change", ["numbers = x'00'", "numbers = 'text'", "columns = '[]'", "columns = '{'"])
def test_numbers_that_cannot_be_unpacked_are_read_and_kept_anew(change: str, file: Path, own_cache: Path) -> None:
    look(file)
    (there,) = (own_cache / "tables").iterdir()
    with sqlite3.connect(there) as database:
        database.execute(f"UPDATE tables SET {change}")
    assert [look(file)[1] for _ in range(2)] == [True, False]


def test_thousands_do_not_wait_in_memory(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_tables, "MOST", 2)
    store = KeptTables(file.parents[1])
    for name in "abc":
        other = file.with_name(name)
        other.write_text(TEXT)
        store.of(other, lambda other=other: rows.table(other))
    assert len(store._new) == 1
    assert not look(file.with_name("a"))[1]


def test_whoever_looks_at_many_runs_reads_their_rows_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.with_name("config.yaml").write_text("")
    first = [np.array(folder.table.values) for folder in find(file.parents[1])]  # pyright: ignore
    monkeypatch.setattr(rows, "table", lambda path: pytest.fail(f"{path} is read again"))
    again = [folder.table.values for folder in find(file.parents[1])]  # pyright: ignore
    assert np.array_equal(first, again, equal_nan=True)
