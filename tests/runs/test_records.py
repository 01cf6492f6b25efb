"""tasks.csv: exact, and mended where it was torn."""

from pathlib import Path

import pytest

from plasticity.runs import records
from plasticity.runs.records import COLUMNS, Record

ROWS = [Record(task, 0.1 + 0.2, 1 / 3, 0.5, 4, 11_016, 1, 2, 1e-17, 0.03, 1.5) for task in range(3)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    records.write(tmp_path / "tasks.csv", ROWS)
    return tmp_path / "tasks.csv"


def test_columns_are_those_of_the_design() -> None:
    assert ",".join(COLUMNS) == (
        "task,accuracy,dormancy,dormancy_before_pruning,units,connections,pruned,added,"
        "effective_rank,weight_magnitude,seconds"
    )


def test_what_is_read_is_what_was_written_to_the_last_bit(path: Path) -> None:
    assert records.read(path) == ROWS


def test_a_torn_last_line_is_not_read_at_any_length(path: Path) -> None:
    text = path.read_text()
    last = text.rstrip("\n").rfind("\n") + 1
    for length in range(last, len(text)):
        path.write_text(text[:length])
        assert records.read(path) == ROWS[:2]


@pytest.mark.parametrize("damage", ["0.3", "abc", "1,2,3", "\x00" * 40])
def test_reading_stops_at_a_damaged_row(path: Path, damage: str) -> None:
    lines = path.read_text().splitlines()
    lines[2] = damage
    path.write_text("\n".join(lines) + "\n")
    assert records.read(path) == ROWS[:1]


def test_reading_stops_at_a_row_out_of_turn(path: Path) -> None:
    path.write_text(records.HEADER + records.line(ROWS[0]) + records.line(ROWS[2]))
    assert records.read(path) == ROWS[:1]


@pytest.mark.parametrize("text", ["", "task,accuracy\n", "0,1,2\n"])
def test_another_file_has_no_rows(path: Path, text: str) -> None:
    path.write_text(text)
    assert records.read(path) == []


def test_no_file_has_no_rows(tmp_path: Path) -> None:
    assert records.read(tmp_path / "none.csv") == []
