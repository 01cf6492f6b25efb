"""How jobs of a real SLURM end other than well, and what a person is told of it."""

import pytest
from support import commands
from support.cluster import last_id, new_jobs, queue, slurm
from support.grids import LONG, Grid, wait_until
from support.processes import kill_job

pytestmark = pytest.mark.slurm


def test_a_job_that_a_person_cancels_is_not_submitted_again_and_the_table_says_so(slurm_grid: Grid) -> None:
    before = last_id()
    launcher = slurm_grid.start(*LONG, "seed=0,1")
    wait_until(lambda: slurm_grid.under_way(runs=2))
    cancelled = sorted(queue())[0]
    slurm("scancel", cancelled)
    said, errors = launcher.communicate(timeout=200)
    assert launcher.returncode == 1, said + errors
    assert len(new_jobs(before)) == 2
    assert "1 finished, 1 cancelled" in said
    assert f"job {cancelled} was cancelled; the same command goes on with it" in said
    assert "2 runs: 1 finished already, 1 to run" in slurm_grid.run(*LONG, "seed=0,1")
    assert slurm_grid.finished == 2


@pytest.mark.thorough
def test_every_lost_job_counts_against_the_retries(slurm_grid: Grid) -> None:
    before = last_id()
    launcher = slurm_grid.start(*LONG, "hydra.launcher.retries=2")
    for turn in range(3):
        wait_until(lambda: len(new_jobs(before)) == turn + 1 and queue())  # noqa: B023
        wait_until(lambda: [said.state for said in slurm_grid.statuses] == ["running"])
        wait_until(lambda: slurm_grid.under_way(tasks=2 * turn + 2))  # noqa: B023
        kill_job(slurm_grid.outputs)
        wait_until(lambda: not queue() or len(new_jobs(before)) > turn + 1)  # noqa: B023
    said, errors = launcher.communicate(timeout=200)
    assert launcher.returncode == 1, said + errors
    assert len(new_jobs(before)) == 3
    assert "1 failed" in said


def test_the_last_words_of_a_job_that_took_too_much_memory_are_shown(slurm_grid: Grid) -> None:
    # SLURM looks at memory now and then, so the run must not be over before that
    said = slurm_grid.run(*LONG, "seed=0", "hydra.launcher.mem_gb=0.03", "hydra.launcher.retries=0", code=1)
    assert "ended: " in said
    assert "memory" in said.lower()
    assert "1 failed" in said


def test_why_a_job_waits_is_shown_by_the_launcher_and_by_status(slurm_grid: Grid) -> None:
    slurm_grid.run(*LONG, "seed=0", "hydra.launcher.detach=true", "+hydra.launcher.additional_parameters.hold=true")
    shown = commands.run("status", str(slurm_grid.outputs)).stdout
    assert "1 waiting: JobHeldUser; scontrol release JOB frees it" in shown
    slurm("scontrol", "release", *queue())
    wait_until(slurm_grid.under_way)
    slurm("scontrol", "requeuehold", *queue())
    wait_until(lambda: [said.state for said in slurm_grid.statuses] == ["interrupted"])
    wait_until(
        lambda: "1 waiting: job requeued in held state" in commands.run("status", str(slurm_grid.outputs)).stdout
    )
