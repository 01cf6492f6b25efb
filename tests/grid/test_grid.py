"""Grids on this machine: the local and the serial launcher, and what every launcher shares."""

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hydra import initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.types import RunMode
from omegaconf import open_dict
from support import commands
from support.grids import LONG, SMALL, Grid, numbers, wait_until
from support.small import ROOT, configured

from hydra_plugins.plasticity.compose import Composer
from plasticity.data import download
from plasticity.grid import found, launch, ledger, state, workers
from plasticity.grid.board import Pace, summary
from plasticity.grid.clusters import Local
from plasticity.grid.launch import distinct
from plasticity.grid.ledger import Event, Launch, Reader
from plasticity.grid.packing import SlurmPacking, check, gpus_for
from plasticity.grid.slurm import Queued
from plasticity.grid.watch import Watch
from plasticity.ground.errors import Mistake
from plasticity.runs import folder, status
from plasticity.runs.run import Run

pytestmark = pytest.mark.slow  # starts commands in processes of their own


@pytest.fixture
def grid(tmp_path: Path) -> Iterator[Grid]:
    made = Grid(tmp_path / "outputs", ("hydra.launcher.workers=2",))
    yield made
    made.clear()


def test_grid_finishes_shows_a_table_and_a_second_command_runs_nothing(grid: Grid) -> None:
    said = grid.run(*SMALL, "model=aen,agn", "seed=0,1,2")
    assert grid.finished == 6
    assert sum(str(folder) in said for folder in grid.folders) == 6
    started = [said.started for said in grid.statuses]
    assert "6 finished already, 0 to run" in grid.run(*SMALL, "model=aen,agn", "seed=0,1,2")
    assert started == [said.started for said in grid.statuses]
    without = "note: 2 finished runs did not measure wrongly_pruned; force=true runs all of these again from the start"
    assert without in grid.run(*SMALL, "model=aen", "seed=0,1", "measures=pruning")
    assert not list(grid.outputs.glob(".launches/*"))


def test_runs_asked_for_twice_run_once_with_the_most_tasks(grid: Grid) -> None:
    assert "1 runs (3 asked for twice): 1 to run" in grid.run(*SMALL, "tasks=1,2", "checkpoint_seconds=0,1")
    assert [len(numbers(folder)) for folder in grid.folders] == [2]


def test_a_run_that_would_fail_again_is_not_retried_named_with_its_log_and_stops_no_other(grid: Grid) -> None:
    said = grid.run(*SMALL, "step_size=1e30,0.001", code=1)
    assert "1 finished, 1 failed" in said
    (failed,) = [folder for folder in grid.folders if status.read(folder).state == "failed"]  # pyright: ignore
    assert f"failed {failed}\n  the loss is not finite" in said
    assert str(failed / "run.log") in said
    assert (failed / "run.log").read_text().count("job ") == 1


def test_a_process_whose_run_has_finished_takes_the_next_one(grid: Grid, tmp_path: Path) -> None:
    grid.run(*SMALL, "model=aen,ffcnn,agn", "seed=0,1", "hydra.launcher.workers=1")
    assert len({said.pid for said in grid.statuses}) == 1
    apart = Grid(tmp_path / "apart", ("hydra/launcher=serial",))
    for model in ("aen", "ffcnn", "agn"):
        apart.run(*SMALL, f"model={model}", "seed=0,1")
    assert list(map(numbers, grid.folders)) == list(map(numbers, apart.folders))
    logs = [(folder / "run.log").read_text() for folder in grid.folders]
    assert [log.count("job ") for log in logs] == [1] * 6


def test_after_a_failed_run_the_next_one_has_a_process_of_its_own(grid: Grid) -> None:
    grid.run(*SMALL, "step_size=1e30,0.001", "hydra.launcher.workers=1", code=1)
    assert len({said.pid for said in grid.statuses}) == 2


# For every Python process that has it on its path: a run's first attempt to write a whole file fails.
ONCE = """
import os, sys
fsync, mark = os.fsync, os.path.join(os.path.dirname(__file__), "failed")
def once(file):
    if "--attended" in sys.argv and not os.path.exists(mark):
        open(mark, "w").close()
        raise OSError(5, "Input/output error")
    fsync(file)
os.fsync = once
"""


