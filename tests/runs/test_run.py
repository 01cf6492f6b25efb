"""Runs: identity, folder, skipping, resuming, extending, and what happens when the disk does not play along."""

import json
import os
import resource
import signal
from collections.abc import Callable
from dataclasses import replace
from math import isnan
from pathlib import Path

import numpy as np
import pytest
import yaml
from support.small import MODELS, record

from plasticity.ground.errors import Diverged, Mistake
from plasticity.record import Record
from plasticity.runs import checkpoint, rows
from plasticity.runs.checkpoint import Checkpoint
from plasticity.runs.config import Config
from plasticity.runs.execution import execute
from plasticity.runs.progress import Quiet
from plasticity.runs.run import Run
from plasticity.runs.signals import Interrupted, Interrupts

Make = Callable[..., Config]


class Listener(Quiet):
    """Remembers what was said, and stops the run after some records."""

    def __init__(self, stop_after: int | None = None, error: BaseException | None = None):
        self.said: list[str] = []
        self.records: list[Record] = []
        self._stop_after, self._error = stop_after, error or Interrupted(15)

    def say(self, line: str) -> None:
        self.said.append(line)

    def record(self, record: Record) -> None:
        self.records.append(record)
        if len(self.records) == self._stop_after:
            raise self._error


def csv(run: Run) -> list[str]:
    """All of tasks.csv but the last column, seconds."""
    return [line.rpartition(",")[0] for line in (run.folder / "tasks.csv").read_text().splitlines()]


def status(run: Run) -> dict[str, object]:
    return json.loads((run.folder / "status.json").read_text())


def test_the_folder_has_a_readable_name_and_a_digest(run_config: Make, tmp_path: Path) -> None:
    run = Run(run_config("model=aen", "seed=3"))
    assert run.folder == tmp_path / "outputs" / "toy" / "N200" / "aen-K80" / f"seed3-{run.digest}"


@pytest.mark.parametrize(
    "override",
    ["N=300", "K=90", "seed=1", "step_size=0.01", "bias=false", "order=fixed", "probe=0.1", "engine=torch",
     "init.outgoing=zero", "init.incoming=torch", "init.first=zero", "model=agn", "dataset=mnist"],
)  # fmt: skip
def test_what_changes_a_number_is_another_run(run_config: Make, override: str) -> None:
    assert Run(run_config(override)).digest != Run(run_config()).digest


@pytest.mark.parametrize(
    "override",
    ["tasks=9", "outputs=x", "data=x", "checkpoint_seconds=3", "force=true", "device=auto", "init.layers=torch"],
)
def test_what_changes_no_number_is_the_same_run(run_config: Make, override: str) -> None:
    assert Run(run_config(override)).digest == Run(run_config()).digest


def test_device_auto_is_the_run_of_the_device_that_it_finds(run_config: Make) -> None:
    found = run_config("engine=torch", "device=auto").engine["device"]
    assert found in ("cpu", "cuda")
    assert (
        Run(run_config("engine=torch", "device=auto")).digest
        == Run(run_config("engine=torch", f"device={found}")).digest
    )


@pytest.mark.parametrize("override", ["K=90", "init.outgoing=zero"])
def test_what_means_nothing_to_a_fixed_network_does_not_make_another_run(run_config: Make, override: str) -> None:
    assert Run(run_config("model=ffcnn", override)).digest == Run(run_config("model=ffcnn")).digest


def test_a_finished_run_leaves_its_folder_complete(run_config: Make) -> None:
    run = execute(run_config(), Quiet())
    assert {path.name for path in run.folder.iterdir()} >= {
        "config.yaml",
        "tasks.csv",
        "checkpoint",
        "status.json",
        "run.log",
    }
    assert len(csv(run)) == 6
    said = status(run)
    assert (said["state"], said["tasks_done"], said["tasks"], said["error"]) == ("finished", 5, 5, None)
    assert {"started", "updated", "host", "pid", "job"} <= said.keys()


def test_config_yaml_holds_the_resolved_configuration_and_the_versions(run_config: Make) -> None:
    run = execute(run_config("seed=2"), Quiet())
    kept = yaml.safe_load((run.folder / "config.yaml").read_text())
    assert (kept["seed"], kept["model"]["rules"]["grow"]["K"]) == (2, 80)
    assert kept["identity"] == run.what
    (ran_on,) = kept["ran_on"]
    assert ran_on.keys() == {"from_task", "python", "numpy", "torch", "numba", "plasticity", "commit"}
    assert ran_on["from_task"] == 0


