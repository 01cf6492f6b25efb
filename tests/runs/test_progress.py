"""What a person sees of a run."""

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from support.small import record

from plasticity.runs import progress as view
from plasticity.runs.progress import Live, Plain

ROWS = [record(task, accuracy=0.5 + task / 100) for task in range(30)]  # 0.5 s each, 7 units, 25 % dormant


def test_plain_lines_come_a_few_a_minute_however_many_tasks_there_are(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    clock = iter(range(1000))  # every look at the clock is a second later
    monkeypatch.setattr(view, "monotonic", lambda: next(clock))
    shown = Plain()
    shown.begin("a run", [], 200)
    for _ in range(60):
        shown.record(ROWS[3])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "a run: 200 tasks"
    assert lines[1] == "  4 of 200 tasks: accuracy 0.530  dormancy 25.0%  units 7"
    assert len(lines) - 1 == 3


def test_a_resumed_run_says_where_it_goes_on(capsys) -> None:
    Plain().begin("a run", ROWS[:12], 200)
    assert capsys.readouterr().out == "a run: 200 tasks, resumed after 12\n"


def test_a_run_ends_with_a_summary_of_two_lines_and_its_folder(capsys) -> None:
    Plain().end(Path("outputs/here"), ROWS)
    assert capsys.readouterr().out.splitlines() == [
        "accuracy 0.530 → 0.760 (mean of the first and last 7 of 30 tasks)",
        "dormancy 25.0%, 7 units, 1,234 connections, 15.0 s",
        "outputs/here",
    ]


def test_the_bar_shows_accuracy_dormancy_and_units_and_warnings_above_it() -> None:
    screen = StringIO()
    shown = Live(Console(file=screen, force_terminal=True, width=110))
    shown.begin("a run", [], 30)
    shown.record(ROWS[0])
    shown.say("warning: something")
    shown.stop()
    seen = screen.getvalue()
    assert "accuracy 0.500  dormancy 25.0%  units 7" in seen
    assert "1/30" in seen
    assert "warning: something" in seen
