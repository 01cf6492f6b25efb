from pathlib import Path

import numpy as np
import pytest
from support.synthetic import SETTINGS, trace, what, write_run

from plasticity.ground.errors import Mistake
from plasticity.record import Record
from plasticity.results import curves, table
from plasticity.results.curves import common, curve
from plasticity.results.paper.claims import Verdict
from plasticity.results.paper.statements import judge_cell
from plasticity.runs import rows
from plasticity.runs.identity import curve_key


def test_runs_that_differ_only_in_the_seed_are_one_curve(tmp_path: Path) -> None:
    for seed in (2, 0, 1):
        write_run(tmp_path, what("aen one"), seed, [0.5, 0.1 * seed])
    write_run(tmp_path, what("agn one"), 0, [0.5, 0.6])
    found, problems = curves.read(tmp_path)
    assert not problems
    aen = next(one for one in found if one.label == "aen-K6500")
    assert aen.seeds == (0, 1, 2)
    np.testing.assert_allclose(aen.series("accuracy"), [[0.5, 0.0], [0.5, 0.1], [0.5, 0.2]])
    assert len(found) == 2


def test_another_initial_weight_is_another_curve_and_another_engine_is_not() -> None:
    usual = what("aen one")
    assert curve_key(usual) != curve_key(what("aen one", outgoing="zero"))
    assert curve_key(usual) == curve_key({**usual, "engine": {"kind": "Reference"}, "seed": 7})


def test_a_seed_that_has_just_begun_is_left_out_and_named() -> None:
    found = curve(what("aen one"), [trace(0, 100), trace(1, 100), trace(2, 7, asked=100)])
    assert (found.seeds, found.tasks) == ((0, 1), 100)
    assert found.left_out == ("seed 2 has 7 of 100 tasks (finished), left out",)


def test_one_extended_seed_is_cut_to_what_the_others_have() -> None:
    found = curve(what("aen one"), [trace(0, 100), trace(1, 100), trace(2, 150)])
    assert (found.seeds, found.tasks) == ((0, 1, 2), 100)
    assert found.left_out == ("seed 2 has 150 tasks, 100 of them used",)


def test_runs_of_one_curve_from_two_places_are_one_curve() -> None:
    here = curve(what("aen one"), [trace(0, 100), trace(1, 100)])
    there, other = curve(what("aen one"), [trace(2, 120)]), curve(what("agn one"), [trace(0, 50)])
    both, agn = curves.joined([here, other, there])
    assert (both.seeds, both.tasks) == ((0, 1, 2), 100)
    assert both.left_out == ("seed 2 has 120 tasks, 100 of them used",)
    assert agn is other


def test_a_run_that_two_places_have_counts_once() -> None:
    both = curves.joined([curve(what("aen one"), [trace(seed, 9) for seed in seeds]) for seeds in ((0, 1), (1, 2))])
    assert [one.seeds for one in both] == [(0, 1, 2)]


@pytest.mark.parametrize(
    ("lengths", "kept"),
    [
        ([5], 5),
        ([3, 400, 400], 400),
        ([150, 150, 400, 400, 400], 400),
        ([200] * 5 + [400], 200),
        ([100, 100, 300], 100),
    ],
)
def test_the_common_length_keeps_the_most_records(lengths: list[int], kept: int) -> None:
    assert common(lengths) == kept


def test_a_seed_that_is_there_twice_counts_once_and_is_named() -> None:
    found = curve(what("aen one"), [trace(0, 50), trace(0, 80), trace(1, 80)])
    assert (found.seeds, found.tasks) == ((0, 1), 80)
    assert "seed 0 is there twice" in found.left_out[0]


def test_values_that_are_not_numbers_are_named() -> None:
    accuracy = np.full(20, 0.5)
    accuracy[[7, 9]] = np.nan
    found = curve(what("aen one"), [trace(0, 20, accuracy=accuracy), trace(1, 20)])
    assert found.left_out == ("seed 0 has values that are not numbers in 2 tasks, from task 7",)


