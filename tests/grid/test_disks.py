"""Grids on disks that become full or read-only: a sentence, and they go on when there is room again."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from subprocess import Popen

import pytest
from support import commands, disks
from support.grids import LONG, SMALL, Grid, wait_until
from support.processes import kill_job, processes

pytestmark = pytest.mark.slow  # starts commands in processes of their own


def said_until(launcher: Popen[str], words: str) -> str:
    assert launcher.stdout
    said = ""
    while words not in said and (line := launcher.stdout.readline()):
        said += line
    return said


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (disks.full, "No space left on device; trying again in "),
        pytest.param(disks.read_only, "Read-only file system; trying again in ", marks=pytest.mark.thorough),
    ],
)
def test_what_a_dead_job_left_is_submitted_again_when_the_disk_is_well(
    tmp_path: Path, trouble: Callable[[Path], AbstractContextManager[None]], words: str
) -> None:
    with disks.small(tmp_path / "disk", 4000) as disk:
        grid = Grid(disk / "outputs", ("hydra.launcher.workers=2",))
        launcher = grid.start(*LONG)
        try:
            wait_until(grid.under_way)
            kill_job(grid.outputs)
            wait_until(lambda: {role for _, role, _ in processes(grid.outputs)} == {"the launcher"})
            with trouble(disk):
                assert words in said_until(launcher, words)
            said, errors = launcher.communicate(timeout=180)
        finally:
            grid.clear()
        assert launcher.returncode == 0, said + errors
        assert grid.finished == 1
        assert "resumed after" in (grid.folders[0] / "run.log").read_text()


def test_a_run_on_a_disk_that_fills_up_is_one_sentence_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    with disks.small(tmp_path / "disk", 400) as disk:
        arguments = (*SMALL, "N=1000", "K=100", "tasks=20", f"outputs={disk / 'outputs'}")
        failed = commands.run("main", *arguments, "tracker=wandb")
        assert failed.returncode == 1
        assert "No space left on device" in failed.stderr
        assert "Traceback" not in failed.stdout + failed.stderr
        disks.grow(disk, 8000)
        assert commands.run("main", *arguments).returncode == 0
        assert Grid(disk / "outputs").finished == 1
