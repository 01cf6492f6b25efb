"""The records of launches: what the next command makes of them, and what is left of them."""

import json
import os
import pickle
import socket
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from support.small import configured

from plasticity.grid import found, job, ledger, state
from plasticity.grid.clusters import Local
from plasticity.grid.ledger import Event, Launch
from plasticity.grid.pack import Pack
from plasticity.grid.sending import Packer, Sending
from plasticity.grid.slurm import Queued
from plasticity.grid.tracked import Tracked
from plasticity.ground.errors import Mistake
from plasticity.runs.execution import execute
from plasticity.runs.progress import Quiet
from plasticity.runs.run import Run
from plasticity.runs.status import Reporter

NOBODY = 2**22 + 1  # no process has this number


def sending(outputs: Path) -> Sending:
    run = Run(configured("dataset=toy", "N=100", f"outputs={outputs}"))
    return Sending({run.name: Tracked(run)}, outputs, Local(), lambda *_: [], retries=1)


def launched(outputs: Path, pid: int) -> Launch:
    launch = Launch.new(outputs, "local", retries=1)
    launch._write({**launch.about, "pid": pid})
    return launch


def test_a_launch_without_jobs_whose_command_is_gone_is_removed_with_the_empty_folder(tmp_path: Path) -> None:
    launched(tmp_path, NOBODY).close()
    sending(tmp_path).tidy()
    assert list(tmp_path.iterdir()) == []


def test_a_launch_whose_command_is_still_there_is_kept(tmp_path: Path) -> None:
    launch = launched(tmp_path, os.getpid())
    sending(tmp_path).tidy()
    assert launch.there


def test_a_launch_that_cannot_be_read_is_passed_over_and_said(tmp_path: Path) -> None:
    launch = launched(tmp_path, NOBODY)
    (launch.folder / "launch.json").write_text("garbage")
    one = sending(tmp_path)
    assert one.pick_up() == set()
    assert one.pick_up() == set()
    (said,) = one.notices
    assert said.startswith(f"{launch.folder}/launch.json cannot be read (JSONDecodeError: Expecting value")
    assert said.endswith(f"passed over, remove {launch.folder.name} if it is of no use")


@pytest.mark.parametrize("force", [False, True])
def test_a_run_that_somebody_else_finished_meanwhile_is_not_submitted(tmp_path: Path, force: bool) -> None:
    submitted: list[str] = []
    config = configured(
        "dataset=toy", "N=20", "K=9", "tasks=1", f"outputs={tmp_path}", "tracker=none", f"force={force}"
    )
    run = Run(config)
    packs: Packer = lambda launch, runs, failures: submitted.extend(run.name for run in runs) or []  # noqa: E731
    one = Sending({run.name: Tracked(run)}, tmp_path, Local(), packs, retries=1)
    one.add([run.name])
    execute(config, Quiet())
    one.go()
    assert submitted == ([run.name] if force else [])
    assert one.tracked[run.name].open == force


@pytest.mark.parametrize(("said", "leaving"), [("finished", ["17"]), ("started", [])])
def test_a_job_of_a_killed_command_is_leaving_when_its_runs_are_finished(
    tmp_path: Path, said: str, leaving: list[str]
) -> None:
    class Alive(Local):
        def states(self, launch: Launch, jobs: Iterable[str]) -> dict[str, Queued]:
            return dict.fromkeys(jobs, Queued("COMPLETING"))

    for pid in (NOBODY, os.getpid()):  # the other command will see to its own
        launch = launched(tmp_path / str(pid), pid)
        launch.sent(launch.sending([["a run"]]), ["17"])
        ledger.write(launch.journal("17"), Event("a run", said))
        seen = list(found.leaving(tmp_path / str(pid), Alive()))
        assert [each.jobs for each in seen] == ([leaving] if pid == NOBODY else [])


def test_one_command_at_a_time_submits(tmp_path: Path) -> None:
    with ledger.alone(tmp_path) as first, ledger.alone(tmp_path) as second:
        assert first is not None
        assert second is None
    with ledger.alone(tmp_path) as third:
        assert third is not None


def test_jobs_of_a_batch_that_nobody_could_write_down_are_found(tmp_path: Path) -> None:
    class Sent(Local):
        def find(self, launch: Launch, batch: str, size: int) -> list[str]:
            return ["17"]

    launch = launched(tmp_path, NOBODY)
    launch.sending([["a run"]])
    assert found.jobs(launch, Sent()) == {"17": ["a run"]}
    assert found.jobs(launch, Local()) == {}


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_records_of_launches_are_the_users_own_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    (tmp_path / ".launches").mkdir()
    (tmp_path / ".launches").chmod(0o777)
    before = os.umask(umask)
    try:
        launch = launched(tmp_path, NOBODY)
        job.write(launch.folder / "a.pkl", Pack([], 1, 0, {}, launch.folder, tmp_path))
    finally:
        os.umask(before)
    modes = [
        oct(path.stat().st_mode & 0o777) for path in (launch.folder.parent, launch.folder, launch.folder / "a.pkl")
    ]
    assert modes == ["0o700", "0o700", "0o600"]


def test_a_pickle_that_somebody_else_can_write_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.pkl"
    job.write(path, Pack([], 1, 0, {}, tmp_path, tmp_path))
    assert job.read(path).workers == 1
    for mode in (0o620, 0o602):
        path.chmod(mode)
        with pytest.raises(Mistake, match="somebody else can write it; it is not read"):
            job.read(path)


def test_a_pickle_that_somebody_else_owns_is_not_read_and_not_run(tmp_path: Path) -> None:
    path, mark = tmp_path / "a.pkl", tmp_path / "mark"
    path.write_bytes(pickle.dumps(Hostile(mark)))
    path.chmod(0o600)
    if os.getuid():
        pytest.skip("giving a file away needs root")
    os.chown(path, 4321, 4321)
    done = subprocess.run(
        [sys.executable, "-m", "plasticity.grid.job", path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {path} belongs to somebody else")
    assert done.stderr.count("\n") == 1
    assert not mark.exists()


class Hostile:
    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.mark),)


@pytest.mark.parametrize(("ago", "expected"), [(timedelta(0), "running"), (timedelta(days=400), "died")])
def test_a_run_whose_process_number_belongs_to_a_younger_process_has_died(
    tmp_path: Path, ago: timedelta, expected: str
) -> None:
    run = Run(configured("dataset=toy", "N=100", f"outputs={tmp_path}"))
    run.folder.mkdir(parents=True)
    Reporter(run.folder, 5).end("running")  # by this process
    path = run.folder / "status.json"
    then = (datetime.now(UTC) - ago).isoformat(timespec="seconds")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"updated": then}))
    assert state.of(run).state == expected


@pytest.mark.parametrize(("minutes", "expected"), [(2, "running"), (30, "silent")])
def test_a_run_elsewhere_that_was_last_heard_of_long_ago_is_called_silent(
    tmp_path: Path, minutes: int, expected: str
) -> None:
    run = Run(configured("dataset=toy", "N=100", f"outputs={tmp_path}"))
    run.folder.mkdir(parents=True)
    Reporter(run.folder, 5).end("running")
    path = run.folder / "status.json"
    then = (datetime.now(UTC) - timedelta(minutes=minutes)).isoformat(timespec="seconds")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"host": "elsewhere", "pid": 77, "updated": then}))
    seen = state.of(run)
    assert seen.state == expected
    assert seen.error == ("process 77 on elsewhere was last heard of 30 min ago" if minutes == 30 else None)
    assert socket.gethostname() != "elsewhere"
