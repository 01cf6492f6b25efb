"""Runs that are tracked, through the real wandb client, to its files and to a stand-in server."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from unittest.mock import patch

import pytest
from support import commands, disks, wandb_files
from support.grids import wait_until
from support.small import configured
from support.wandb_server import KEY, Server, Stored, serving

from plasticity.ground.errors import Mistake
from plasticity.record import Record
from plasticity.results.measures import COMPARED, MEASURES
from plasticity.runs import checkpoint, hints, rows, status
from plasticity.runs.execution import execute
from plasticity.runs.progress import Quiet
from plasticity.tracking import Wandb, offline, session, tracker
from plasticity.tracking.page import summary
from plasticity.tracking.server import Note, unreachable
from plasticity.tracking.tracker import LATE, LEAST

pytestmark = pytest.mark.slow  # starts commands in processes of their own

TINY = ("dataset=toy", "N=20", "K=15", "model=aen", "engine=torch")
ALONE = {"OMP_NUM_THREADS": "1"}  # threads that wait for one another are slow on a busy machine
PLACES = {name: f"{measure.section}/{name}" for name, measure in MEASURES.items()} | {"task": "task"}
COLUMNS = {*PLACES} - {"us_per_sample"}


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may take long to start the follower of a run that takes a moment."""
    monkeypatch.setitem(tracker.PATIENCE, "finished", 60.0)
    monkeypatch.setattr(tracker, "LEAST", 60.0)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        yield server
        assert server.unknown == []
        assert all(run.gaps == 0 for run in server.runs.values())


def start(outputs: Path, *overrides: str, **environment: str) -> "subprocess.Popen[str]":
    arguments = (*TINY, "report=false", f"outputs={outputs}", *overrides)
    return commands.start("main", *arguments, cwd=outputs, **ALONE, **environment)


class Heard(Quiet):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)


def run(outputs: Path, *overrides: str, **environment: str) -> list[str]:
    """As launch/main.py would, in this process; returns what was said, when its follower has ended, too."""
    heard = Heard()
    with patch.dict(os.environ, environment):
        done = execute(configured(*TINY, f"outputs={outputs}", *overrides), heard)
    wait_until(lambda: not followers(done.folder))
    return heard.lines


def sweep(outputs: Path, *overrides: str, **environment: str) -> None:
    process = start(outputs, *overrides, "-m", **environment)
    said = process.communicate(timeout=100)
    assert process.returncode == 0, said
    wait_until(lambda: not any(followers(csv.parent) for csv in outputs.rglob("tasks.csv")))  # they may go on alone