def test_a_run_whose_disk_failed_is_retried(grid: Grid, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(ONCE)
    done = commands.start("main", *grid.arguments, *SMALL, PYTHONPATH=str(tmp_path))
    said, errors = done.communicate(timeout=180)
    assert done.returncode == 0, said + errors
    assert "Input/output error (trying again)" in said
    assert (grid.folders[0] / "run.log").read_text().count("job ") == 2


@pytest.mark.thorough
def test_killed_run_is_retried_and_equals_an_undisturbed_one(grid: Grid, tmp_path: Path) -> None:
    launcher = grid.start(*LONG, "seed=0,1")
    wait_until(lambda: grid.under_way(runs=2))
    os.kill(grid.statuses[0].pid, signal.SIGKILL)
    assert launcher.wait(180) == 0
    undisturbed = Grid(tmp_path / "undisturbed", ("hydra/launcher=serial",))
    undisturbed.run(*LONG, "seed=0,1")
    assert list(map(numbers, grid.folders)) == list(map(numbers, undisturbed.folders))


@pytest.mark.thorough
def test_killed_job_takes_no_run_along_for_good(grid: Grid) -> None:
    launcher = grid.start(*LONG, "seed=0,1")
    wait_until(lambda: grid.under_way(runs=2))
    (record,) = grid.outputs.glob(".launches/*/launch.json")
    (controller,) = json.loads(record.read_text())["jobs"]
    os.kill(int(controller), signal.SIGKILL)
    assert launcher.wait(180) == 0
    assert grid.finished == 2


def test_ctrl_c_saves_every_run_and_the_same_command_goes_on(grid: Grid) -> None:
    launcher = grid.start(*LONG, "seed=0,1,2")
    wait_until(lambda: grid.under_way(runs=2))
    launcher.send_signal(signal.SIGINT)
    _, errors = launcher.communicate(timeout=180)
    assert launcher.returncode == 130
    assert "run the same command again to continue" in errors
    interrupted = [said for said in grid.statuses if said.state == "interrupted"]
    assert len(interrupted) == 2
    assert not any(process_exists(said.pid) for said in interrupted)
    assert "3 runs: 3 to run" in grid.run(*LONG, "seed=0,1,2")
    assert grid.finished == 3


@pytest.mark.thorough
def test_closing_the_terminal_saves_every_run_and_leaves_no_process(grid: Grid) -> None:
    ours, theirs = pty.openpty()
    take_over = (
        "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
    )
    words = [sys.executable, "-c", take_over, *commands.command("main", *grid.arguments, *LONG, "seed=0,1")]
    launcher = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs, cwd=ROOT, start_new_session=True)
    os.close(theirs)
    wait_until(lambda: grid.under_way(runs=2))
    os.close(ours)
    assert launcher.wait(180) == 128 + signal.SIGHUP
    assert [said.state for said in grid.statuses] == ["interrupted"] * 2
    assert not any(process_exists(said.pid) for said in grid.statuses)
    assert not list(grid.outputs.glob(".launches"))


def process_exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.thorough
def test_detached_grid_goes_on_and_is_picked_up(grid: Grid) -> None:
    assert "2 runs are in the queue" in grid.run(*LONG, "seed=0,1", "hydra.launcher.detach=true")
    assert grid.finished == 0
    assert "3 runs: 2 in the queue already, 1 to run" in grid.run(*LONG, "seed=0,1,2")
    assert grid.finished == 3


def journal(outputs: Path, *events: Event) -> Launch:
    """A launch of this user's with one job, this process, that holds two runs."""
    launch = Launch.new(outputs, "local", retries=1)
    launch.sent(launch.sending([[event.run for event in events]]), ["7"])
    for event in events:
        ledger.write(launch.journal("7"), event)
    return launch


class Busy(Local):
    def states(self, launch: Launch, jobs: Iterable[str]) -> dict[str, Queued]:
        return dict.fromkeys(jobs, Queued("RUNNING"))


def watch_on(outputs: Path) -> tuple[Watch, list[str]]:
    runs = [Run(configured("dataset=toy", "N=100", f"seed={seed}", f"outputs={outputs}")) for seed in (0, 1)]
    return Watch(runs, outputs, Busy(), lambda *_: [], retries=1), [run.name for run in runs]


def test_what_a_job_that_goes_on_has_finished_is_not_in_the_queue(tmp_path: Path) -> None:
    watch, (first, second) = watch_on(tmp_path)
    journal(tmp_path, Event(first, "finished"), Event(second, "started"))
    assert watch.sending.pick_up() == {second}


