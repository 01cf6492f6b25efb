"""A run that is killed again and again ends with the records of one that was left alone."""

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.commands import TOY, command, csv_of, run

pytestmark = pytest.mark.crash
# Tasks of a few milliseconds and a checkpoint after each: a kill often hits the writing.
SETTINGS = (*TOY, "model=aen_random", "N=1000", "K=300", "checkpoint_seconds=0")
TASKS = 120  # more than a few disturbances leave time for


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    outputs = tmp_path_factory.mktemp("undisturbed")
    finish(outputs)
    return written(outputs)


def finish(outputs: Path, tasks: int = TASKS) -> None:
    assert run("main", *SETTINGS, f"tasks={tasks}", f"outputs={outputs}").returncode == 0


def written(outputs: Path) -> list[str]:
    """All that a run leaves but seconds: its rows and its units' lives."""
    (lives,) = outputs.rglob("lives.jsonl")
    return [*csv_of(outputs), *lives.read_text().splitlines()]


def start(outputs: Path, tasks: int) -> subprocess.Popen[bytes]:
    words = command("main", *SETTINGS, f"tasks={tasks}", f"outputs={outputs}")
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for(process: subprocess.Popen[bytes], condition: Callable[[], bool]) -> None:
    """Until the condition holds or the process has ended by itself."""
    while process.poll() is None and not condition():
        time.sleep(0.0005)


def size(outputs: Path) -> int:
    return sum(path.stat().st_size for path in outputs.rglob("tasks.csv"))


def writing(outputs: Path) -> bool:
    return any(outputs.rglob(".checkpoint.new.*"))


def disturb(outputs: Path, number: signal.Signals, times: int, tasks: int = TASKS) -> list[int]:
    """Sends the signal at random moments of the learning, every other time while a checkpoint is being written."""
    rng, codes = random.Random(0), []
    for turn in range(times):
        process, before = start(outputs, tasks), size(outputs)
        wait_for(process, lambda before=before: size(outputs) not in (0, before))
        time.sleep(rng.random() * 0.04)
        if turn % 2:
            wait_for(process, lambda: writing(outputs))
        process.send_signal(number)
        codes.append(process.wait(20))
    return codes


def test_four_kills_leave_the_records_of_an_undisturbed_run(tmp_path: Path, undisturbed: list[str]) -> None:
    assert disturb(tmp_path, signal.SIGKILL, 4) == [-signal.SIGKILL] * 4
    finish(tmp_path)
    assert written(tmp_path) == undisturbed


@pytest.mark.thorough
def test_dozens_of_kills_leave_the_records_of_an_undisturbed_run(tmp_path: Path) -> None:
    (killed, alone), tasks = (tmp_path / "killed", tmp_path / "alone"), 350
    killed.mkdir()
    assert disturb(killed, signal.SIGKILL, 24, tasks) == [-signal.SIGKILL] * 24
    for outputs in (killed, alone):
        finish(outputs, tasks)
    assert written(killed) == written(alone)


@pytest.mark.parametrize(
    ("number", "code"),
    [
        pytest.param(signal.SIGTERM, 143, marks=pytest.mark.thorough),
        pytest.param(signal.SIGUSR2, 140, marks=pytest.mark.thorough),
        pytest.param(signal.SIGHUP, 129, marks=pytest.mark.thorough),
        (signal.SIGINT, 130),
    ],
)
def test_a_signal_saves_and_ends_with_its_code_and_the_records_stay_right(
    tmp_path: Path, undisturbed: list[str], number: signal.Signals, code: int
) -> None:
    assert disturb(tmp_path, number, 2) == [code] * 2  # one in the middle of a task, one of the writing
    (status,) = tmp_path.rglob("status.json")
    said = json.loads(status.read_text())
    assert said["state"] == "interrupted"
    assert said["tasks_done"] == len(csv_of(tmp_path)) - 1
    finish(tmp_path)
    assert written(tmp_path) == undisturbed


def cpu_seconds(pid: int) -> float:
    """Of the process, however busy the machine is with others."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("engine", ["fused", "torch"])
def test_a_signal_is_heard_within_two_seconds_in_the_middle_of_a_long_task(tmp_path: Path, engine: str) -> None:
    long = (*TOY, "model=ffcnn", "model.width=500", "N=50000", "tasks=3", f"engine={engine}", f"outputs={tmp_path}")
    process = subprocess.Popen(command("main", *long), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wait_for(process, lambda: any(tmp_path.rglob("tasks.csv")))  # type: ignore[arg-type]
    begun = cpu_seconds(process.pid)
    wait_for(process, lambda: cpu_seconds(process.pid) > begun + 0.5)  # type: ignore[arg-type]
    before = cpu_seconds(process.pid)
    process.send_signal(signal.SIGINT)
    assert process.stderr
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert used.ru_utime + used.ru_stime - before < 2
    assert process.returncode == 130
    assert "interrupted by SIGINT; saved; run the same command again to continue" in said


def test_two_processes_on_one_run_take_turns(tmp_path: Path, undisturbed: list[str]) -> None:
    arguments = command("main", *SETTINGS, f"tasks={TASKS}", f"outputs={tmp_path}")
    first = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    wait_for(first, lambda: any(tmp_path.rglob("status.json")))
    first.send_signal(signal.SIGSTOP)  # so that it cannot end before the other has come to wait for it
    second = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    assert second.stdout
    waiting = second.stdout.readline()
    first.send_signal(signal.SIGCONT)
    said, _ = second.communicate(timeout=200)
    assert (first.wait(), second.returncode) == (0, 0)
    assert f"is being run by process {first.pid}" in waiting
    assert f"is finished ({TASKS} tasks)" in said
    assert written(tmp_path) == undisturbed


@pytest.mark.thorough
def test_a_lock_left_by_a_dead_process_does_not_block(tmp_path: Path, undisturbed: list[str]) -> None:
    assert disturb(tmp_path, signal.SIGKILL, 1) == [-signal.SIGKILL]
    (lock,) = tmp_path.rglob(".lock")
    lock.write_text("somebody on another host")
    finish(tmp_path)
    assert written(tmp_path) == undisturbed
