"""Getting runs into the queue of a real SLURM once, and only once, whatever happens meanwhile."""

import signal
from pathlib import Path

import pytest
from support.cluster import last_id, new_jobs, wrapper
from support.grids import LONG, SMALL, Grid, wait_until
from support.processes import held_job, kill_job

pytestmark = pytest.mark.slurm
BUSY = 'echo "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation" >&2; exit 1'
FULL = 'echo "sbatch: error: AssocMaxSubmitJobLimit" >&2; exit 1'


@pytest.mark.parametrize(
    "script",
    [
        f'(( count % 3 )) || {{ {BUSY}; }}\nexec $real "$@"',
        pytest.param(f'$real "$@"\n(( count % 2 )) && {{ {BUSY}; }}\nexit 0', marks=pytest.mark.thorough),
        pytest.param('(( count % 3 )) || exit 7\nexec $real "$@"', marks=pytest.mark.thorough),
    ],
    ids=["every third call fails", "every other call submits and then fails", "without a word"],
)
def test_sbatch_that_fails_now_and_then_is_asked_again_and_no_run_is_queued_twice(
    slurm_grid: Grid, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    before = last_id()
    monkeypatch.setenv("PATH", wrapper(tmp_path / "bin", "sbatch", script))
    said = slurm_grid.run(*SMALL, "seed=range(0,9)")  # three arrays
    assert "trying again in 1 s; " in said
    assert slurm_grid.finished == 9
    assert len(new_jobs(before)) == 9


@pytest.mark.thorough
def test_what_a_dead_job_left_is_submitted_again_though_sbatch_fails_at_first(
    slurm_grid: Grid, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f'(( count == 2 || count == 3 )) && {{ {BUSY}; }}\nexec $real "$@"'
    monkeypatch.setenv("PATH", wrapper(tmp_path / "bin", "sbatch", script))
    launcher = slurm_grid.start(*LONG, "seed=0,1")
    wait_until(lambda: slurm_grid.under_way(runs=2))
    with held_job(slurm_grid.outputs, "_1"):
        kill_job(slurm_grid.outputs, "_0")
        wait_until(lambda: len((tmp_path / "bin" / "sbatch.calls").read_text().splitlines()) >= 3)
    said, errors = launcher.communicate(timeout=200)
    assert launcher.returncode == 0, said + errors
    assert "SLURM did not take 1 runs (Batch job submission failed: Socket timed out" in said
    assert "1 jobs go on: " in said
    assert slurm_grid.finished == 2


@pytest.mark.thorough
@pytest.mark.parametrize("detached", [True, False])
def test_jobs_that_went_out_before_a_refusal_stay_and_are_named(
    slurm_grid: Grid, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, detached: bool
) -> None:
    script = f'(( count == 2 )) && {{ {FULL}; }}\nexec $real "$@"'
    monkeypatch.setenv("PATH", wrapper(tmp_path / "bin", "sbatch", script))
    before = last_id()
    said = slurm_grid.run(*SMALL, "seed=range(0,6)", f"hydra.launcher.detach={detached}", code=1)
    assert "SLURM refused the jobs: AssocMaxSubmitJobLimit" in said
    assert "Traceback" not in said
    array = {id.split("_")[0] for id in new_jobs(before)}
    assert len(new_jobs(before)) == 3
    assert f"3 jobs go on: {array.pop()}" in said
    wait_until(lambda: slurm_grid.finished == 3)


@pytest.mark.parametrize(
    "script",
    [
        '$real "$@"\nkill -KILL $PPID',
        pytest.param('kill -KILL $PPID\nsleep 3\nexec $real "$@"', marks=pytest.mark.thorough),
        pytest.param("kill -KILL $PPID", marks=pytest.mark.thorough),
    ],
    ids=["after sbatch", "while sbatch is on its way", "before sbatch"],
)
def test_runs_of_a_launch_that_was_killed_inside_submission_are_found_and_not_queued_twice(
    slurm_grid: Grid, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    before = last_id()
    with monkeypatch.context() as patch:
        patch.setenv("PATH", wrapper(tmp_path / "bin", "sbatch", script))
        slurm_grid.run(*SMALL, "seed=range(0,4)", code=-signal.SIGKILL)
    slurm_grid.run(*SMALL, "seed=range(0,4)")
    assert slurm_grid.finished == 4
    assert len(new_jobs(before)) == 4
    assert not list(slurm_grid.outputs.glob(".launches"))


@pytest.mark.thorough
def test_two_commands_at_once_queue_each_run_once_and_both_follow_it_to_its_end(slurm_grid: Grid) -> None:
    before = last_id()
    launchers = [slurm_grid.start(*SMALL, "seed=range(0,4)") for _ in range(2)]
    for launcher in launchers:
        said, errors = launcher.communicate(timeout=200)
        assert launcher.returncode == 0, said + errors
        assert "4 finished" in said
    assert len(new_jobs(before)) == 4
