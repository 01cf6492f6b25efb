from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from support.synthetic import trace, what

from plasticity.ground.errors import Mistake
from plasticity.results.curves import Curve
from plasticity.results.field import collect, comparison, pictures, tables
from plasticity.results.field.comparison import pareto
from plasticity.results.field.entries import MATCHED, Class, Placed, Tried, chosen_for
from plasticity.results.field.selection import choices
from plasticity.results.field.sensitivity import varied

CELL = {"dataset": "mnist", "N": 10_000}
CLASS = CELL | {"growth": "one", "match": "connections", "regime": "paper"}


def rows(contestant: str, setting: str, step_size: float, accuracy: Sequence[float], **more: object) -> list[dict]:
    who = {
        "contestant": contestant,
        "title": contestant.upper(),
        "boundaries": "not used",
        "line": f"model={contestant}",
    }
    sizes = {"connections": 100.0, "work": 1e6, "memory": 400.0}
    set_to = {"step_size": step_size, "setting": setting, "tasks": 150}
    return [
        CELL | who | set_to | {"seed": seed, "accuracy": value} | sizes | more for seed, value in enumerate(accuracy)
    ]


def test_the_setting_with_the_best_mean_accuracy_is_chosen() -> None:
    tried = rows("l2", "decay=0.1", 0.001, [0.7, 0.8]) + rows("l2", "decay=0.2", 0.001, [0.9, 0.7])
    (paper,) = choices(pd.DataFrame(tried))
    assert (paper.setting, paper.regime, paper.tried) == ("decay=0.2", "paper", 2)
    assert paper.accuracy.mean == pytest.approx(0.8)


def test_the_papers_step_size_is_a_choice_of_its_own() -> None:
    tried = rows("l2", "decay=0.1", 0.001, [0.7]) + rows("l2", "decay=0.1", 0.01, [0.9])
    assert [(one.regime, one.step_size) for one in choices(pd.DataFrame(tried))] == [("paper", 0.001), ("tuned", 0.01)]


def test_one_step_size_is_not_tuned() -> None:
    tried = rows("l2", "decay=0.1", 0.001, [0.7]) + rows("aen", "probe=0.1", 0.001, [0.9])
    assert [(one.contestant, one.regime) for one in choices(pd.DataFrame(tried))] == [("l2", "paper"), ("aen", "paper")]


def test_settings_that_are_not_surely_worse_are_named() -> None:
    tried = rows("l2", "decay=1", 0.001, [0.80, 0.81, 0.82])
    tried += rows("l2", "decay=2", 0.001, [0.82, 0.79, 0.80])  # worse by 0.007, ± more than that
    tried += rows("l2", "decay=3", 0.001, [0.70, 0.711, 0.719])  # worse by a tenth in every seed
    (paper,) = choices(pd.DataFrame(tried))
    assert paper.tied == ("decay=2 step_size=0.001",)


def test_with_too_few_seeds_for_an_interval_nobody_says_what_is_surely_better() -> None:
    tried = rows("l2", "decay=1", 0.001, [0.8, 0.7]) + rows("l2", "decay=2", 0.001, [0.6, 0.5])
    assert "| L2 | 2 | decay=1 | 0.001 | 75.00 | – | – |" in tables.selection(choices(pd.DataFrame(tried)))


def test_a_choice_at_the_edge_of_its_grid_is_said() -> None:
    tried = [row for decay in (1, 2, 3) for row in rows("l2", f"model.layers=1 decay={decay}", 0.001, [decay / 10])]
    assert choices(pd.DataFrame(tried))[0].edges == ("decay=3",)
    assert choices(pd.DataFrame(rows("l2", "decay=2", 0.001, [0.9]) + tried))[0].edges == ()


@pytest.mark.parametrize(
    ("points", "front"),
    [
        ([(1, 0.5), (2, 0.6), (3, 0.55)], {0, 1}),
        ([(2, 0.5), (1, 0.5)], {1}),
        ([(1, 0.5), (1, 0.7)], {1}),
    ],
)
def test_the_front_is_what_nothing_beats_at_less_cost(points: list[tuple[float, float]], front: set[int]) -> None:
    assert pareto(points) == front


