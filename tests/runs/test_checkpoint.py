"""Checkpoints: whole or not at all."""

import hashlib
import json
import pickle
from collections.abc import Callable
from io import BytesIO
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.small import cascade, layered, record

from plasticity.networks import Network
from plasticity.record import Record
from plasticity.runs import checkpoint
from plasticity.runs.checkpoint import DIGEST, Checkpoint, Unusable

ROWS = tuple(record(task, accuracy=1 / 3, effective_rank=1.7, seconds=0.25) for task in range(3))
SAVED = Checkpoint("me", ROWS, cascade(3).snapshot())
BEFORE = Checkpoint("me", ROWS[:2], cascade(2).snapshot())


def same(a: Checkpoint, b: Checkpoint) -> bool:
    return (a.identity, a.rows) == (b.identity, b.rows) and all(
        np.array_equal(a.network[name], b.network[name]) for name in a.network | b.network
    )


def load(folder: Path, network: Network | None = None) -> tuple[Checkpoint | None, list[str]]:
    """What a run that goes on here has: the rows, and its network as it was restored."""
    own = network or cascade(0)
    rows, warnings = checkpoint.load(folder, "me", own.restore)
    return None if rows is None else Checkpoint("me", rows, own.snapshot()), warnings


def test_what_is_loaded_is_what_was_saved(tmp_path: Path) -> None:
    checkpoint.save(tmp_path, SAVED)
    loaded, warnings = load(tmp_path)
    assert loaded is not None
    assert same(loaded, SAVED)
    assert warnings == []


def test_a_checkpoint_without_rows_can_be_saved(tmp_path: Path) -> None:
    empty = Checkpoint("me", (), cascade(0).snapshot())
    assert same(Checkpoint.from_bytes(empty.to_bytes(), "me"), empty)


def test_every_prefix_is_detected() -> None:
    content = SAVED.to_bytes()
    for length in range(len(content)):
        with pytest.raises(Unusable):
            Checkpoint.from_bytes(content[:length], "me")


def test_200_random_single_byte_corruptions_are_detected() -> None:
    content, rng = SAVED.to_bytes(), np.random.default_rng(0)
    for _ in range(200):
        damaged = bytearray(content)
        damaged[rng.integers(len(content))] ^= int(rng.integers(1, 256))
        with pytest.raises(Unusable):
            Checkpoint.from_bytes(bytes(damaged), "me")


def test_another_runs_checkpoint_is_not_used() -> None:
    with pytest.raises(Unusable, match="another run"):
        Checkpoint.from_bytes(SAVED.to_bytes(), "you")


def test_a_newer_format_is_not_used(monkeypatch) -> None:
    newer = checkpoint.FORMAT + 1
    monkeypatch.setattr(checkpoint, "FORMAT", newer)
    content = SAVED.to_bytes()
    monkeypatch.undo()
    with pytest.raises(Unusable, match=f"format is {newer}"):
        Checkpoint.from_bytes(content, "me")


def test_nothing_is_ever_unpickled(tmp_path: Path) -> None:
    (tmp_path / "checkpoint").write_bytes(pickle.dumps(SAVED.rows))
    assert load(tmp_path)[0] is None


def test_a_damaged_checkpoint_is_set_aside_and_the_one_before_is_used(tmp_path: Path) -> None:
    checkpoint.save(tmp_path, BEFORE)
    checkpoint.save(tmp_path, SAVED)
    path = tmp_path / "checkpoint"
    path.write_bytes(path.read_bytes()[:-1])
    loaded, warnings = load(tmp_path)
    assert loaded is not None
    assert same(loaded, BEFORE)
    assert warnings == ["checkpoint cannot be used, it is damaged; set aside as unusable-1-checkpoint"]
    assert (tmp_path / "unusable-1-checkpoint").exists()
    assert not path.exists()


def test_setting_aside_never_overwrites_what_was_set_aside_before(tmp_path: Path) -> None:
    for _ in range(2):
        (tmp_path / "checkpoint").write_bytes(b"x")
        load(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"unusable-1-checkpoint", "unusable-2-checkpoint"}


