"""Grids on a real SLURM: splitting, packing, retrying, stopping, refusing."""

import os
import signal
from pathlib import Path

import pytest
from support import readme
from support.cluster import end_of, last_id, new_jobs, queue, slurm
from support.grids import LONG, SMALL, Grid, numbers, wait_until
from support.processes import kill_job

from plasticity.grid.ledger import Event, Reader

pytestmark = pytest.mark.slurm


def started_on(grid: Grid) -> list[Event]:
    events = [event for path in grid.outputs.rglob("*.events") for event in Reader(path).new()]
    return [event for event in events if event.kind == "started"]


def test_grid_of_six_is_split_into_arrays_and_a_second_command_submits_nothing(slurm_grid: Grid) -> None:
    before = last_id()
    said = slurm_grid.run(*SMALL, "model=aen,agn", "seed=0,1,2")
    assert slurm_grid.finished == 6
    assert "6 finished" in said
    assert len(new_jobs(before)) == 6
    assert {id.split("_")[1] for id in new_jobs(before)} == {"0", "1", "2"}  # two arrays of three
    after = last_id()
    assert "6 finished already, 0 to run" in slurm_grid.run(*SMALL, "model=aen,agn", "seed=0,1,2")
    assert last_id() == after


@pytest.mark.thorough
def test_packed_runs_share_a_job_and_each_worker_has_its_own_fake_gpu(slurm_grid: Grid) -> None:
    before = last_id()
    packing = ("hydra.launcher.runs_per_job=3", "hydra.launcher.workers=2", "hydra.launcher.gpus_per_node=2")
    failing = "step_size=0.001,1e30"  # a failure keeps the records of the launch
    slurm_grid.run(*SMALL, *packing, "seed=0,1", failing, code=1)
    assert len(new_jobs(before)) == 2
    assert {event.gpu for event in started_on(slurm_grid)} == {"0", "1"}
    assert "CUDA_VISIBLE_DEVICES=1" in "".join(path.read_text() for path in slurm_grid.outputs.rglob("run.log"))


@pytest.mark.thorough
def test_a_run_that_would_fail_again_is_not_retried_and_the_good_one_finishes(slurm_grid: Grid) -> None:
    said = slurm_grid.run(*SMALL, "step_size=0.001,1e30", code=1)
    assert slurm_grid.finished == 1
    assert "the loss is not finite" in said
    assert "run.log" in said
    assert "1 finished, 1 failed" in said
    assert len(started_on(slurm_grid)) == 2


def test_preempted_and_requeued_jobs_resume_and_equal_an_undisturbed_run(slurm_grid: Grid, tmp_path: Path) -> None:
    launcher = slurm_grid.start(*LONG, "seed=0,1")
    wait_until(lambda: slurm_grid.under_way(runs=2))
    first, second = sorted(queue())
    slurm("scancel", "--signal=USR2", first)
    slurm("scontrol", "requeue", second)
    wait_until(lambda: {said.state for said in slurm_grid.statuses} == {"interrupted"})
    assert all(numbers(folder) for folder in slurm_grid.folders)
    code, said = end_of(launcher)
    assert code == 0, said
    undisturbed = Grid(tmp_path / "undisturbed", ("hydra/launcher=serial",))
    undisturbed.run(*LONG, "seed=0,1")
    for mended, whole in zip(slurm_grid.folders, undisturbed.folders, strict=True):
        assert "resumed after" in (mended / "run.log").read_text()
        assert numbers(mended) == numbers(whole)
        assert len(numbers(whole)) == 150


@pytest.mark.thorough
def test_runs_of_a_killed_job_are_retried_in_a_new_one(slurm_grid: Grid) -> None:
    before = last_id()
    launcher = slurm_grid.start(*LONG, "hydra.launcher.runs_per_job=2", "hydra.launcher.workers=2", "seed=0,1")
    wait_until(lambda: slurm_grid.under_way(runs=2))
    kill_job(slurm_grid.outputs)
    assert launcher.wait(300) == 0, launcher.communicate()
    assert slurm_grid.finished == 2
    assert len(new_jobs(before)) == 2