def test_a_run_whose_job_was_killed_and_put_back_into_the_queue_waits_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch, (first, second) = watch_on(tmp_path)
    journal(tmp_path, Event(first, "started"), Event(second, "started"))
    watch.sending.pick_up()
    watch.poll()
    assert summary(list(watch.tracked.values()), Pace()) == "0/400 tasks, 2 running"
    held = Queued("PENDING", "launch failed requeued held")
    monkeypatch.setattr(Busy, "states", lambda self, launch, jobs: dict.fromkeys(jobs, held))
    watch._look_at_jobs()
    why = "2 waiting: launch failed requeued held; scontrol release JOB frees it"
    assert summary(list(watch.tracked.values()), Pace()) == f"0/400 tasks, 2 waiting ({why})"


def test_the_jobs_of_another_user_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watch, (first, second) = watch_on(tmp_path)
    launch = journal(tmp_path, Event(first, "started"), Event(second, "started"))
    monkeypatch.setattr(os, "getuid", lambda: 4321)
    assert watch.sending.pick_up() == set()
    assert not (launch.folder / "closed").exists()


def test_a_launch_that_ends_while_it_is_looked_at_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch, (first, _) = watch_on(tmp_path)
    launch = journal(tmp_path, Event(first, "started"))
    monkeypatch.setattr(found, "cluster_of", lambda *_: launch.remove() or Busy())
    assert watch.sending.pick_up() == set()


def test_a_torn_line_of_a_journal_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "7.events"
    ledger.write(path, Event("one", "started"))
    with path.open("a") as file:
        file.write('{"run": "one", "ki')
    ledger.write(path, Event("one", "finished"))
    assert [event.kind for event in Reader(path).new()] == ["started", "finished"]


@pytest.mark.parametrize(
    ("overrides", "sentence"),
    [
        (["outputs=a", "outputs=b"], "outputs=a,b is more than one place; a grid has one"),
        (["tracker.mode=foo"], "tracker.mode=foo is not known; choose offline, online, disabled"),
        ([], "there is nothing to run"),
    ],
)
def test_a_grid_that_cannot_be_is_one_sentence(overrides: list[str], sentence: str) -> None:
    configs = [configured("dataset=toy", "N=100", override) for override in overrides]
    with pytest.raises(Mistake, match=sentence):
        distinct(configs)


@pytest.mark.thorough
def test_force_starts_every_run_over_once(grid: Grid) -> None:
    grid.run(*SMALL)
    (before,) = grid.statuses
    log = grid.folders[0] / "run.log"
    log.unlink()
    grid.run(*SMALL, "force=true")
    (after,) = grid.statuses
    assert after.pid != before.pid
    assert "resumed" not in log.read_text()


def test_one_bad_value_refuses_the_whole_grid_before_anything_is_written(grid: Grid) -> None:
    said = grid.run(*SMALL, "N=100,105", code=1)
    assert said == "error: N=105 is not a positive multiple of the 10 classes; N=100 is, and N=all takes every image\n"
    assert not grid.outputs.exists()


@pytest.mark.parametrize(
    ("overrides", "sentence"),
    [
        (["hydra.launcher.workers=0"], "hydra.launcher.workers=0 is not possible; it must be 1 or more"),
        (["hydra.launcher.wokers=2"], "hydra.launcher.wokers is not a known key; did you mean hydra.launcher.workers?"),
        (["hydra.launcher.retries=x"], "hydra.launcher.retries=x is not possible; it must be a whole number"),
        (["model=aen,aenn"], "model=aenn is not known; choose aen, "),
        (["sead=1,2"], "sead is not a known key; did you mean seed?"),
        (["seed=1,x"], "seed=x is not possible; it must be a whole number"),
        (["+colour=red"], "colour is not a known key"),
        (["model.rules=[grow]"], "model.rules=[grow] is not possible; it is no list, but has keys of its own"),
        (["engine=torch", "device=cuda"], "device=cuda was asked for, but this machine shows no GPU"),
        (["outputs=/proc/nowhere"], "cannot write /proc/nowhere"),
    ],
)
def test_bad_input_is_one_sentence(grid: Grid, overrides: list[str], sentence: str) -> None:
    said = grid.run("dataset=toy", *overrides, code=1).strip().splitlines()
    assert said[-1].startswith(f"error: {sentence}")
    assert len(said) <= 2  # the plan may have been said before


