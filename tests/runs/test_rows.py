"""tasks.csv: exact, and mended where it was torn."""

from math import isnan
from pathlib import Path

import numpy as np
import pytest
from support.small import configured, record

from plasticity.record import Record
from plasticity.runs import build, rows

ROWS = [record(task, accuracy=0.1 + 0.2, dormancy=1 / 3, effective_rank=1e-17, seconds=1.5) for task in range(3)]
COLUMNS = tuple(ROWS[0])


def without(row: Record, column: str) -> Record:
    """As a version that did not have the column would have it."""
    return Record({name: value for name, value in row.items() if name != column})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rows.write(tmp_path / "tasks.csv", ROWS)
    return tmp_path / "tasks.csv"


def test_columns_are_those_of_the_design() -> None:
    assert ",".join(build.learner(configured("dataset=toy", "N=10")).columns) == (
        "task,accuracy,accuracy_first_tenth,accuracy_last_tenth,loss,dormancy,dormancy_before_pruning,units,connections,"
        "effective_rank,weight_magnitude,memory,pruned,added,renewed,work,seconds"
    )


def test_what_is_read_is_what_was_written_to_the_last_bit(path: Path) -> None:
    assert path.read_text().splitlines()[0] == ",".join(COLUMNS)
    assert rows.read(path) == ROWS


def test_a_torn_last_line_is_not_read_at_any_length(path: Path) -> None:
    text = path.read_text()
    last = text.rstrip("\n").rfind("\n") + 1
    for length in range(last, len(text)):
        path.write_text(text[:length])
        assert rows.read(path) == ROWS[:2]


@pytest.mark.parametrize("damage", ["0.3", "abc", "1,2,3", "\x00" * 40])
def test_reading_stops_at_a_damaged_row(path: Path, damage: str) -> None:
    lines = path.read_text().splitlines()
    lines[2] = damage
    path.write_text("\n".join(lines) + "\n")
    assert rows.read(path) == ROWS[:1]


def test_reading_stops_at_a_row_out_of_turn(path: Path) -> None:
    path.write_text(rows.text([ROWS[0], ROWS[2]], COLUMNS))
    assert rows.read(path) == ROWS[:1]


@pytest.mark.parametrize("text", ["", "task,accuracy\n", "0,1,2\n"])
def test_another_file_has_no_rows(path: Path, text: str) -> None:
    path.write_text(text)
    assert rows.read(path) == []


def test_no_file_has_no_rows(tmp_path: Path) -> None:
    assert rows.read(tmp_path / "none.csv") == []


def test_a_column_that_a_row_does_not_have_reads_as_missing(path: Path) -> None:
    rows.write(path, [without(each, "renewed") for each in ROWS])
    assert "renewed" not in path.read_text()
    assert all(isnan(each["renewed"]) and each["added"] == 2 for each in rows.read(path))


def test_rows_with_and_without_a_column_share_a_file(path: Path) -> None:
    mixed = [without(ROWS[0], "renewed"), *ROWS[1:]]
    rows.write(path, mixed)
    assert rows.read(path) == mixed
    assert isnan(rows.read(path)[0]["renewed"])
    assert path.read_text().splitlines()[0].endswith(",renewed,seconds")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), -3, 0, 1e-300, 2**60])
def test_a_measure_may_be_any_number(path: Path, value: float) -> None:
    rows.write(path, [Record({"task": 0, "mine": value})])
    (read,) = rows.read(path)
    assert repr(read["mine"]) == repr(value)


@pytest.mark.parametrize("value", [np.float32(0.1), np.float64(1 / 3), np.int64(7)])
def test_a_measure_may_be_one_of_numpys_numbers(path: Path, value: np.number) -> None:
    rows.write(path, [Record({"task": 0, "mine": value})])  # pyright: ignore[reportArgumentType]
    (read,) = rows.read(path)
    assert read["mine"] == value


CLEAN = rows.text(ROWS, COLUMNS)
ODD = {
    "clean": CLEAN,
    "of a header alone": CLEAN[: CLEAN.index("\n") + 1],
    "empty": "",
    "torn": CLEAN[:-3],
    "torn in its header": CLEAN[:20],
    "quoted": 'task,accuracy\n0,"0.5"\n1,0.25\n',
    "with a cell missing": "task,accuracy,loss\n0,0.5,1.5\n1,,2.5\n",
    "with a cell too few": "task,accuracy,loss\n0,0.5,1.5\n1,0.5\n2,0.5,1.5\n",
    "with as many too few as too many": "task,a,b\n0,0.5\n1,0.5,1.5,2.5\n",
    "with integers among decimals": "task,accuracy\n0,0.5\n1,1\n",
    "with negative integers among decimals": "task,accuracy\n0,0.5\n1,-1\n",
    "of negative integers": "task,change\n0,-5\n1,3\n",
    "with integers that no float holds": "task,work\n0,9007199254740993\n1,1\n",
    "with numbers as Python has them": "task,accuracy\n0,1_0.5\n1, 0.5\n",
    "with infinities": "task,loss\n0,inf\n1,-inf\n2,1e-310\n",
    "out of turn": "task,loss\n0,0.5\n2,0.5\n",
    "with words": "task,loss\n0,0.5\n1,much\n",
    "without tasks": "accuracy,loss\n0.5,0.5\n",
    "with a column twice": "task,loss,loss\n0,0.5,0.25\n",
    "with other ends of lines": "task,loss\r\n0,0.5\r\n",
    "with an empty line": "task,loss\n0,0.5\n\n1,0.5\n",
}


@pytest.mark.parametrize("kind", ODD)
def test_a_table_has_the_rows_of_a_file_however_odd_it_is(kind: str) -> None:
    found, expected = rows.tabulated(ODD[kind]), rows.parse(ODD[kind])
    assert list(found) == expected
    assert [list(map(type, row.values())) for row in found] == [list(map(type, row.values())) for row in expected]
    assert found[1:] == expected[1:]
    for name in ("loss", "accuracy"):
        np.testing.assert_array_equal(rows.series(found, name), [row[name] for row in expected])


def test_what_is_not_a_number_is_read_as_that() -> None:
    (one, two) = rows.tabulated("task,loss\n0,nan\n1,0.5\n")
    assert isnan(one["loss"])
    assert two["loss"] == 0.5