def test_ctrl_c_cancels_the_jobs_of_this_launch_only_and_saves(slurm_grid: Grid) -> None:
    other = slurm("sbatch", "--parsable", "--mem=10", "-o", "/dev/null", "--wrap", "sleep 3600").strip()
    launcher = slurm_grid.start(*LONG, "seed=0,1,2", "hydra.launcher.array_parallelism=2")
    wait_until(lambda: slurm_grid.under_way(runs=2))
    launcher.send_signal(signal.SIGINT)
    said, errors = launcher.communicate(timeout=300)
    assert launcher.returncode == 130, said + errors
    assert "run the same command again to continue" in errors
    assert queue() == [other]
    assert [said.state for said in slurm_grid.statuses] == ["interrupted"] * 2
    assert slurm_grid.under_way(runs=2)


@pytest.mark.thorough
def test_detached_grid_is_picked_up_and_nothing_is_submitted_twice(slurm_grid: Grid) -> None:
    before = last_id()
    said = slurm_grid.run(*LONG, "seed=0,1", "hydra.launcher.detach=true")
    assert "2 runs are in the queue" in said
    assert len(queue()) == 2
    said = slurm_grid.run(*LONG, "seed=0,1,2")
    assert "3 runs: 2 in the queue already, 1 to run" in said
    assert slurm_grid.finished == 3
    assert len(new_jobs(before)) == 3


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("hydra.launcher.partition=nowhere", "error: SLURM refused the jobs: invalid partition specified: nowhere"),
        ("hydra.launcher.mem_gb=100000", "error: SLURM refused the jobs: "),
        ("hydra.launcher.gres=gpu:9", "error: SLURM refused the jobs: "),
        ("hydra.launcher.nodes=2", "error: hydra.launcher.nodes=2 is not possible"),
    ],
)
def test_refused_jobs_are_one_sentence_and_an_empty_queue(slurm_grid: Grid, setting: str, sentence: str) -> None:
    said = slurm_grid.run(*SMALL, "seed=range(0,6)", setting, code=1)
    assert said.splitlines()[-1].startswith(sentence)
    assert "Traceback" not in said
    assert queue() == []
    assert not list(slurm_grid.outputs.glob(".launches/*"))


def test_no_slurm_on_this_machine_is_one_sentence(slurm_grid: Grid, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.path.dirname(os.__file__))
    assert "this machine has no sbatch" in slurm_grid.run(*SMALL, code=1)


def test_time_outs_are_limited(slurm_grid: Grid) -> None:
    """The job's own warning comes early: a job of one minute is warned from its first seconds on."""
    limits = ("hydra.launcher.timeout_min=1", "hydra.launcher.max_timeouts=0", "hydra.launcher.retries=0")
    launcher = slurm_grid.start(*LONG, *limits)
    wait_until(slurm_grid.under_way)
    slurm("scancel", "--signal=USR2", *queue())
    said, _ = launcher.communicate(timeout=300)
    assert launcher.returncode == 1
    assert "out of time 1 times" in said


# The cluster here has one partition and no real GPU.
HERE_INSTEAD = {"partition=cpu": "partition=main", "engine=torch device=cuda": "", "workers=4": "workers=2"}


@pytest.mark.thorough
@pytest.mark.parametrize("command", [command for command in readme.COMMANDS if "launcher=slurm" in command])
def test_the_readmes_command_runs(command: str, tmp_path: Path, real_slurm: None) -> None:
    for there, here in HERE_INSTEAD.items():
        command = command.replace(there, here)
    done = readme.do(f"{command} hydra.launcher.mem_gb=1", readme.lay_out(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    wait_until(lambda: Grid(tmp_path / "outputs").finished == len(Grid(tmp_path / "outputs").folders) > 0)
