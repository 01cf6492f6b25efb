"""Quantities against a swept setting: which curves make a line, where they lie, what is said of them."""

import csv
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.synthetic import SETTINGS, trace, what

from plasticity.ground.errors import Mistake
from plasticity.results import statistics
from plasticity.results.curves import Curve, curve
from plasticity.results.sweeps import pictures, tables
from plasticity.results.sweeps.making import against
from plasticity.results.sweeps.points import points
from plasticity.results.sweeps.quantities import CHANGE, DIFFERENCE, GAP, quantity
from plasticity.results.sweeps.sweep import Sweep
from plasticity.results.words import BLACK, GREEN, style

TASKS = 40
GRADUAL = {"kind": "Gradual", "order": "shuffled"}


def changing(name: str, change: float, level: float = 0.8, seeds: int = 3, **more: Any) -> Curve:
    """A network on a stream of which this share changes; its accuracy is flat, another one for each seed."""
    place = {key: more.pop(key) for key in ("dataset", "N") if key in more}
    units = more.pop("units", 5)
    whole = {**what(name, **place), "stream": {**GRADUAL, "change": change}, **more}
    return curve(whole, [trace(seed, TASKS, accuracy=level + seed / 100, units=units) for seed in range(seeds)])


def fresh(change: float, level: float, **more: Any) -> Curve:
    rules = [["scratch", {"kind": "Scratch"}]]
    model = {**what("ffcnn 3x200")["model"], "rules": rules}
    return changing("ffcnn 3x200", change, level, method="scratch", label="ffcnn-3x200-scratch", model=model, **more)


CHANGES = (1.0, 0.1, 0.01)
SWEPT = [changing(name, change) for name in ("aen one", "ffcnn 3x200") for change in CHANGES]


def only(curves: list[Curve], key: str = "stream.change", *quantities: str) -> Sweep:
    (sweep,) = against(key, curves, SETTINGS, quantities)
    return sweep


def test_a_line_is_what_is_alike_in_all_but_the_key_and_values_are_in_order() -> None:
    sweep = only(SWEPT)
    assert sweep.values == ("0.01", "0.1", "1.0")
    assert sweep.numbers == [0.01, 0.1, 1.0]
    assert [line.legend for line in sweep.lines] == ["F-FCNN 3×200", "AEN, one new unit per task"]
    assert all(len(line.curves) == 3 for line in sweep.lines)
    assert sweep.name == "against-stream.change-N10000"


def test_models_look_as_in_other_figures_and_others_take_looks_that_are_free() -> None:
    sweep = only([*SWEPT, *(fresh(change, 0.7) for change in CHANGES)])
    looks = {line.legend: line.style for line in sweep.lines}
    assert looks["AEN, one new unit per task"] == style(what("aen one"), SETTINGS, 0)
    assert looks["AEN, one new unit per task"].color == GREEN
    assert looks["F-FCNN 3×200"].color == BLACK
    assert len({*looks.values()}) == 3


def test_each_N_is_a_picture_and_data_sets_lie_side_by_side() -> None:
    curves = [changing("aen one", 0.1, dataset=name, N=N) for N in (10_000, 40_000) for name in ("mnist", "fmnist")]
    found = against("stream.change", curves, SETTINGS, ())
    assert [(sweep.name[-6:], sweep.columns) for sweep in found] == [
        ("N10000", ("mnist", "fmnist")),
        ("N40000", ("mnist", "fmnist")),
    ]


def test_kinds_of_stream_are_words_told_apart_by_what_they_bring() -> None:
    def on(stream: dict[str, Any], **every: int) -> Curve:
        rules = [["prune", {"kind": "Dead", **every}], ["grow", {"kind": "Every", "K": 6500}]]
        whole = {**what("aen one"), "model": {**what("aen one")["model"], "rules": rules}, "stream": stream}
        return curve(whole, [trace(seed, TASKS) for seed in range(3)])

    kinds = [
        on({"kind": "Permuted", "order": "shuffled"}),
        on({**GRADUAL, "change": 0.1}),
        on({"kind": "Relabelled", "order": "shuffled"}),
        on({**GRADUAL, "change": 0.1, "every": 10}, every=10_000),
    ]
    sweep = only(kinds, "stream")
    assert sweep.values == ("permuted", "gradual", "gradual, every=10", "relabelled")
    (line,) = sweep.lines  # pruning by samples follows from the stream
    assert len(line.curves) == 4
    two = only([*kinds, on({**GRADUAL, "change": 0.1, "every": 10}, every=5_000)], "stream")
    assert len(two.lines) == 3  # but two of one stream are two lines


