"""The table of runs or curves: every swept key is in it, and no width cuts a number."""

import re
from functools import cache
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from support.small import configured, record
from support.synthetic import what

from plasticity.grid import listing
from plasticity.grid.state import Seen
from plasticity.runs.identity import identity
from plasticity.runs.summary import Summary

ROWS = [record(task, accuracy=0.81 + task / 1000, units=1234) for task in range(40)]
NUMBERS = ("0.815", "0.845", "1,234", "40/200")


def seen(*overrides: str, state: str = "running") -> Seen:
    whole = identity(configured("dataset=toy", "N=1000", *overrides))
    folder = Path(f"outputs/toy/N1000/{whole['label']}/seed{whole['seed']}-1a2b3c4d")
    return Seen(folder, whole, 200, state, Summary.of(ROWS), None, None)


def shown(runs: list[Seen], monkeypatch: pytest.MonkeyPatch, columns: int | None = None, by_curve: bool = False) -> str:
    if columns is None:
        monkeypatch.delenv("COLUMNS", raising=False)
    else:
        monkeypatch.setenv("COLUMNS", str(columns))
    text = StringIO()
    console = Console(file=text, width=columns, highlight=False)
    (listing.of_curves if by_curve else listing.of_runs)(runs, console)
    return text.getvalue()


@cache
def swept() -> list[Seen]:
    return [seen(f"step_size={size}", f"seed={seed}") for size in ("0.1", "0.01") for seed in (0, 1)]


def test_a_swept_key_is_a_column_beside_what_a_run_is(monkeypatch: pytest.MonkeyPatch) -> None:
    head, *rows = shown(swept(), monkeypatch).splitlines()
    names = ["dataset", "N", "model", "K", "step_size", "seed", "first", "last", "units", "tasks", "state", "folder"]
    assert head.split() == names
    assert [row.split()[4:6] for row in rows] == [["0.1", "0"], ["0.1", "1"], ["0.01", "0"], ["0.01", "1"]]


def test_a_method_is_a_column_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [seen("model=ffcnn", f"method={name}") for name in ("cbp", "redo")]
    head, *rows = shown(runs, monkeypatch).splitlines()
    place = head.split().index("method")
    assert [row.split()[place] for row in rows] == ["cbp", "redo"]
    assert "method" not in shown(swept(), monkeypatch)


@pytest.mark.parametrize("columns", [40, 60, 80, 120, 200])
def test_no_width_cuts_a_number_and_no_line_is_longer(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(swept(), monkeypatch, columns)
    assert max(map(len, text.splitlines())) <= columns
    for number in NUMBERS:
        assert len(re.findall(rf"(?<!\S){re.escape(number)}(?!\S)", text)) == len(swept())
    assert "step_size" in text
    assert "…" not in text


@pytest.mark.parametrize("columns", [5, 20])
def test_where_nothing_fits_every_number_still_is_there(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(swept(), monkeypatch, columns)
    assert all(text.count(number) == len(swept()) for number in NUMBERS)


def test_folders_are_shown_where_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "outputs/toy/N1000" in shown(swept(), monkeypatch, 160)
    assert "outputs/toy/N1000" in shown(swept(), monkeypatch)
    assert "outputs/toy/N1000" not in shown(swept(), monkeypatch, 80)


def test_what_all_runs_share_stands_above_where_there_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(swept(), monkeypatch, 60).splitlines()[0] == "dataset=toy N=1000 model=aen K=650"


def test_by_curve_there_is_a_row_for_all_its_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = [seen("step_size=0.01", "seed=2", state="failed")]
    head, *rows = shown([*swept(), *failed], monkeypatch, by_curve=True).splitlines()
    assert "step_size" in head
    assert [re.split(r"  +", row)[5] for row in rows] == ["0,1", "0–2"]
    assert [row.rstrip().split("  ")[-1] for row in rows] == ["2 running", "2 running, 1 failed"]
    assert [re.findall(r"\d+/\d+", row) for row in rows] == [["80/400"], ["120/600"]]


def test_markup_and_control_characters_in_names_errors_and_paths_are_shown_as_text() -> None:
    hostile = what("ffcnn 3x200") | {"seed": 4, "method": "[red]m[/]"}
    hostile["model"] = hostile["model"] | {"name": "[/bold] [link=x]a"}
    run = Seen(Path("[blink]some\x1b[2Jwhere\udcff"), hostile, 9, "failed", None, "[b]no[/i]", None)
    with (console := Console(force_terminal=True, color_system=None, width=300)).capture() as shown:
        listing.of_runs([run], console)
        listing.complaints([run], console)
    for text in ("[/bold] [link=x]a", "[red]m[/]", r"[blink]some\x1b[2Jwhere\udcff", "[b]no[/i]"):
        assert text in shown.get()
    assert "\x1b[2J" not in shown.get()
