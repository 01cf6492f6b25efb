"""The comparison with the field, as a command."""

from pathlib import Path

import pytest
from support import commands
from support.small import ROOT

FIELD = ROOT / "outputs" / "field"

pytestmark = pytest.mark.slow


def test_a_comparison_without_runs_is_one_sentence(tmp_path: Path) -> None:
    done = commands.run("field", "--outputs", "nowhere", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("error: nowhere is not a folder")


@pytest.mark.parametrize("wrong", [("--seeds", "0"), ("--tasks", "-1")])
def test_a_number_that_is_not_possible_is_one_sentence(wrong: tuple[str, str], tmp_path: Path) -> None:
    done = commands.run("field", *wrong, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == f"error: {' '.join(wrong)} is not possible; give 1 or more\n"


def test_a_contestant_that_is_not_known_is_one_sentence(tmp_path: Path) -> None:
    done = commands.run("field", "--records", str(FIELD), "--outputs", str(tmp_path), "--only", "l2init", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("error: --only l2init: no contestant of that name has runs; choose aen, ")


def test_what_to_run_next_is_not_asked_of_records_alone(tmp_path: Path) -> None:
    done = commands.run("field", "--records", str(FIELD), "--only", "l2_init", "--out", str(tmp_path / "out"))
    assert done.returncode == 1
    said = "--only chooses what to run next, and from records alone nothing is run; leave it out, or add --outputs DIR"
    assert done.stderr == f"error: {said}\n"
    assert not (tmp_path / "out").exists()


def test_a_contestant_of_ones_own_takes_no_name_of_ours(tmp_path: Path) -> None:
    (tmp_path / "experiment" / "field").mkdir(parents=True)
    (tmp_path / "experiment" / "field" / "l2.yaml").touch()
    done = commands.run("field", "--records", str(FIELD), "--outputs", str(tmp_path), "--config-dir", str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.endswith("l2.yaml: the suite has a contestant of that name; give yours another name\n")