def test_quantities_are_those_of_the_claims() -> None:
    rng = np.random.default_rng(0)
    rows = [trace(seed, TASKS, accuracy=rng.random(TASKS), dormancy=rng.random(TASKS)) for seed in range(4)]
    one = curve({**what("agn one"), "stream": {**GRADUAL, "change": 0.3}}, rows)
    sweep = only([one])
    for name, values in {
        "accuracy": statistics.last(one.series("accuracy")),
        "change_from_peak": statistics.change_from_peak(one.series("accuracy")),
        "dormancy": statistics.last(one.series("dormancy")),
    }.items():
        (point,) = points(sweep, quantity(name))
        expected = statistics.interval(100 * values)
        assert (point.value.mean, point.value.half) == pytest.approx((expected.mean, expected.half))


def test_the_gap_is_paired_by_seed_with_a_fresh_network_in_the_same_tasks() -> None:
    curves = [changing("aen one", 0.1, 0.75), fresh(0.1, 0.8), changing("aen one", 1.0, 0.75), fresh(1.0, 0.7)]
    sweep = only(curves)
    there = {(point.line.legend, sweep.values[point.at]): point.value for point in points(sweep, GAP)}
    for change, gap in (("0.1", -5), ("1.0", 5)):
        value = there["AEN, one new unit per task", change]
        assert value.mean == pytest.approx(gap)
        assert value.half == pytest.approx(0, abs=1e-9)  # seeds differ, their differences do not
        assert np.isnan(there["F-FCNN 3×200 (method=scratch)", change].mean)


def test_without_a_fresh_network_there_is_no_gap_to_draw() -> None:
    assert GAP not in pictures._rows(only(SWEPT))
    assert CHANGE in pictures._rows(only(SWEPT))


def probing(probe: float, level: float, seeds: range = range(3)) -> Curve:
    rows = [trace(seed, TASKS, accuracy=level + seed / 100) for seed in seeds]
    return curve({**what("aen one"), "probe": probe}, rows)


def test_the_difference_is_paired_by_seed_with_the_same_network_in_the_default_setting() -> None:
    sweep = only([probing(0.01, 0.7, range(1, 4)), probing(0.05, 0.75, range(5)), probing(1.0, 0.76)], "probe")
    there = {sweep.values[point.at]: point.value for point in points(sweep, DIFFERENCE)}
    for probe, difference in (("0.01", -5), ("1.0", 1)):
        assert there[probe].mean == pytest.approx(difference)
        assert there[probe].half == pytest.approx(0, abs=1e-9)
        assert there[probe].n == 3  # the seeds that both have
    assert np.isnan(there["0.05"].mean)
    assert "with probe=0.05" in tables.as_markdown(sweep)


def test_without_a_curve_in_the_default_setting_there_is_no_difference() -> None:
    sweep = only([probing(0.01, 0.7), probing(1.0, 0.76)], "probe")
    assert DIFFERENCE not in pictures._rows(sweep)
    assert DIFFERENCE.title not in tables.as_markdown(sweep)


@pytest.mark.parametrize(
    ("key", "network", "default"),
    [
        ("model.depth", {"depth": 4}, "null"),
        ("model.column", {"column": 3}, "1"),
        ("model.shortcut", {"shortcut": False}, "true"),
    ],
)
def test_a_key_that_no_identity_says_has_a_default_too(key: str, network: dict[str, Any], default: str) -> None:
    curves = [curve(what("aen one", **own), [trace(seed, TASKS) for seed in range(3)]) for own in ({}, network)]
    assert only(curves, key).default == default


def test_where_growth_is_part_of_what_is_swept_no_line_has_a_rate() -> None:
    usual, other = what("aen one"), what("aen three")
    curves = [curve(each, [trace(seed, TASKS) for seed in range(3)]) for each in (usual, {**other, "timing": "stall"})]
    assert [line.legend for line in only(curves, "timing").lines] == ["AEN"]