def series(contestant: str, by_seed: Mapping[int, Sequence[float]], connections: float = 100.0) -> list[dict]:
    found = []
    for seed, values in by_seed.items():
        for task, accuracy in enumerate(values):
            (row,) = rows(contestant, "", 0.001, [accuracy], connections=connections)
            found.append(CLASS | row | {"seed": seed, "task": task})
    return found


@pytest.fixture
def found() -> list[comparison.Evaluated]:
    tried = pd.DataFrame([row for name in ("aen", "l2", "scratch") for row in rows(name, "", 0.001, [0.8])])
    fresh = series("aen", {100: [0.8, 0.8, 0.9], 101: [0.7, 0.7, 0.8], 102: [0.75, 0.75, 0.85]}, connections=50.0)
    fresh += series("l2", {100: [0.7, 0.7, 0.7], 101: [0.6, 0.6, 0.6], 102: [0.65, 0.65, 0.65]})
    fresh += series("scratch", {100: [0.6] * 3, 101: [0.5] * 3, 102: [0.55] * 3})
    paper = [one for one in choices(tried) if one.regime == "paper"]
    return comparison.evaluated(paper, pd.DataFrame(fresh))


def test_differences_are_paired_by_seed(found: list[comparison.Evaluated]) -> None:
    ahead = {row.evaluated.choice.contestant: row.ahead_of_elastic for row in comparison.rows(found)}
    assert ahead["l2"].mean == pytest.approx(-0.4 / 3)  # in each seed: 0.1, 0.1 and 0.2 less
    assert ahead["l2"].half == pytest.approx(0, abs=1e-9)  # seeds differ by a tenth, their differences do not
    assert ahead["aen"].mean == 0


def test_the_gap_to_a_fresh_network_is_that_of_the_last_third(found: list[comparison.Evaluated]) -> None:
    gap = {row.evaluated.choice.contestant: row.gap_to_scratch.mean for row in comparison.rows(found)}
    assert gap == pytest.approx({"aen": 0.3, "l2": 0.1, "scratch": 0.0})


def test_who_still_learns_better_is_said_of_the_last_two_thirds(found: list[comparison.Evaluated]) -> None:
    change = {row.evaluated.choice.contestant: row.change.mean for row in comparison.rows(found)}
    assert change == pytest.approx({"aen": 0.1, "l2": 0.0, "scratch": 0.0})


def test_the_most_accurate_comes_first_and_sizes_are_over_aens(found: list[comparison.Evaluated]) -> None:
    first, second, _ = comparison.rows(found)
    assert (first.evaluated.choice.contestant, second.evaluated.choice.contestant) == ("aen", "l2")
    assert second.over_elastic["connections"] == 2
    assert (first.best["connections"], second.best["connections"]) == (True, False)


def test_records_read_back_as_they_were(tmp_path: Path, found: list[comparison.Evaluated]) -> None:
    tried = pd.DataFrame(rows("aen", "", 0.001, [0.8, 0.7]))
    fresh = pd.DataFrame(series("aen", {100: [0.8, 0.9]}))
    collect.write(tmp_path, tried, fresh)
    again, evaluated = collect.read(tmp_path)
    pd.testing.assert_frame_equal(again, tried, check_dtype=False)
    pd.testing.assert_frame_equal(evaluated, fresh, check_dtype=False)


def test_a_run_that_two_places_have_counts_once() -> None:
    here, there = pd.DataFrame(rows("aen", "", 0.001, [0.8, 0.7])), pd.DataFrame(rows("l2", "", 0.001, [0.6]))
    assert len(collect.joined([here, pd.concat([here, there])])) == 3


def test_records_that_are_missing_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match=r"selection.csv is missing; python launch/field.py"):
        collect.read(tmp_path)