def sync(outputs: Path, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return commands.run("sync", str(outputs), *arguments, **ALONE, **environment)


def folder_in(outputs: Path) -> Path:
    (csv,) = outputs.rglob("tasks.csv")
    return csv.parent


def offline_file(folder: Path) -> wandb_files.Offline:
    (path,) = folder.glob("wandb/offline-run-*/*.wandb")
    return wandb_files.read(path)


def records(folder: Path) -> list[Record]:
    return rows.read(folder / "tasks.csv")


def is_the_csv(published: list[dict], folder: Path) -> bool:
    wanted = [dict(row) for row in records(folder)]
    assert wanted
    return [{name: row[PLACES[name]] for name in COLUMNS} for row in published] == wanted


def stored(server: Server, folder: Path, project: str = "plasticity") -> Stored:
    return server.runs[project, folder.name.rpartition("-")[2]]


def wait_for_rows(folder_of: Path, count: int, process: "subprocess.Popen[str]") -> Path:
    wait_until(
        lambda: process.poll() is not None or any(len(rows.read(csv)) >= count for csv in folder_of.rglob("tasks.csv"))
    )
    assert process.poll() is None, process.communicate()
    return folder_in(folder_of)


def followers(folder: Path) -> list[str]:
    """Commands of the processes that have one of the run's wandb files open."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            files = [os.readlink(entry) for entry in (process / "fd").iterdir()]
            command = (process / "cmdline").read_bytes().decode()
        except OSError:  # it has ended
            continue
        if any(str(folder / "wandb") in file for file in files):
            found.append(command)
    return found


def test_an_online_run_and_its_extension_hold_every_task_once_with_every_column(tmp_path: Path, server: Server):
    run(tmp_path, "tasks=4", "tracker.mode=online", **server.environment)
    folder = folder_in(tmp_path)
    assert is_the_csv(stored(server, folder).rows, folder)
    assert stored(server, folder).summary.items() >= summary(records(folder)).items()
    run(tmp_path, "tasks=7", "tracker.mode=online", **server.environment)
    assert stored(server, folder).tasks == list(range(7))
    assert is_the_csv(stored(server, folder).rows, folder)
    assert stored(server, folder).replaced == 0
    assert stored(server, folder).exit_code == 0
    assert stored(server, folder).config["tasks"] == 7


@pytest.mark.thorough
def test_a_run_can_be_found_by_name_group_model_and_tags(tmp_path: Path, server: Server):
    sweep(tmp_path, "tasks=2", "tracker.mode=online", "seed=3", **server.environment)
    folder = folder_in(tmp_path)
    said = stored(server, folder).upserts
    assert said["name"] == folder.name.rpartition("-")[2]
    assert said["displayName"] == str(folder.relative_to(tmp_path))
    assert said["groupName"] == "dataset=toy N=20 K=15 model=aen engine=torch seed=3"
    assert said["jobType"] == "aen"
    assert set(said["tags"]) == {"toy", "N20", "K15", "torch"}
    assert said["project"] == "plasticity"
    config = stored(server, folder).config
    assert config["model"]["rules"]["prune"]["_target_"] == "plasticity.rules.Dead"
    assert (config["seed"], config["N"], config["K"]) == (3, 20, 15)


def test_an_offline_run_can_be_read_back_and_synced_and_synced_again(tmp_path: Path, server: Server):
    said = run(tmp_path, "tasks=12", WANDB_API_KEY=KEY, WANDB_MODE="offline", WANDB_RUN_ID="another")
    folder = folder_in(tmp_path)
    written = offline_file(folder)
    assert said == []
    assert is_the_csv(written.rows, folder)
    assert {written.axes[key] for key in PLACES.values() if key != "task"} == {"task"}
    assert written.run.run_id == folder.name.rpartition("-")[2]
    toy = {"name": "toy", "_target_": "plasticity.data.Toy", "inputs": 784, "classes": 10}
    assert written.config["dataset"] == toy
    assert written.exit_code == 0
    assert written.summary.items() >= summary(records(folder)).items()
    for name in COMPARED:
        assert [row[f"toy-N20/{name}"] for row in written.rows] == [row[PLACES[name]] for row in written.rows]
    assert server.requests == []

    assert (
        sync(tmp_path, **server.environment).stdout == "12 rows of 1 runs published; 0 runs were complete, 0 failed\n"
    )
    assert is_the_csv(stored(server, folder).rows, folder)
    assert sync(tmp_path, **server.environment).stdout == "0 rows of 0 runs published; 1 runs were complete, 0 failed\n"
    assert stored(server, folder).tasks == list(range(12))

    run(tmp_path, "tasks=14")
    assert is_the_csv(offline_file(folder).rows, folder)
    assert sync(tmp_path, **server.environment).returncode == 0
    assert is_the_csv(stored(server, folder).rows, folder)
    assert stored(server, folder).replaced == 0


def test_an_offline_file_that_a_full_disk_cut_is_said_and_the_run_published_from_its_csv(
    tmp_path: Path, server: Server
):
    run(tmp_path, "tasks=2", "tracker=none")
    folder = folder_in(tmp_path)
    with disks.small(folder / "wandb", 32):
        (said,) = run(tmp_path, "tasks=40")
    # Which of wandb's files is the first that does not fit depends on how long the folder's path is in its logs.
    assert re.search(r"its offline file was cut, and holds \d+ of 40 rows|No space left on device", said)
    assert f"{hints.command('sync', hints.outputs_of(folder))} publishes it later" in said
    assert sync(tmp_path, **server.environment).returncode == 0
    assert is_the_csv(stored(server, folder).rows, folder)
    assert len(records(folder)) == 40


def test_an_offline_file_that_lacks_its_end_is_noticed(tmp_path: Path):
    run(tmp_path, "tasks=9")
    folder = folder_in(tmp_path)
    (path,) = folder.glob("wandb/offline-run-*/*.wandb")
    assert offline.problem(folder, 9) is None
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert re.fullmatch(r"its offline file was cut, and holds [1-8] of 9 rows", offline.problem(folder, 9) or "")
    path.unlink()
    assert offline.problem(folder, 9) == "its offline file is not there"


def test_wandbs_own_sync_publishes_an_extended_offline_run_whole(tmp_path: Path, server: Server):
    run(tmp_path, "tasks=2")
    run(tmp_path, "tasks=5")
    folder = folder_in(tmp_path)
    (path,) = folder.glob("wandb/offline-run-*")
    wandb = [sys.executable, "-m", "wandb", "sync", str(path)]
    environment = os.environ | server.environment
    subprocess.run(wandb, cwd=tmp_path, env=environment, check=True, capture_output=True, timeout=60)
    assert is_the_csv(stored(server, folder).rows, folder)


def test_neither_key_nor_password_is_written_to_the_run_folder(tmp_path: Path, server: Server):
    secret = {"WANDB_BASE_URL": server.url.replace("//", "//someone:hush-hush@"), "WANDB_API_KEY": KEY}
    run(tmp_path, "tasks=2", "tracker.mode=online", **secret)
    server.failing = "file_stream"
    assert run(tmp_path, "tasks=3", "tracker.mode=online", **secret)
    server.failing = None
    run(tmp_path, "tasks=4", **secret)
    assert sync(tmp_path, **secret).returncode == 0
    assert is_the_csv(stored(server, folder_in(tmp_path)).rows, folder_in(tmp_path))
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 8
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    assert [path for path in files if b"hush-hush" in path.read_bytes()] == []


@pytest.mark.thorough
@pytest.mark.crash
@pytest.mark.parametrize("mode", ["offline", "online"])
def test_killed_half_way_resumed_and_synced_every_task_is_there_once(tmp_path: Path, server: Server, mode: str):
    tracked = ("tasks=80", f"tracker.mode={mode}", "checkpoint_seconds=0.5", "N=100", "K=90")
    process = start(tmp_path, *tracked, **server.environment)
    folder = wait_for_rows(tmp_path, 20, process)
    process.kill()
    process.communicate()
    run(tmp_path, *tracked, **server.environment)
    assert len(records(folder)) == 80
    if mode == "online":
        assert is_the_csv(stored(server, folder).rows, folder)
    else:
        assert is_the_csv(offline_file(folder).rows, folder)
    assert sync(tmp_path, **server.environment).returncode == 0
    assert is_the_csv(stored(server, folder).rows, folder)
    assert stored(server, folder).replaced == 0


@pytest.mark.thorough
@pytest.mark.crash
def test_a_killed_run_is_synced_up_to_its_checkpoint_and_completed_after_it_is_resumed(tmp_path: Path, server: Server):
    process = start(tmp_path, "tasks=40", "N=100", "K=90", "checkpoint_seconds=0.2", **server.environment)
    folder = wait_for_rows(tmp_path, 20, process)
    process.kill()
    process.communicate()
    safe = checkpoint.rows(folder)
    assert safe > 0
    assert sync(tmp_path, **server.environment).returncode == 0
    assert stored(server, folder).tasks == list(range(safe))
    assert stored(server, folder).exit_code == 1
    run(tmp_path, "tasks=40", "N=100", "K=90", **server.environment)
    assert sync(tmp_path, **server.environment).returncode == 0
    assert stored(server, folder).exit_code == 0
    assert stored(server, folder).tasks == list(range(40))
    assert is_the_csv(stored(server, folder).rows, folder)  # the seconds of each task, too


@pytest.mark.crash
@pytest.mark.parametrize(
    "number",
    [
        signal.SIGKILL,
        pytest.param(signal.SIGTERM, marks=pytest.mark.thorough),
        pytest.param(signal.SIGUSR2, marks=pytest.mark.thorough),
    ],
)
def test_nothing_of_wandb_outlives_a_run_that_is_stopped(tmp_path: Path, number: signal.Signals):
    process = start(tmp_path, "tasks=2000")
    folder = wait_for_rows(tmp_path, 3, process)
    wait_until(lambda: len(followers(folder)) == 2)  # ours and wandb's
    process.send_signal(number)
    process.communicate(timeout=30)
    assert process.returncode == (-number if number == signal.SIGKILL else 128 + number)
    wait_until(lambda: not followers(folder))
    if number != signal.SIGKILL:
        assert is_the_csv(offline_file(folder).rows, folder)
        assert offline_file(folder).exit_code == 1


@pytest.mark.thorough
def test_a_server_that_answers_500_costs_one_warning_and_is_caught_up_with_when_it_recovers(
    tmp_path: Path, server: Server
):
    server.failing = ""
    said = run(tmp_path, "tasks=3", "tracker.mode=online", **server.environment)
    folder = folder_in(tmp_path)
    later = f"the run goes on, and {hints.command('sync', hints.outputs_of(folder))} publishes it later"
    assert said == [f"warning: wandb: {server.url} answers 500; {later}"]
    assert "wandb" in (folder / "run.log").read_text()
    assert (found := status.read(folder))
    assert found.state == "finished"

    failed = sync(tmp_path, **server.environment)
    assert failed.returncode == 1
    assert failed.stderr == f"error: {server.url} answers 500; nothing is lost, publish again later\n"
    assert server.runs == {}

    server.failing = None
    assert sync(tmp_path, **server.environment).returncode == 0
    assert is_the_csv(stored(server, folder).rows, folder)


@pytest.mark.thorough
def test_a_server_that_breaks_while_a_run_goes_on_and_recovers_gets_every_task_once(tmp_path: Path, server: Server):
    process = start(tmp_path, "tasks=100000", "checkpoint_seconds=0", "tracker.mode=online", **server.environment)
    folder = wait_for_rows(tmp_path, 3, process)
    wait_until(lambda: bool(server.runs) and len(stored(server, folder).tasks) > 0)
    server.failing = "file_stream"
    wait_until(lambda: "wandb: " in (folder / "run.log").read_text())
    arrived = len(stored(server, folder).tasks)
    server.failing = None
    wait_until(lambda: len(stored(server, folder).tasks) > arrived)
    process.send_signal(signal.SIGTERM)
    assert "".join(process.communicate(timeout=30)).count("warning: wandb:") == 1
    sync(tmp_path, **server.environment)
    assert is_the_csv(stored(server, folder).rows, folder)
    assert stored(server, folder).replaced == 0


def test_without_a_network_a_run_is_warned_of_once_and_is_not_kept_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    nowhere = {"WANDB_BASE_URL": "http://127.0.0.1:9", "WANDB_API_KEY": KEY}
    for name, value in nowhere.items():
        monkeypatch.setenv(name, value)
    said = run(tmp_path, "tasks=3", "tracker.mode=online")
    assert len(said) == 1
    assert "http://127.0.0.1:9 cannot be reached" in said[0]
    began = time.monotonic()
    with Wandb("online", "plasticity").follow(folder_in(tmp_path), said.append):
        wait_until(lambda: len(said) == 2)
        ended = time.monotonic()
    assert time.monotonic() - ended < 30  # and not the 60 of the fixture
    assert ended - began < 60


@pytest.mark.parametrize(
    ("trouble", "where", "heard"),
    [
        pytest.param({"hanging": ""}, "/graphql", ("cannot be reached", LATE), marks=pytest.mark.thorough),
        ({"hanging": "file_stream"}, "file_stream", (LATE,)),
        ({"failing": "", "code": 429}, "/graphql", ("answers 429",)),
        ({"failing": "file_stream", "code": 429}, "file_stream", ("429 encountered", LATE)),
        ({}, "", (LATE,)),
    ],
    ids=["silent from the start", "silent later", "429 from the start", "429 later", "a run of a moment"],
)
def test_what_a_server_does_costs_a_run_no_more_than_two_seconds(
    tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch, trouble: dict, where: str, heard: tuple[str, ...]
):
    """And its rows can be published when the server is well."""
    monkeypatch.setattr(tracker, "LEAST", LEAST)  # not the fixture's
    run(tmp_path, "tasks=3", "tracker=none")
    folder, said = folder_in(tmp_path), []
    vars(server).update(trouble)
    with patch.dict(os.environ, server.environment):
        with Wandb("online", "plasticity").follow(folder, said.append):
            wait_until(lambda: not where or any(where in path for path in server.requests))
            ended = time.monotonic()
        assert time.monotonic() - ended < LEAST + 1
    assert len(said) == 1 if trouble else len(said) <= 1  # a server that is well may take all rows in time
    assert all(any(words in sentence for words in heard) and "sync.py" in sentence for sentence in said)
    server.hanging = server.failing = None
    done = sync(tmp_path, **server.environment)  # after the follower, which may still be at it
    assert done.returncode == 0, done.stderr
    assert is_the_csv(stored(server, folder).rows, folder)


def test_ctrl_c_ends_a_sync_at_once_though_the_server_does_not_answer(tmp_path: Path, server: Server):
    run(tmp_path, "tasks=3", "tracker=none")
    server.hanging = "file_stream"
    process = commands.start("sync", str(tmp_path), **ALONE, **server.environment)
    wait_until(lambda: any("file_stream" in path for path in server.requests))
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, "stopped; run the same command again to continue\n")


@pytest.mark.thorough
def test_a_shell_that_silences_wandb_does_not_silence_the_warning(tmp_path: Path, server: Server):
    run(tmp_path, "tasks=3", "tracker=none")
    server.failing, said = "file_stream", []
    with (
        patch.dict(os.environ, server.environment | {"WANDB_SILENT": "true"}),
        Wandb("online", "plasticity").follow(folder_in(tmp_path), said.append),
    ):
        wait_until(lambda: len(said) > 0)
    assert "500" in said[0]


def test_a_summary_that_was_lost_is_published_again(tmp_path: Path, server: Server):
    run(tmp_path, "tasks=3", "tracker.mode=online", **server.environment)
    folder = folder_in(tmp_path)
    stored(server, folder).upserts["summaryMetrics"] = "{}"
    assert sync(tmp_path, **server.environment).returncode == 0
    assert stored(server, folder).summary.items() >= summary(records(folder)).items()
    assert stored(server, folder).tasks == [0, 1, 2]


def test_a_key_in_netrc_is_left_to_wandb(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "netrc").write_text(f"machine 127.0.0.1\nlogin user\npassword {KEY}\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setattr("plasticity.tracking.server.server", lambda: server.url)
    assert unreachable() is None
    assert server.credentials == [""]


@pytest.mark.parametrize("trouble", ["fails", "hangs"])
def test_wandb_can_be_discarded_even_if_its_own_end(trouble: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(session, "TEARDOWN_SECONDS", 0.1)
    ended, never = [], Event()
    monkeypatch.setattr("wandb.teardown", lambda: ended.append(never.wait() if trouble == "hangs" else 1 / 0))
    session.discard()
    assert ended == []
    never.set()


def test_without_a_key_a_run_goes_on_and_sync_says_what_is_missing(tmp_path: Path, server: Server):
    keyless = {"WANDB_BASE_URL": server.url, "WANDB_API_KEY": "", "HOME": str(tmp_path / "home")}
    (said,) = run(tmp_path, "tasks=2", "tracker.mode=online", **keyless)
    assert "No API key configured" in said
    failed = sync(tmp_path, **keyless)
    assert failed.returncode == 1
    assert failed.stderr.startswith("error: wandb: No API key configured")
    assert failed.stderr.count("\n") == 1


@pytest.mark.parametrize("obstacle", ["a file in the way", "no wandb"])
def test_a_run_does_without_wandb_if_it_must(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, obstacle: str):
    run(tmp_path / "outputs", "tasks=1", "tracker=none")
    folder = folder_in(tmp_path / "outputs")
    if obstacle == "no wandb":
        (tmp_path / "wandb.py").write_text("raise ImportError('wandb is broken')")
        monkeypatch.syspath_prepend(tmp_path)
    else:
        (folder / "wandb").write_text("")
    (said,) = run(tmp_path / "outputs", "tasks=3")
    assert said.startswith("warning: wandb: ")
    assert len(records(folder)) == 3


def test_following_a_run_takes_nothing_of_what_computes_it():
    """It would be a third of a follower's start-up, on a core that another run may want."""
    modules = "plasticity.tracking.follower, plasticity.tracking.session"
    code = f"import sys, {modules}; print({{'numba', 'torch'}} & {{*sys.modules}})"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "set()\n"


def test_tracker_none_leaves_nothing_of_wandb_and_its_runs_can_still_be_published(tmp_path: Path, server: Server):
    run(tmp_path, "tasks=2", "tracker=none", **server.environment)
    folder = folder_in(tmp_path)
    assert not (folder / "wandb").exists()
    assert sync(tmp_path, "--project", "elsewhere", **server.environment).returncode == 0
    assert is_the_csv(stored(server, folder, "elsewhere").rows, folder)


@pytest.mark.thorough
def test_a_run_that_was_started_over_with_other_numbers_is_not_mixed_with_the_servers(tmp_path: Path, server: Server):
    run(tmp_path, "tasks=3")
    folder = folder_in(tmp_path)
    sync(tmp_path, **server.environment)
    before = records(folder)
    rows.write(folder / "tasks.csv", [Record({**row, "accuracy": 0.0}) for row in before])
    failed = sync(tmp_path, **server.environment)
    assert failed.returncode == 1
    assert "other numbers of this run" in failed.stderr
    assert [row["accuracy/accuracy"] for row in stored(server, folder).rows] == [row["accuracy"] for row in before]
    assert sync(tmp_path, "--project", "second", **server.environment).returncode == 0
    assert is_the_csv(stored(server, folder, "second").rows, folder)


def test_other_numbers_are_noticed_before_the_run_has_come_as_far_again(tmp_path: Path):
    run(tmp_path, "tasks=3", "tracker=none")
    folder = folder_in(tmp_path)
    known = records(folder)
    (folder / "wandb").mkdir()
    Note(folder, None, "plasticity").write(known)
    slower, further = Record({**known[0], "seconds": 9.9}), Record({**known[0], "task": 3})
    Note(folder, None, "plasticity").check([slower, *known[1:], further])
    with pytest.raises(Mistake, match="other numbers of this run"):
        Note(folder, None, "plasticity").check([known[0], Record({**known[1], "units": 99})])


@pytest.mark.thorough
def test_one_damaged_run_folder_does_not_keep_the_others_from_the_server(tmp_path: Path, server: Server):
    sweep(tmp_path, "tasks=2", "seed=0,1")
    damaged, whole = sorted(csv.parent for csv in tmp_path.rglob("tasks.csv"))
    (damaged / "config.yaml").write_text("model: [")
    failed = sync(tmp_path, **server.environment)
    assert failed.returncode == 1
    assert str(damaged) in failed.stderr
    assert "Traceback" not in failed.stderr
    assert is_the_csv(stored(server, whole).rows, whole)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "error: nowhere is not a folder; name the one that holds the runs, as outputs=… did\n"),
        (["--project", "a/b", "."], "error: tracker.project=a/b is not a name that wandb takes"),
    ],
)
def test_sync_says_in_one_sentence_what_is_wrong(tmp_path: Path, arguments: list[str], sentence: str):
    failed = commands.run("sync", *arguments, cwd=tmp_path)
    assert failed.returncode == 1
    assert failed.stderr.startswith(sentence)