def test_a_column_without_a_number_is_not_in_the_table() -> None:
    assert GAP.title not in tables.as_markdown(only(SWEPT))
    assert GAP.title in tables.as_markdown(only([*SWEPT, *(fresh(change, 0.7) for change in CHANGES)]))


def test_what_was_measured_at_one_value_alone_is_not_compared() -> None:
    def pruning(probe: float, **more: Any) -> Curve:
        return curve({**what("aen one"), "probe": probe}, [trace(seed, TASKS, **more) for seed in range(3)])

    one = only([pruning(0.05, wrongly_pruned=0.1), pruning(1.0)], "probe")
    both = only([pruning(0.05, wrongly_pruned=0.1), pruning(1.0, wrongly_pruned=0.0)], "probe")
    assert [quantity("wrongly_pruned") in pictures._rows(sweep) for sweep in (one, both)] == [False, True]
    assert ["Living units pruned" in tables.as_markdown(sweep) for sweep in (one, both)] == [False, True]


def test_no_limit_comes_behind_every_number() -> None:
    networks: list[dict[str, Any]] = [{}, {"depth": 16}, {"depth": 2}]
    curves = [curve(what("aen one", **own), [trace(0, TASKS)]) for own in networks]
    assert only(curves, "model.depth").values == ("2", "16", "null")


def test_sizes_are_drawn_of_networks_that_change_theirs_and_say_whether_they_settled() -> None:
    growing = changing("agn one", 0.1, units=np.arange(TASKS))
    settled = changing("aen one", 0.1, units=np.minimum(np.arange(TASKS), 12))
    fixed = changing("ffcnn 3x200", 0.1, units=600)
    rows = pictures._rows(only([growing, settled, fixed]))
    there = {point.line.legend: (point.value.mean, point.trend) for point in rows[quantity("units")]}
    assert there == {"AGN": (pytest.approx(33), "rising"), "AEN, one new unit per task": (12, "settled")}


def test_what_is_missing_is_said() -> None:
    sweep = only([*SWEPT[:-1], changing("agn one", 0.1, seeds=2)])
    assert sweep.notes == [
        "F-FCNN 3×200: no runs (stream.change MNIST 0.01)",
        "AGN: no runs (stream.change MNIST 0.01; MNIST 1.0)",
        "AGN: no run of seed 2 (stream.change MNIST 0.1)",
    ]


def test_the_table_has_a_row_for_each_point() -> None:
    sweep = only(SWEPT)
    texts = tables.texts(sweep)
    assert [*texts] == [f"{sweep.name}.md", f"{sweep.name}.csv"]
    rows = list(csv.DictReader(StringIO(texts[f"{sweep.name}.csv"])))
    assert [(row["curve"], row["stream.change"]) for row in rows[:3]] == [
        ("F-FCNN 3×200", change) for change in ("0.01", "0.1", "1.0")
    ]
    assert float(rows[0]["accuracy"]) == pytest.approx(81)
    assert rows[0]["units_trend"] == "settled"
    assert "| MNIST | F-FCNN 3×200 | 0.01 | 3 | 40 | 81.00 ± 2.48 | +0.00 ± 0.00 |" in texts[f"{sweep.name}.md"]


def test_a_measure_can_be_chosen() -> None:
    assert [one.name for one in pictures._rows(only(SWEPT, "stream.change", "dormancy"))] == ["dormancy"]


def test_a_key_that_no_run_has_is_one_sentence() -> None:
    with pytest.raises(Mistake, match=r"steram.change is no key of these runs; did you mean stream.change\?"):
        against("steram.change", SWEPT, SETTINGS, ())


@pytest.mark.slow
@pytest.mark.parametrize("key", ["stream.change", "model"])
def test_it_is_drawn_with_numbers_and_with_words(key: str, tmp_path: Path) -> None:
    curves = SWEPT if key == "stream.change" else [one for one in SWEPT if one.what["stream"]["change"] == 1.0]
    paths = pictures.save(only(curves, key), tmp_path)
    assert [path.suffix for path in paths] == [".png", ".pdf", ".md", ".csv"]
    assert all(path.stat().st_size > 0 for path in paths)
    canvas = pictures.draw(only(curves, key))
    ticks = [label.get_text() for label in canvas.axes[-1].get_xticklabels()]
    assert ticks == (["0.01", "0.1", "1"] if key == "stream.change" else ["aen", "ffcnn"])