def test_a_finished_run_is_skipped_with_one_line(run_config: Make) -> None:
    run = execute(run_config(), Quiet())
    before, listener = (run.folder / "tasks.csv").read_bytes(), Listener()
    execute(run_config(), listener)
    assert listener.records == []
    assert len(listener.said) == 1
    assert "is finished (5 tasks)" in listener.said[0]
    assert (run.folder / "tasks.csv").read_bytes() == before


def test_a_finished_run_says_what_was_not_measured_then(run_config: Make) -> None:
    execute(run_config(), Quiet())
    listener = Listener()
    execute(run_config("measures=pruning"), listener)
    assert "is finished (5 tasks), but did not measure wrongly_pruned; force=true starts it over" in listener.said[0]
    execute(run_config("measures=pruning", "force=true"), Quiet())
    execute(run_config("measures=pruning"), listener)
    assert "did not measure" not in listener.said[1]


def test_fewer_tasks_than_there_are_is_finished_too(run_config: Make) -> None:
    execute(run_config(), Quiet())
    listener = Listener()
    execute(run_config("tasks=3"), listener)
    assert listener.records == []


@pytest.mark.slow
def test_force_starts_a_finished_run_over(run_config: Make) -> None:
    first = csv(execute(run_config(), Quiet()))
    listener = Listener()
    again = execute(run_config("force=true"), listener)
    assert len(listener.records) == 5
    assert csv(again) == first


@pytest.mark.parametrize("engine", [pytest.param("torch", marks=pytest.mark.slow), "fused"])
@pytest.mark.parametrize(
    "model", [name if name in ("ffcnn", "aen") else pytest.param(name, marks=pytest.mark.slow) for name in MODELS]
)
def test_extending_5_tasks_to_9_equals_9_at_once(run_config: Make, tmp_path: Path, model: str, engine: str) -> None:
    settings = (f"model={model}", f"engine={engine}", "N=80", "model.width=20" if model == "ffcnn" else "K=30")
    execute(run_config(*settings), Quiet())
    listener = Listener()
    extended = execute(run_config(*settings, "tasks=9"), listener)
    assert [record["task"] for record in listener.records] == [5, 6, 7, 8]
    assert csv(extended) == csv(execute(run_config(*settings, "tasks=9", f"outputs={tmp_path}/whole"), Quiet()))


@pytest.mark.slow
@pytest.mark.parametrize("stop_after", [1, 3])
@pytest.mark.parametrize("seconds", [0, 1000])
def test_a_resumed_run_equals_an_uninterrupted_one(
    run_config: Make, tmp_path: Path, stop_after: int, seconds: int
) -> None:
    config = run_config(f"checkpoint_seconds={seconds}", "model=aen", "K=30")
    with pytest.raises(Interrupted):
        execute(config, Listener(stop_after))
    assert status(Run(config))["state"] == "interrupted"
    resumed = Listener()
    run = execute(config, resumed)
    assert [record["task"] for record in resumed.records] == list(range(stop_after, 5))
    assert csv(run) == csv(execute(run_config("model=aen", "K=30", f"outputs={tmp_path}/whole"), Quiet()))


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["torn line", "rows beyond the checkpoint", "no csv", "nonsense"])
def test_the_csv_is_mended_on_resume(run_config: Make, tmp_path: Path, damage: str) -> None:
    with pytest.raises(Interrupted):
        execute(run_config(), Listener(3))
    path = Run(run_config()).folder / "tasks.csv"
    text = path.read_text()
    extra = rows.line(record(3), text.splitlines()[0].split(","))
    changed = {"torn line": text[:-9], "rows beyond the checkpoint": text + extra, "nonsense": "\x00" * 99}
    path.write_text(changed.get(damage, ""))
    if damage == "no csv":
        path.unlink()
    run = execute(run_config(), Quiet())
    assert csv(run) == csv(execute(run_config(f"outputs={tmp_path}/whole"), Quiet()))


def test_a_finished_run_whose_csv_was_lost_gets_it_back(run_config: Make) -> None:
    run = execute(run_config(), Quiet())
    before = (run.folder / "tasks.csv").read_bytes()
    (run.folder / "tasks.csv").unlink()
    execute(run_config(), Quiet())
    assert (run.folder / "tasks.csv").read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize("name", ["checkpoint", "checkpoint.previous"])
def test_damaged_checkpoints_are_set_aside_with_a_warning_and_the_numbers_stay_right(
    run_config: Make, tmp_path: Path, name: str
) -> None:
    with pytest.raises(Interrupted):
        execute(run_config("checkpoint_seconds=0"), Listener(3))
    folder = Run(run_config()).folder
    (folder / name).write_bytes(b"not a checkpoint")
    listener = Listener()
    run = execute(run_config(), listener)
    assert [line for line in listener.said if f"warning: {name} cannot be used" in line]
    assert csv(run) == csv(execute(run_config(f"outputs={tmp_path}/whole"), Quiet()))


