"""What Linux has and macOS has not is used nowhere on the way from a run to its figures."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import command, run, surroundings
from support.small import ROOT

pytestmark = pytest.mark.thorough  # starts commands in processes of their own

WITHOUT = {"PYTHONPATH": str(ROOT / "tests" / "support" / "macos")}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A grid of two runs, tracked, with figures and report."""
    folder = tmp_path_factory.mktemp("macos")
    words = ("model=aen", "dataset=toy", "N=100", "K=40", "tasks=3", "seed=0,1", f"outputs={folder}")
    done = run("main", "-m", *words, cwd=folder, **WITHOUT)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def test_the_names_are_really_gone() -> None:
    look = "import os, select; print(hasattr(os, 'sched_getaffinity'), hasattr(select, 'epoll')); open('/proc/cpuinfo')"
    done = subprocess.run(
        [sys.executable, "-c", look], env=surroundings() | WITHOUT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "False False\n"
    assert "FileNotFoundError" in done.stderr


def test_a_grid_runs_and_is_drawn(outputs: Path) -> None:
    assert len(list(outputs.rglob("tasks.csv"))) == 2
    assert list((outputs / "figures").glob("*.png"))
    assert (outputs / "report" / "index.html").is_file()


def test_wandbs_files_are_written(outputs: Path) -> None:
    assert len(list(outputs.rglob("offline-run-*/*.wandb"))) == 2


@pytest.mark.thorough
@pytest.mark.parametrize("script", ["status", "figures", "claims", "export"])
def test_what_was_run_can_be_looked_at(outputs: Path, script: str) -> None:
    words = ["--outputs", str(outputs)] if script in ("figures", "claims") else [str(outputs)]
    done = subprocess.run(
        command(script, *words), cwd=outputs, env=surroundings() | WITHOUT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