@pytest.mark.parametrize("killed_after", ["write", "first rename"])
def test_a_kill_between_the_steps_of_saving_loses_nothing(tmp_path: Path, killed_after: str) -> None:
    checkpoint.save(tmp_path, BEFORE)
    (tmp_path / "checkpoint.new").write_bytes(SAVED.to_bytes())
    if killed_after == "first rename":
        (tmp_path / "checkpoint").rename(tmp_path / "checkpoint.previous")
    loaded, _ = load(tmp_path)
    assert loaded is not None
    assert same(loaded, SAVED)


Arrays = dict[str, Any]


def packed(arrays: Arrays) -> bytes:
    """As a checkpoint that is whole, by its digest, whatever is in it."""
    file = BytesIO()
    np.savez(file, **arrays)  # with allow_pickle, which reading does not have
    return hashlib.sha256(file.getvalue()).digest() + file.getvalue()


def unpacked(saved: Checkpoint) -> Arrays:
    with np.load(BytesIO(saved.to_bytes()[DIGEST:])) as arrays:
        return dict(arrays)


def bytes_of(text: bytes) -> np.ndarray:
    return np.frombuffer(text, np.uint8)


def meta_without(arrays: Arrays, key: str) -> np.ndarray:
    meta = json.loads(str(arrays["meta"]))
    return np.array(json.dumps({name: value for name, value in meta.items() if name != key}))


