"""What is known of a run's files from an earlier look is what is in them now."""

import os
from pathlib import Path
from time import time_ns

import pytest

from plasticity.runs import kept
from plasticity.runs.kept import Kept


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(kept, "user_cache_dir", lambda name: str(tmp_path / "cache"))
    monkeypatch.setattr(kept, "SETTLED", 0)  # but where a test is about it, files need no time to settle
    return tmp_path / "cache"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "outputs" / "run" / "config.yaml"
    path.parent.mkdir(parents=True)
    path.write_text("one")
    return path


def look(file: Path) -> tuple[object, bool]:
    """As a command of its own would: what it finds, and whether it had to read the file."""
    reads: list[str] = []
    store = Kept(file.parents[1])
    found = store.of(file, lambda: reads.append(file.read_text()) or {"text": reads[-1]})
    store.save()
    return found, bool(reads)


def test_a_file_is_read_once(file: Path) -> None:
    assert look(file) == ({"text": "one"}, True)
    assert look(file) == ({"text": "one"}, False)


def test_what_has_changed_is_read_again_even_at_the_same_size_and_time(file: Path) -> None:
    look(file)
    about = file.stat()
    file.write_text("two")
    os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert look(file) == ({"text": "two"}, True)


def test_another_file_in_its_place_is_read(file: Path) -> None:
    look(file)
    about = file.stat()
    other = file.with_name("other")
    other.write_text("two")
    os.utime(other, ns=(about.st_atime_ns, about.st_mtime_ns))
    other.replace(file)
    assert look(file) == ({"text": "two"}, True)


def test_what_was_written_a_moment_ago_is_not_kept(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be written once more without its time changing."""
    monkeypatch.setattr(kept, "SETTLED", 60_000_000_000)
    look(file)
    assert look(file)[1]
    monkeypatch.setattr(kept, "time_ns", lambda: time_ns() + 61_000_000_000)
    look(file)
    assert not look(file)[1]


def test_what_changes_while_it_is_read_is_not_kept(file: Path) -> None:
    store = Kept(file.parents[1])

    def read() -> str:
        text = file.read_text()
        file.write_text("longer")
        return text

    assert store.of(file, read) == "one"
    store.save()
    assert look(file) == ({"text": "longer"}, True)


@pytest.mark.parametrize("value", [{1: "a number is no key in JSON"}, float("nan"), (1, 2), {1, 2}])
def test_what_json_would_give_back_otherwise_is_not_kept(value: object, file: Path) -> None:
    for _ in range(2):
        reads: list[object] = []
        store = Kept(file.parents[1])
        found = store.of(file, lambda reads=reads: reads.append(value) or value)
        store.save()
        assert found is value
        assert reads


def test_a_damaged_or_unwritable_cache_is_no_cache(file: Path, own_cache: Path) -> None:
    look(file)
    (there,) = (own_cache / "folders").iterdir()
    there.write_bytes(b"not a database, but long enough to be taken for one" * 9)
    assert look(file) == ({"text": "one"}, True)
    assert not there.exists()
    assert [look(file)[1] for _ in range(2)] == [True, False]
    there.unlink()
    there.mkdir()
    assert look(file) == ({"text": "one"}, True)


def test_a_file_that_is_not_there_is_asked_for_each_time(file: Path) -> None:
    file.unlink()
    for _ in range(2):
        store = Kept(file.parents[1])
        assert store.of(file, lambda: 0) == 0
        store.save()
    file.write_text("one")
    assert look(file) == ({"text": "one"}, True)


def test_mistakes_are_not_kept(file: Path) -> None:
    store = Kept(file.parents[1])
    with pytest.raises(ValueError, match="no"):
        store.of(file, lambda: int("no"))
    store.save()
    assert look(file)[1]
