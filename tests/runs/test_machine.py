"""What a run was computed on is in its status, and going on with another kind of CPU is said once."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plasticity.compiled import kinds
from plasticity.runs import machine
from plasticity.runs.config import Config
from plasticity.runs.execution import execute
from plasticity.runs.progress import Plain, Quiet
from plasticity.runs.run import Run

Make = Callable[..., Config]
OTHER = {"vectors": "narrow", "cpu": "Another 9000"}


def computed_on(run: Run) -> list[dict[str, Any]]:
    return json.loads((run.folder / "status.json").read_text())["computed_on"]


def said(config: Config, capsys: pytest.CaptureFixture[str]) -> str:
    execute(config, Plain())
    return capsys.readouterr().out


def test_a_run_says_which_vectors_and_which_cpu_computed_it(run_config: Make) -> None:
    (only,) = computed_on(execute(run_config("tasks=2"), Quiet()))
    assert only == {"from_task": 0, "vectors": kinds.NAME, "cpu": machine.here()["cpu"]}
    assert only["cpu"] in Path("/proc/cpuinfo").read_text() or not Path("/proc/cpuinfo").exists()


def test_going_on_with_another_kind_warns_once_and_names_the_task(
    run_config: Make, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = execute(run_config("tasks=2"), Quiet())
    before, own = computed_on(run), machine.here()
    monkeypatch.setattr(machine, "here", lambda: OTHER)
    warning = f"last digits may differ from task 2 on: {kinds.NAME} on {own['cpu']}, now narrow on Another 9000"
    assert said(run_config("tasks=3"), capsys).count(warning) == 1
    assert warning in (run.folder / "run.log").read_text()
    assert "last digits" not in said(run_config("tasks=4"), capsys)
    assert computed_on(run) == [*before, {"from_task": 2, **OTHER}]


def test_vectors_that_were_asked_for_are_the_same_on_every_cpu(
    run_config: Make, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = execute(run_config("tasks=2"), Quiet())
    monkeypatch.setattr(kinds, "ASKED", True)
    monkeypatch.setattr(machine, "here", lambda: {"vectors": kinds.NAME, "cpu": "Another 9000"})
    assert "last digits" not in said(run_config("tasks=3"), capsys)
    assert [each["from_task"] for each in computed_on(run)] == [0, 2]


@pytest.mark.parametrize("damage", [[], ["x"], [{}], [{"from_task": 0}]])
def test_a_record_that_is_missing_or_damaged_stops_nothing(damage: list[Any]) -> None:
    whole, _ = machine.went_on(damage, 3)
    assert whole[-1] == {"from_task": 3, **machine.here()}


def test_a_run_that_starts_over_was_computed_here_alone(run_config: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    run = execute(run_config("tasks=2"), Quiet())
    monkeypatch.setattr(machine, "here", lambda: OTHER)
    execute(run_config("tasks=2", "force=true"), Quiet())
    assert computed_on(run) == [{"from_task": 0, **OTHER}]
