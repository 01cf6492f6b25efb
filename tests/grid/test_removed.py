"""Folders that somebody removes while a grid runs: nobody but the run that lay in one has to start over."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.grids import LONG, Grid, numbers, wait_until

pytestmark = pytest.mark.thorough


@pytest.fixture
def grid(tmp_path: Path) -> Iterator[Grid]:
    made = Grid(tmp_path / "outputs", ("hydra.launcher.workers=2",))
    yield made
    made.clear()


def test_records_of_launches_that_are_removed_while_it_runs_cost_a_grid_nothing(grid: Grid) -> None:
    launcher = grid.start(*LONG, "seed=0,1")
    wait_until(lambda: grid.under_way(runs=2))
    shutil.rmtree(grid.outputs / ".launches")
    said, errors = launcher.communicate(timeout=180)
    assert launcher.returncode == 0, said + errors
    assert grid.finished == 2
    assert not (grid.outputs / ".launches").exists()


def test_a_run_whose_folder_is_removed_starts_over_and_its_neighbour_goes_on(grid: Grid) -> None:
    launcher = grid.start(*LONG, "seed=0,1")
    wait_until(lambda: grid.under_way(runs=2))
    removed, other = grid.folders
    shutil.rmtree(removed, ignore_errors=True)  # it may be writing there
    said, errors = launcher.communicate(timeout=180)
    assert launcher.returncode == 0, said + errors
    assert "No such file or directory" in said
    assert [len(numbers(folder)) for folder in (removed, other)] == [150, 150]
    assert (other / "run.log").read_text().count("job ") == 1