@pytest.mark.parametrize(
    ("found", "instead", "said"),
    [
        ("contestant", "who", "selection.csv has no column contestant; python launch/field.py writes it"),
        ("0.8", "good", "selection.csv has something in the column accuracy that is no number"),
        ("mnist,10000", '"mnist,10000', "selection.csv cannot be read"),
    ],
)
def test_damaged_records_are_one_sentence(found: str, instead: str, said: str, tmp_path: Path) -> None:
    whole = pd.DataFrame(rows("aen", "", 0.001, [0.8])).to_csv(index=False)
    assert found in whole
    (tmp_path / "selection.csv").write_text(whole.replace(found, instead))
    with pytest.raises(Mistake, match=said):
        collect.read(tmp_path)


def test_records_without_rows_are_one_sentence(tmp_path: Path) -> None:
    collect.write(tmp_path, pd.DataFrame(rows("aen", "", 0.001, [0.8])).head(0), pd.DataFrame())
    with pytest.raises(Mistake, match=r"selection\.csv has no rows; python launch/field\.py writes it"):
        collect.read(tmp_path)


def test_every_contestant_is_in_table_and_pictures(found: list[comparison.Evaluated]) -> None:
    text = tables.comparison(found)
    own = "65.00 ± 12.42 | 65.00 ± 12.42 | +0.00 ± 0.00"
    assert f"| L2 | {own} | −13.33 ± 0.00 | −20.00 ± 0.00 | +10.00 ± 0.00 | 100 (2.00) |" in text
    tried = pd.DataFrame(rows("aen", "probe=0.1", 0.001, [0.8]) + rows("aen", "probe=0.2", 0.001, [0.7]))
    names = [name for name, _ in pictures.all_of(found, tried)]
    where = "mnist-N10000-one-connections-paper"
    assert names == [f"ranking-{where}", f"tasks-{where}", f"gap-{where}", "sensitivity-mnist-N10000"]


def test_a_contestant_looks_the_same_in_every_picture(found: list[comparison.Evaluated]) -> None:
    rows = comparison.rows(found)
    whole, without_scratch = (
        {line.get_label(): (line.get_color(), line.get_linestyle()) for line in picture(rows, "").axes[0].get_lines()}
        for picture in (pictures.over_tasks, pictures.gap)
    )
    assert without_scratch == {name: look for name, look in whole.items() if name != "SCRATCH"}


def test_growing_networks_are_green_and_those_of_a_matched_size_are_not(found: list[comparison.Evaluated]) -> None:
    aen, l2, scratch = found
    fixed = [replace(one, choice=replace(one.choice, line=f"{MATCHED} {one.choice.line}")) for one in (l2, scratch)]
    looks = pictures.styles(comparison.rows([aen, *fixed]))
    assert {name: look.color in pictures.GREENS for name, look in looks.items()} == {
        "aen": True, "l2": False, "scratch": False,
    }  # fmt: skip


def test_numbers_of_points_on_one_another_stand_apart(found: list[comparison.Evaluated]) -> None:
    alike = [replace(one, series=found[0].series) for one in found]
    _, connections, _ = pictures.ranking(comparison.rows(alike), "").axes
    heights = sorted(text.get_position()[1] for text in connections.texts)
    low, high = connections.get_ylim()
    assert np.diff(heights).min() > 0.03 * (high - low)


def test_every_key_that_was_varied_has_its_values_in_order() -> None:
    tried = [
        row
        for rate, init in ((0.1, "zero"), (0.01, "kaiming"), (1, "kaiming"))
        for row in rows("cbp", f"model.layers=1 model.rules.cbp.rate={rate:g} init.layers={init}", 0.001, [0.8, 0.6])
    ]
    found = {
        key: list(zip(table["value"], table["accuracy"], strict=True)) for key, table in varied(pd.DataFrame(tried))
    }
    assert list(found) == ["model.rules.cbp.rate", "init.layers"]
    assert found["model.rules.cbp.rate"] == [(0.01, 0.7), (0.1, 0.7), (1.0, 0.7)]
    assert [value for value, _ in found["init.layers"]] == ["zero", "kaiming", "kaiming"]