def test_without_any_usable_checkpoint_the_run_starts_from_the_beginning(run_config: Make) -> None:
    first = csv(execute(run_config(), Quiet()))
    folder = Run(run_config()).folder
    for name in checkpoint.NAMES:
        if (folder / name).exists():
            (folder / name).write_bytes(b"")
    (folder / "status.json").unlink()
    listener = Listener()
    assert csv(execute(run_config(), listener)) == first
    assert len(listener.records) == 5


def test_a_failed_run_says_why_in_its_status(run_config: Make) -> None:
    config = run_config("step_size=1e30")
    with pytest.raises(Diverged, match=r"sample \d+ in task \d"):
        execute(config, Quiet())
    said = status(Run(config))
    assert said["state"] == "failed"
    assert "the loss is not finite" in str(said["error"])
    assert "the loss is not finite" in (Run(config).folder / "run.log").read_text()


def test_an_unexpected_error_leaves_its_line_in_the_status_and_its_traceback_in_the_log(run_config: Make) -> None:
    with pytest.raises(ZeroDivisionError):
        execute(run_config(), Listener(2, ZeroDivisionError("oh")))
    run = Run(run_config())
    assert status(run)["error"] == "ZeroDivisionError: oh"
    assert "Traceback" in (run.folder / "run.log").read_text()
    assert len(run.rows) == 2


def test_outputs_that_cannot_be_made_are_one_sentence(run_config: Make, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Mistake, match=r"cannot write .*file.*: Not a directory"):
        execute(run_config(f"outputs={tmp_path}/file"), Quiet())


def test_a_full_disk_is_one_sentence_and_the_run_goes_on_when_there_is_room(run_config: Make, tmp_path: Path) -> None:
    config = run_config("checkpoint_seconds=0", "tasks=8")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, limits[1]))  # room for the first checkpoints, not for more units
    try:
        with pytest.raises(Mistake, match=r"cannot write .*: File too large"):
            execute(config, Quiet())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    run = execute(config, Quiet())
    assert csv(run) == csv(execute(run_config("tasks=8", f"outputs={tmp_path}/whole"), Quiet()))


def test_a_signal_that_comes_while_writing_is_heard_after_the_write() -> None:
    with Interrupts() as interrupts:
        os.kill(os.getpid(), signal.SIGUSR2)
        written = True
        with pytest.raises(Interrupted, match="SIGUSR2") as caught, interrupts.breakable():
            written = False
    assert written
    assert caught.value.code == 140


def test_an_error_that_a_library_makes_of_a_signal_is_still_an_interruption() -> None:
    def cut_short() -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        except Interrupted:
            raise RuntimeError("no compiled object yet") from None

    with Interrupts() as interrupts, pytest.raises(Interrupted), interrupts.breakable():
        cut_short()


def test_a_signal_that_comes_after_a_runs_last_task_stops_those_after_it() -> None:
    with Interrupts() as grid:
        with Interrupts():
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(Interrupted), grid.breakable():
            pass


def test_rows_that_no_checkpoint_holds_are_kept_aside_with_a_warning(run_config: Make) -> None:
    run = execute(run_config("tasks=3"), Quiet())
    before = (run.folder / "tasks.csv").read_text()
    for path in run.folder.glob("checkpoint*"):
        path.unlink()
    listener = Listener()
    execute(run_config("tasks=4"), listener)
    assert listener.said == [
        "warning: no checkpoint holds the 3 tasks of tasks.csv: begun anew, kept as unusable-1-tasks.csv"
    ]
    assert (run.folder / "unusable-1-tasks.csv").read_text() == before


@pytest.mark.parametrize("name", ["checkpoint.new", "checkpoint.previous"])
def test_a_run_whose_last_checkpoint_has_another_name_ends_finished(run_config: Make, name: str) -> None:
    run = execute(run_config("tasks=3"), Quiet())
    (run.folder / "checkpoint").rename(run.folder / name)
    assert execute(run_config("tasks=3"), Quiet()).finished


def test_what_a_kill_left_of_a_checkpoint_is_cleared_away(run_config: Make) -> None:
    run = execute(run_config("tasks=1"), Quiet())
    (run.folder / ".checkpoint.new.4711").write_text("half of it")
    execute(run_config("tasks=2"), Quiet())
    assert not list(run.folder.glob(".checkpoint*"))


def aged(run: Run, column: str) -> None:
    """What a version that did not have the column would have left: its csv and its checkpoint."""
    old = [Record({name: value for name, value in row.items() if name != column}) for row in run.rows]
    state = Checkpoint.from_bytes((run.folder / "checkpoint").read_bytes(), run.digest).network
    rows.write(run.folder / "tasks.csv", old)
    checkpoint.remove(run.folder)
    checkpoint.save(run.folder, Checkpoint(run.digest, tuple(old), state))