WRONG: dict[str, Callable[[Arrays], Arrays]] = {
    "an array of another shape": lambda arrays: {"network.weight": arrays["network.weight"][:-1]},
    "an array of no shape": lambda _: {"network.bias": np.array(0.5)},
    "counts that are too few": lambda _: {"network.counts": np.array([3])},
    "counts of another network": lambda _: {"network.counts": np.array([4, 4, 0])},
    "counts that are negative": lambda _: {"network.counts": np.array([-3, 3, 0])},
    "counts that are infinite": lambda _: {"network.counts": np.array([np.inf, 3, 0])},
    "weights that are text": lambda arrays: {"network.weight": np.full(arrays["network.weight"].shape, "a")},
    "weights that are complex": lambda arrays: {"network.weight": arrays["network.weight"] * 1j},
    "weights that are no numbers": lambda arrays: {"network.weight": arrays["network.weight"] * np.nan},
    "weights that are objects": lambda arrays: {"network.weight": arrays["network.weight"].astype(object)},
    "weights that are dates": lambda arrays: {"network.weight": arrays["network.weight"].astype("M8[s]")},
    "counts that no memory holds": lambda _: {"network.counts": np.array([2**40, 3, 0])},
    "more births than can be": lambda _: {"network.counts": np.array([3, -1, 0])},
    "more frozen units than there are": lambda _: {"network.counts": np.array([3, 3, 4])},
    "fewer frozen units than none": lambda _: {"network.counts": np.array([3, 3, -1])},
    "rows that are no text": lambda _: {"rows": bytes_of(b"\xff\xfe\xfd")},
    "rows that are numbers": lambda _: {"rows": np.zeros((3, 12))},
    "rows that are another text": lambda _: {"rows": bytes_of(b"hello\n")},
    "rows that end in the middle": lambda arrays: {"rows": arrays["rows"][:-5]},
    "rows with a damaged one": lambda arrays: {"rows": bytes_of(arrays["rows"].tobytes().replace(b"0.25", b"0.2x", 1))},
    "no rows": lambda _: {"rows": None},
    "meta that is no json": lambda _: {"meta": np.array("{")},
    "meta that is a number": lambda _: {"meta": np.array("3")},
    "meta that is a list": lambda _: {"meta": np.array("[]")},
    "meta without a format": lambda arrays: {"meta": meta_without(arrays, "format")},
    "meta without the names of arrays": lambda arrays: {"meta": meta_without(arrays, "arrays")},
    "no meta": lambda _: {"meta": None},
    "an array that is missing": lambda _: {"network.bias": None},
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("earlier", [True, False])
def test_a_whole_file_with_the_wrong_content_is_set_aside_too(tmp_path: Path, wrong: str, earlier: bool) -> None:
    if earlier:
        checkpoint.save(tmp_path, BEFORE)
        checkpoint.save(tmp_path, SAVED)
    arrays = unpacked(SAVED)
    changed = {name: values for name, values in (arrays | WRONG[wrong](arrays)).items() if values is not None}
    (tmp_path / "checkpoint").write_bytes(packed(changed))
    network = cascade(1)
    untouched = network.snapshot()
    loaded, (warning,) = load(tmp_path, network)
    assert warning.startswith("checkpoint cannot be used, ")
    assert warning.endswith("; set aside as unusable-1-checkpoint")
    assert "\n" not in warning
    if earlier:
        assert loaded is not None
        assert same(loaded, BEFORE)
    else:
        assert loaded is None
        assert all(np.array_equal(values, untouched[name]) for name, values in network.snapshot().items())


@pytest.mark.parametrize("place", [8, 10, -30])
def test_an_archive_that_says_what_is_not_so_is_set_aside(tmp_path: Path, place: int) -> None:
    """Encrypted, packed by a method that nobody knows, or with a directory elsewhere: zipfile has an error for each."""
    content = bytearray(SAVED.to_bytes()[DIGEST:])
    directory = content.find(b"PK\x01\x02")
    content[place if place < 0 else directory + place] = 0xFF
    (tmp_path / "checkpoint").write_bytes(hashlib.sha256(content).digest() + content)
    loaded, (warning,) = load(tmp_path)
    assert loaded is None
    assert warning.startswith("checkpoint cannot be used, ")
    assert checkpoint.rows(tmp_path) == 0


TRACES = {"age": None, "utility": 0.99}


@pytest.mark.parametrize("make", [cascade, layered])
def test_a_checkpoint_without_a_trace_that_a_rule_reads_is_set_aside(
    tmp_path: Path, make: Callable[[], Network]
) -> None:
    checkpoint.save(tmp_path, Checkpoint("me", ROWS, make().snapshot()))
    network = make()
    network.remember((), TRACES)
    loaded, (warning,) = load(tmp_path, network)
    assert loaded is None
    assert "trace." in warning


@pytest.mark.parametrize("make", [cascade, layered])
def test_a_checkpoint_without_the_memory_of_an_update_is_set_aside(tmp_path: Path, make: Callable[[], Network]) -> None:
    checkpoint.save(tmp_path, Checkpoint("me", ROWS, make().snapshot()))
    network = make()
    network.remember(("first",), {})
    loaded, (warning,) = load(tmp_path, network)
    assert loaded is None
    assert ".first" in warning


@pytest.mark.parametrize("make", [cascade, layered])
def test_traces_and_memory_are_part_of_a_checkpoint(tmp_path: Path, make: Callable[[], Network]) -> None:
    network = make()
    network.remember(("first", "birth"), TRACES)
    for values in (*network.traces.values(), *network.memory("first")):
        values[:] = np.arange(values.size).reshape(values.shape)
    saved = Checkpoint("me", ROWS, network.snapshot())
    checkpoint.save(tmp_path, saved)
    other = make()
    other.remember(("first", "birth"), TRACES)
    loaded, warnings = load(tmp_path, other)
    assert warnings == []
    assert loaded is not None
    assert same(loaded, saved)


def test_rows_without_a_column_are_loaded_without_it(tmp_path: Path) -> None:
    old = tuple(Record({name: value for name, value in row.items() if name != "renewed"}) for row in ROWS)
    checkpoint.save(tmp_path, Checkpoint("me", old, cascade(3).snapshot()))
    loaded, warnings = load(tmp_path)
    assert warnings == []
    assert loaded is not None
    assert loaded.rows == old
    assert all(isnan(row["renewed"]) for row in loaded.rows)


def test_onlookers_count_the_rows_without_a_word(tmp_path: Path) -> None:
    assert checkpoint.rows(tmp_path) == 0
    checkpoint.save(tmp_path, SAVED)
    assert checkpoint.rows(tmp_path) == 3
    (tmp_path / "checkpoint").write_bytes(b"x")
    assert checkpoint.rows(tmp_path) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint"]
