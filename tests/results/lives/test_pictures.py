"""Pictures and tables of lives, from runs."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from support.commands import run as command

import plasticity as p
from plasticity.ground.errors import Mistake
from plasticity.results.lives import groups, lifelines, pictures, records, table
from plasticity.results.lives.history import history

pytestmark = pytest.mark.slow  # of runs that all share
SMALL = ("dataset=toy", "tracker=none", "N=200", "K=60")


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    outputs = tmp_path_factory.mktemp("lives") / "outputs"
    for model in ("aen_random", "agn"):
        for seed in (0, 1, 2):
            p.run(f"model={model}", *SMALL, outputs=outputs, tasks=6, seed=seed)
    p.run("model=sgn", *SMALL, "lives=false", outputs=outputs, tasks=6)
    return outputs


def test_runs_of_a_curve_are_together_and_those_without_lives_are_named(outputs: Path) -> None:
    found, said = groups.read(outputs, [])
    (cell,) = groups.grouped(found, {})
    assert sorted((group.curve.label, len(group.histories)) for group in cell) == [
        ("aen_random-K60", 3),
        ("agn-K60", 3),
    ]
    (without,) = said
    assert "sgn-K60" in without
    assert "has no lives.jsonl" in without


def test_a_shorter_run_is_left_out_a_longer_one_cut_and_both_are_named(outputs: Path) -> None:
    first, second, *_, last = groups.read(outputs, ["model=agn"])[0]
    ((group,),) = groups.grouped([first.up_to(3), second, last], {})
    assert ([one.tasks for one in group.histories], group.tasks) == ([6, 6], 6)
    assert group.notes == ["seed 0 has 3 tasks where others have 6, left out"]
    ((group,),) = groups.grouped([first.up_to(5), second.up_to(5), last], {})
    assert (group.tasks, group.notes) == (5, ["seed 2 has 6 tasks, 5 of them used"])


def test_lines_choose_curves(outputs: Path) -> None:
    found, said = groups.read(outputs, ["model=agn"])
    ((group,),) = groups.grouped(found, {})
    assert (group.curve.label, group.survival.lives, group.survival.deaths, said) == ("agn-K60", 54, 0, [])


def test_the_table_has_a_row_for_each_curve(outputs: Path) -> None:
    cells = groups.grouped(groups.read(outputs, [])[0], {})
    texts = table.texts(table.rows(cells))
    head, *rows = csv.reader(texts["lives.csv"].splitlines())
    agn = dict(zip(head, next(row for row in rows if row[1].startswith("AGN")), strict=True))
    assert (agn["births per task"], agn["verdict"], agn["in the long run"]) == ("3.00", "agrees", "no balance seen")
    assert agn["predicted units"] == agn["measured units"] == "13.5 ± 0.0"
    assert len(texts["lives.md"].splitlines()) == 4


def test_a_lifeline_has_a_piece_for_each_task_that_a_unit_began_and_one_for_its_birth(outputs: Path) -> None:
    one = history(next((outputs / "toy/N200/aen_random-K60").glob("seed0-*")))
    canvas = lifelines.figure(one)
    (lines,) = [each for each in canvas.axes[0].collections if isinstance(each, LineCollection)]
    assert len(lines.get_segments()) == sum(len(glance.units) for glance in one.glances) + len(one.lives)
    deaths = [line for line in canvas.axes[0].lines if line.get_marker() == "x"]
    assert [len(np.asarray(line.get_xdata())) for line in deaths] == [sum(life.died is not None for life in one.lives)]


def test_groups_of_ages_add_up_to_all_units(outputs: Path) -> None:
    folder = next((outputs / "toy/N200/aen_random-K60").glob("seed0-*"))
    units = [row["units"] for _, row in p.load(folder).rows.iterrows()]
    assert lifelines.age_groups(history(folder)).sum(axis=0).tolist() == units


def test_a_history_up_to_a_task_is_that_of_a_shorter_run(outputs: Path, tmp_path: Path) -> None:
    longer = history(next((outputs / "toy/N200/aen_random-K60").glob("seed0-*")))
    shorter = history(p.run("model=aen_random", *SMALL, outputs=tmp_path, tasks=4).folder)
    assert longer.up_to(4).lives == shorter.lives


def test_a_figure_has_a_curve_of_each_kind_for_each_group(outputs: Path) -> None:
    cells = groups.grouped(groups.read(outputs, [])[0], {})
    canvas = pictures.figure(cells[0])
    assert [axes.get_title(loc="left") for axes in canvas.axes] == [
        "Survival (%)", "Hazard (deaths per 100 units and task)", "Median age of units (tasks)",
        "Hidden units, and predicted",
    ]  # fmt: skip
    assert [len(axes.lines) for axes in canvas.axes][2:] == [2, 4]


def test_curves_of_which_no_unit_has_died_are_drawn(outputs: Path, tmp_path: Path) -> None:
    cells = groups.grouped(groups.read(outputs, ["model=agn"])[0], {})
    pictures.figure(cells[0]).savefig(tmp_path / "alive.png")


def test_records_give_the_same_table_and_add_up(outputs: Path, tmp_path: Path) -> None:
    found, _ = groups.read(outputs, [])
    records.write(tmp_path, found[:4])
    again = records.read(tmp_path)
    assert again == [replace(one, glances=()) for one in found[:4]]
    texts = [table.texts(table.rows(groups.grouped(each, {}))) for each in (found, [*again, *found[3:]])]
    assert texts[0] == texts[1]


def test_records_that_are_missing_or_torn_are_one_sentence(outputs: Path, tmp_path: Path) -> None:
    with pytest.raises(Mistake, match=r"runs\.json is missing; launch/lives\.py --save-records writes such records"):
        records.read(tmp_path)
    records.write(tmp_path, groups.read(outputs, [])[0])
    (tmp_path / records.UNITS).write_bytes(b"torn")
    with pytest.raises(Mistake, match="cannot be read"):
        records.read(tmp_path)


def test_the_command_writes_pictures_and_the_table(outputs: Path, tmp_path: Path) -> None:
    said = command("lives", str(outputs), "--out", str(tmp_path))
    assert said.returncode == 0, said.stderr
    assert "note: " in said.stdout
    assert {path.suffix for path in tmp_path.iterdir()} == {".png", ".pdf", ".csv", ".md"}
    said = command("lives", str(outputs), "--save-records", "--out", str(tmp_path / "kept"))
    assert said.returncode == 0, said.stderr
    said = command("lives", "--records", str(tmp_path / "kept"), "--out", str(tmp_path / "again"))
    assert said.returncode == 0, said.stderr
    assert (tmp_path / "again" / "lives.md").read_text() == (tmp_path / "lives.md").read_text()
    said = command("lives", str(outputs), "--records", str(tmp_path / "kept"))
    assert (said.returncode, "are read together; say where to write with --out" in said.stderr) == (1, True)
    said = command("lives", str(outputs), "--curves", "model=sgn", "--out", str(tmp_path))
    assert (said.returncode, said.stderr.startswith("error: no run of")) == (1, True)