def test_a_folder_whose_config_is_damaged_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    write_run(tmp_path, what("aen one"), 0, [0.5])
    bad = write_run(tmp_path, what("aen one"), 1, [0.5])
    (bad / "config.yaml").write_text("model: [")
    found, problems = curves.read(tmp_path)
    assert found[0].seeds == (0,)
    assert len(problems) == 1
    assert str(bad) in problems[0]


def test_a_run_without_a_finished_task_is_named(tmp_path: Path) -> None:
    folder = write_run(tmp_path, what("aen one"), 0, [], asked=9, state="running")
    found, problems = curves.read(tmp_path)
    assert not found
    assert problems == [f"{folder}: no task is done yet (running)"]


def test_of_many_runs_without_a_finished_task_three_are_named(tmp_path: Path) -> None:
    for seed in range(8):
        write_run(tmp_path, what("aen one"), seed, [], asked=9)
    problems = curves.read(tmp_path)[1]
    assert len(problems) == 4
    assert problems[-1] == f"{tmp_path}: in 5 more runs no task is done yet"


def test_a_torn_last_row_is_not_read(tmp_path: Path) -> None:
    folder = write_run(tmp_path, what("aen one"), 0, [0.5, 0.6], asked=3)
    with (folder / "tasks.csv").open("a") as file:
        file.write("2,0.7,0.0")
    assert curves.read(tmp_path)[0][0].tasks == 2


def test_a_csv_that_lacks_a_column_reads_as_missing_and_its_curve_stays_usable(tmp_path: Path) -> None:
    course = np.linspace(0.5, 0.7, 40)
    for seed in range(3):
        write_run(tmp_path, what("aen one"), seed, course + 0.01 * seed, lacking=("units",), dormancy=course)
    (found,), problems = curves.read(tmp_path)
    assert not problems
    assert found.seeds == (0, 1, 2)
    np.testing.assert_allclose(found.series("accuracy"), [course + 0.01 * seed for seed in range(3)])
    assert np.isnan(found.series("units")).all()
    assert found.left_out == tuple(f"seed {seed} has no units" for seed in range(3))
    row = table.rows([found], SETTINGS)[0]
    assert row.last.mean == pytest.approx(0.01 + course[-10:].mean())
    assert (row.units.trend, row.units.level.n) == ("undecided", 0)
    judged = {one.claim.says: one.findings[0] for one in judge_cell("mnist", 10_000, {"aen one": found})}
    assert judged["AENs do not decline"].verdict is Verdict.SUPPORTED
    assert (judged["AEN: size settles"].verdict, judged["AEN: size settles"].found.n) == (Verdict.OPEN, 0)


def test_one_seed_that_lacks_a_column_leaves_the_others_theirs(tmp_path: Path) -> None:
    write_run(tmp_path, what("aen one"), 0, [0.5, 0.6], lacking=("connections", "seconds"))
    write_run(tmp_path, what("aen one"), 1, [0.5, 0.6], connections=[3, 4])
    (found,), _ = curves.read(tmp_path)
    np.testing.assert_array_equal(found.series("connections"), [[np.nan, np.nan], [3, 4]])
    assert found.left_out == ("seed 0 has no connections",)


def test_a_column_of_ones_own_is_read_and_missing_where_a_run_does_not_have_it(tmp_path: Path) -> None:
    write_run(tmp_path, what("aen one"), 0, [0.5, 0.6])
    other = write_run(tmp_path, what("aen one"), 1, [0.5, 0.6])
    rows.write(other / "tasks.csv", [Record({**row, "churn": 0.25}) for row in rows.read(other / "tasks.csv")])
    (found,), _ = curves.read(tmp_path)
    np.testing.assert_array_equal(found.series("churn"), [[np.nan, np.nan], [0.25, 0.25]])
    assert found.left_out == ()


def test_an_outputs_folder_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match="nowhere is not a folder"):
        curves.read(tmp_path / "nowhere")