def test_composing_once_a_choice_of_groups_equals_composing_every_run() -> None:
    jobs = [
        [f"model={model}", f"growth={growth}", f"seed={seed}", *more]
        for model in ("aen", "ffcnn")
        for growth in ("one", "three")
        for seed in (0, 1)
        for more in ([], ["N=500", "K=7"], ["dataset=toy", "model.label=mine", "init.first=kaiming"])
    ]
    with initialize_config_dir(str(ROOT / "conf"), version_base="1.3"):
        loader = GlobalHydra.instance().config_loader()
        master = loader.load_configuration("config", [], RunMode.MULTIRUN)
        composer = Composer(loader, master)  # pyright: ignore[reportArgumentType]
        for job in jobs:
            whole = loader.load_sweep_config(master, job)
            with open_dict(whole):
                del whole["hydra"]
            assert composer.config(job) == whole


def test_GPUs_are_numbered_as_the_user_shows_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,GPU-5f")
    assert gpus_for([configured("engine=torch", "device=cuda")]) == ["3", "GPU-5f"]
    assert gpus_for([configured("engine=torch")]) == []


def test_a_worker_has_one_CPU_and_two_GB_unless_said_otherwise() -> None:
    base = dict(workers=3, runs_per_job=None, timeout_min=60, signal_delay_s=120, additional_parameters={})
    told = SlurmPacking({**base, "retries": 1, "max_num_timeout": 1}, []).parameters
    assert (told["cpus_per_task"], told["mem_gb"]) == (3, 6)
    told = SlurmPacking({**base, "mem_per_cpu": "1G", "cpus_per_task": 8}, []).parameters
    assert told["cpus_per_task"] == 8
    assert "mem_gb" not in told


def test_two_nodes_for_a_run_are_refused() -> None:
    with pytest.raises(Mistake, match="nodes=2 is not possible"):
        check({"nodes": 2})


def test_a_running_status_of_a_dead_process_is_seen_as_died(grid: Grid) -> None:
    grid.run(*SMALL)
    (folder,) = grid.folders
    said = json.loads((folder / "status.json").read_text())
    (folder / "status.json").write_text(json.dumps(said | {"state": "running", "pid": 2**22 + 1}))
    (seen,), problems = state.find(grid.outputs)
    assert (seen.state, problems) == ("died", [])
    assert seen.error == f"process {2**22 + 1} was killed before it could report an error"
    shown = commands.run("status", str(grid.outputs))
    assert shown.returncode == 0
    assert "1 died" in shown.stdout
    assert "was killed before it could report an error" in shown.stdout


def test_a_folder_that_cannot_be_read_is_one_sentence_among_the_others(grid: Grid) -> None:
    grid.run(*SMALL, "seed=0,1")
    damaged, whole = grid.folders
    (damaged / "config.yaml").write_text("seed: [")
    (seen,), (problem,) = state.find(grid.outputs)
    assert seen.folder == whole
    assert problem.startswith(f"{damaged}: config.yaml cannot be read")
    shown = commands.run("status", str(grid.outputs))
    assert shown.returncode == 0
    assert f"{damaged}: config.yaml cannot be read" in shown.stdout
    assert "1 finished" in shown.stdout


def test_status_of_a_folder_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    shown = commands.run("status", str(tmp_path / "nowhere"))
    assert shown.returncode == 1
    assert (
        shown.stderr
        == f"error: {tmp_path / 'nowhere'} is not a folder; run something first, or name the folder of the runs\n"
    )


class Silent(nullcontext[Any]):
    """A process that says nothing."""

    stdout = ("",)

    def __enter__(self) -> "Silent":
        return self


def test_data_are_fetched_and_kernels_compiled_once_before_the_runs_fan_out(monkeypatch: pytest.MonkeyPatch) -> None:
    fetched, warmed = [], []
    folder.versions()  # asks git, once a process
    monkeypatch.setattr(download, "files", lambda source, _: fetched.append(source.folder))
    monkeypatch.setattr(launch.subprocess, "Popen", lambda command, **_: warmed.append(command) or Silent())
    configs = [configured(f"dataset={name}", f"seed={seed}") for name in ("mnist", "fmnist") for seed in range(9)]
    launch.prepare(configs, lambda words: None)
    assert sorted(fetched) == ["FashionMNIST", "MNIST"]
    (command,) = warmed
    assert sum(word.endswith(".yaml") for word in command) == 1


def test_a_worker_computes_on_one_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    monkeypatch.setattr(workers.subprocess, "Popen", lambda command, env, **_: started.append(env))
    with (tmp_path / "log").open("w") as log:
        workers.Worker(tmp_path / "config.yaml", log, gpu="7")
    assert {started[0][name] for name in workers.ONE_THREAD} == {"1"}
    assert started[0]["CUDA_VISIBLE_DEVICES"] == "7"
