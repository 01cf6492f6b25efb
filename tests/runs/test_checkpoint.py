"""Checkpoints: whole or not at all."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from support.small import cascade

from plasticity.runs import checkpoint
from plasticity.runs.checkpoint import Checkpoint, Unusable
from plasticity.runs.records import Record

ROWS = tuple(Record(task, 1 / 3, 0.0, 0.5, 4, 11_016, 1, 2, 1.7, 0.03, 0.25) for task in range(3))
SAVED = Checkpoint("me", ROWS, cascade(3).state())


def same(a: Checkpoint, b: Checkpoint) -> bool:
    return (a.identity, a.rows) == (b.identity, b.rows) and all(
        np.array_equal(a.network[name], b.network[name]) for name in a.network | b.network
    )


def test_what_is_loaded_is_what_was_saved(tmp_path: Path) -> None:
    checkpoint.save(tmp_path, SAVED)
    loaded, warnings = checkpoint.load(tmp_path, "me")
    assert loaded is not None
    assert same(loaded, SAVED)
    assert warnings == []


def test_a_checkpoint_without_rows_can_be_saved(tmp_path: Path) -> None:
    empty = Checkpoint("me", (), cascade(0).state())
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
    monkeypatch.setattr(checkpoint, "FORMAT", 2)
    newer = SAVED.to_bytes()
    monkeypatch.undo()
    with pytest.raises(Unusable, match="format is 2"):
        Checkpoint.from_bytes(newer, "me")


def test_nothing_is_ever_unpickled(tmp_path: Path) -> None:
    (tmp_path / "checkpoint").write_bytes(pickle.dumps(SAVED.rows))
    assert checkpoint.load(tmp_path, "me")[0] is None


def test_a_damaged_checkpoint_is_set_aside_and_the_one_before_is_used(tmp_path: Path) -> None:
    before = Checkpoint("me", ROWS[:2], cascade(2).state())
    checkpoint.save(tmp_path, before)
    checkpoint.save(tmp_path, SAVED)
    path = tmp_path / "checkpoint"
    path.write_bytes(path.read_bytes()[:-1])
    loaded, warnings = checkpoint.load(tmp_path, "me")
    assert loaded is not None
    assert same(loaded, before)
    assert warnings == ["checkpoint cannot be used, it is damaged; set aside as unusable-1-checkpoint"]
    assert (tmp_path / "unusable-1-checkpoint").exists()
    assert not path.exists()


def test_setting_aside_never_overwrites_what_was_set_aside_before(tmp_path: Path) -> None:
    for _ in range(2):
        (tmp_path / "checkpoint").write_bytes(b"x")
        checkpoint.load(tmp_path, "me")
    assert {path.name for path in tmp_path.iterdir()} == {"unusable-1-checkpoint", "unusable-2-checkpoint"}


@pytest.mark.parametrize("killed_after", ["write", "first rename"])
def test_a_kill_between_the_steps_of_saving_loses_nothing(tmp_path: Path, killed_after: str) -> None:
    checkpoint.save(tmp_path, Checkpoint("me", ROWS[:2], cascade(2).state()))
    (tmp_path / "checkpoint.new").write_bytes(SAVED.to_bytes())
    if killed_after == "first rename":
        (tmp_path / "checkpoint").rename(tmp_path / "checkpoint.previous")
    loaded, _ = checkpoint.load(tmp_path, "me")
    assert loaded is not None
    assert same(loaded, SAVED)
