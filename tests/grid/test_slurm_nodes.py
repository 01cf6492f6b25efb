"""A real SLURM whose parts fail: the controller, a node, the time that was asked for."""

import subprocess

import pytest
from support.cluster import crash_controller, end_of, hasten, last_id, new_jobs, queue, slurm
from support.grids import LONG, Grid, wait_until

pytestmark = [pytest.mark.slurm, pytest.mark.thorough]


def test_a_controller_that_is_killed_and_comes_back_ends_no_job(slurm_grid: Grid) -> None:
    before = last_id()
    launcher = slurm_grid.start(*LONG, "tasks=400", "seed=0,1")
    wait_until(lambda: slurm_grid.under_way(runs=2))
    crash_controller()
    subprocess.run(["slurmctld"], check=True)
    said, errors = launcher.communicate(timeout=200)
    assert launcher.returncode == 0, said + errors
    assert slurm_grid.finished == 2
    assert len(new_jobs(before)) == 2


def test_jobs_of_a_node_that_fails_go_on_elsewhere(slurm_grid: Grid) -> None:
    launcher = slurm_grid.start(*LONG, "hydra.launcher.retries=0")
    wait_until(slurm_grid.under_way)
    (node,) = slurm("squeue", "-h", "-o", "%N").split()
    slurm("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=test")
    try:
        code, said = end_of(launcher)
    finally:
        slurm("scontrol", "update", f"NodeName={node}", "State=RESUME")
    assert code == 0, said
    log = (slurm_grid.folders[0] / "run.log").read_text()
    assert log.count("job ") == 2
    assert "resumed after" in log


def test_a_job_that_runs_out_of_its_time_goes_on_in_the_next(slurm_grid: Grid) -> None:
    """SLURM itself warns: for a minute's job it does so within half a minute."""
    launcher = slurm_grid.start(*LONG, "tasks=2000", "hydra.launcher.timeout_min=1", "hydra.launcher.retries=0")
    wait_until(slurm_grid.under_way)
    wait_until(lambda: hasten() or "resumed after" in (slurm_grid.folders[0] / "run.log").read_text())
    assert launcher.poll() is None
    assert queue()