def test_a_run_from_before_a_column_goes_on_with_it(run_config: Make, tmp_path: Path) -> None:
    run = execute(run_config("tasks=3"), Quiet())
    aged(run, "renewed")
    assert "renewed" not in (run.folder / "tasks.csv").read_text()
    listener = Listener()
    execute(run_config("tasks=5"), listener)
    assert listener.said == []
    assert [record["task"] for record in listener.records] == [3, 4]
    assert [row["renewed"] for row in run.rows[3:]] == [0, 0]
    assert all(isnan(row["renewed"]) for row in run.rows[:3])
    whole = execute(run_config("tasks=5", f"outputs={tmp_path}/whole"), Quiet())
    for mended, row in zip(run.rows, whole.rows, strict=True):
        known = [name for name in mended if name != "seconds"]
        assert [mended[name] for name in known] == [row[name] for name in known]
    assert (run.folder / "tasks.csv").read_text().splitlines()[0].endswith(",renewed,seconds")


def test_a_run_whose_measure_is_taken_away_keeps_what_was_measured(run_config: Make) -> None:
    mine = "+measures.mine={_target_: plasticity.metrics.weight_magnitude}"
    run = execute(run_config("tasks=2", mine), Quiet())
    execute(run_config("tasks=3"), Quiet())
    assert [row["mine"] for row in run.rows[:2]] == [row["weight_magnitude"] for row in run.rows[:2]]
    assert isnan(run.rows[2]["mine"])


def wrong(saved: Checkpoint) -> dict[str, Checkpoint]:
    """With a valid digest and the right run's name, but not what its network needs."""
    weight = saved.network["weight"]
    missing = {name: values for name, values in saved.network.items() if name != "bias"}
    return {
        "an array of another shape": replace(saved, network=saved.network | {"weight": weight[:, :-1]}),
        "an array is missing": replace(saved, network=missing),
        "the arrays of another network": replace(saved, network={"born": np.array(0)}),
        "rows out of turn": replace(saved, rows=saved.rows[1:]),
    }


@pytest.mark.slow
@pytest.mark.parametrize("how", ["an array of another shape", "an array is missing", "the arrays of another network",
                                 "rows out of turn"])  # fmt: skip
@pytest.mark.parametrize("earlier", [True, False])
def test_a_checkpoint_with_the_wrong_content_is_one_warning_and_the_numbers_stay_right(
    run_config: Make, tmp_path: Path, how: str, earlier: bool
) -> None:
    with pytest.raises(Interrupted):
        execute(run_config("checkpoint_seconds=0"), Listener(3))
    run = Run(run_config())
    path = run.folder / "checkpoint"
    path.write_bytes(wrong(Checkpoint.from_bytes(path.read_bytes(), run.digest))[how].to_bytes())
    if not earlier:
        (run.folder / "checkpoint.previous").unlink()
        (run.folder / "tasks.csv").unlink()
    listener = Listener()
    execute(run_config(), listener)
    (said,) = listener.said
    assert said.startswith("warning: checkpoint cannot be used, ")
    assert said.endswith("; set aside as unusable-1-checkpoint")
    assert [record["task"] for record in listener.records] == list(range(2 if earlier else 0, 5))
    assert "Traceback" not in (run.folder / "run.log").read_text()
    assert csv(run) == csv(execute(run_config(f"outputs={tmp_path}/whole"), Quiet()))


def test_a_checkpoint_without_a_trace_that_a_rule_reads_is_one_warning(
    run_config: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    source = "from plasticity.rules import Dead\nclass Mine(Dead): traces = {'age': None, 'utility': 0.9}\n"
    (tmp_path / "tracing_rule.py").write_text(source)
    settings = ("model.rules.prune._target_=tracing_rule.Mine", "tasks=3")
    run = execute(run_config(*settings), Quiet())
    path = run.folder / "checkpoint"
    saved = Checkpoint.from_bytes(path.read_bytes(), run.digest)
    assert {"trace.age", "trace.utility"} <= saved.network.keys()
    less = {name: values for name, values in saved.network.items() if name != "trace.age"}
    checkpoint.remove(run.folder)
    path.write_bytes(replace(saved, network=less).to_bytes())
    before, listener = csv(run), Listener()
    execute(run_config(*settings, "tasks=4"), listener)
    unusable, anew = listener.said
    assert unusable.startswith("warning: checkpoint cannot be used, ")
    assert "trace.age" in unusable
    assert anew.startswith("warning: no checkpoint holds the 3 tasks of tasks.csv: begun anew")
    assert [record["task"] for record in listener.records] == [0, 1, 2, 3]
    assert csv(run)[:4] == before