def placed(contestant: str, width: int, match: str = "connections") -> Placed:
    where = Class("mnist", 10_000, "one", match, "paper")
    return Placed(contestant, where, 0.001, "", f"model={contestant} model.width={width}", f"{contestant}{width}", "")


def test_the_chosen_preset_runs_each_network_once_on_fresh_seeds() -> None:
    text = tables.preset([placed("l2", 50), placed("l2", 60, "work"), placed("l2", 50, "memory")], tasks=400, seeds=10)
    assert yaml.safe_load(text)["hydra"]["sweeper"] == {
        "params": {"seed": "range(100,110)"},
        "curves": ["model=l2 model.width=50", "model=l2 model.width=60"],
    }
    assert (text.startswith("# @package _global_"), yaml.safe_load(text)["tasks"]) == (True, 400)


def test_aens_size_is_known_once_it_has_all_its_fresh_seeds() -> None:
    two = pd.DataFrame(series("aen", {100: [0.8] * 3, 101: [0.8] * 3}, connections=50.0))
    assert collect.elastic_sizes(two, seeds=3) == {}
    assert collect.elastic_sizes(two, seeds=2)["mnist", 10_000, "one", "paper"]["connections"] == 50


def test_what_has_too_few_fresh_seeds_is_missing() -> None:
    fresh = pd.DataFrame(series("l2", {100: [0.8], 101: [0.8]}))
    wanted = [placed("l2", 50), placed("redo", 50)]
    assert [each.contestant for each in collect.missing(wanted, fresh, seeds=2)] == ["redo"]
    assert [each.contestant for each in collect.missing(wanted, fresh, seeds=3)] == ["l2", "redo"]


def test_one_that_has_a_size_of_its_own_meets_the_others_whatever_they_equal() -> None:
    fresh = pd.DataFrame(
        [row | {"match": "any"} for row in series("aen", {100: [0.9]})]
        + series("l2", {100: [0.8]})
        + [row | {"match": "work"} for row in series("l2", {100: [0.7]})]
    )
    chosen = choices(pd.DataFrame(rows("aen", "", 0.001, [0.8]) + rows("l2", "", 0.001, [0.8])))
    met = {
        where.match: {one.choice.contestant: round(one.accuracy.mean(), 6) for one in together}
        for where, together in comparison.groups(comparison.evaluated(chosen, fresh)).items()
    }
    assert met == {"connections": {"aen": 0.9, "l2": 0.8}, "work": {"aen": 0.9, "l2": 0.7}}


def test_where_nothing_was_tried_settings_are_those_of_the_nearest_N() -> None:
    chosen = choices(pd.DataFrame(rows("aen", "", 0.001, [0.8]) + rows("l2", "", 0.001, [0.8], N=1_000)))
    names = {
        N: [one.contestant for one in chosen_for(chosen, Class("mnist", N, "one", "work", "paper"))]
        for N in (900, 40_000)
    }
    assert names == {900: ["l2"], 40_000: ["aen"]}


def test_a_table_says_that_settings_were_chosen_at_another_N(found: list[comparison.Evaluated]) -> None:
    elsewhere = [replace(one, where=replace(one.where, N=40_000)) for one in found]
    assert "3 tasks, 3 seeds. Settings were chosen at N = 10,000." in tables.comparison(elsewhere)
    assert "were chosen at" not in tables.comparison(found)


def test_a_setting_still_under_way_cuts_nobody_short() -> None:
    whole = Curve(what("aen one"), (trace(0, 30), trace(1, 30)))
    under_way = Curve(what("aen two"), (trace(0, 3, asked=30),))
    entries = [Tried(one.label, "", "", "mnist", 10_000, 0.001, "", "", one.key) for one in (whole, under_way)]
    found = collect.selection(entries, [whole, under_way])
    assert list(zip(found["contestant"], found["tasks"], strict=True)) == 2 * [(whole.label, 30)]
