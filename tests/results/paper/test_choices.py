import csv
from io import StringIO
from itertools import product
from typing import Any

import numpy as np
from support.synthetic import SETTINGS, family, trace, what

from plasticity.results.curves import Curve, curve
from plasticity.results.paper.choices import Choice, as_csv, as_markdown, choices, tallies

FALL = np.concatenate([np.linspace(0.8, 0.86, 30), np.linspace(0.86, 0.80, 90)])
FLAT = np.full(120, 0.8)


def unlike(name: str, seeds: int = 3, tasks: int = 120, accuracy: Any = FLAT, **settings: Any) -> Curve:
    """A curve with settings of its own, a little noise between seeds."""
    runs = [trace(seed, tasks, accuracy=accuracy[:tasks] + 1e-4 * seed) for seed in range(seeds)]
    return curve(what(name, **settings), runs)


def says(choice: Choice) -> list[str]:
    return [one.claim.says for one in choice.judged]


def test_a_choice_is_judged_by_the_claims_on_its_curves_beside_the_usual_settings() -> None:
    (found,) = choices([unlike("agn one"), unlike("agn one", accuracy=FALL, outgoing="zero")], SETTINGS)
    assert found.words == "init.outgoing=zero"
    assert says(found) == ["AGN does not decline", "AGN's dormancy rises nevertheless"]
    assert [one.verdict.value for one in found.judged] == ["not supported", "not supported"]
    assert [one.verdict.value for one in found.default] == ["supported", "not supported"]


def test_what_a_choice_cannot_touch_is_usual_on_both_sides_and_not_counted() -> None:
    curves = [unlike("ffcnn 3x200", accuracy=FALL), unlike("agn one"), unlike("agn one", outgoing="zero")]
    (found,) = choices(curves, SETTINGS)
    assert not any("F-FCNN" in claim for claim in says(found))


def test_a_claim_that_lacks_a_curve_under_the_choice_is_not_counted() -> None:
    curves = [unlike(name) for name in ("aen one", "aen two", "aen three")]
    assert choices([*curves, unlike("aen one", bias=False)], SETTINGS) == []


def test_the_usual_settings_are_cut_to_the_tasks_and_seeds_of_the_choice() -> None:
    later = np.concatenate([np.full(120, 0.8), np.full(80, 0.7)])
    default = family("agn one", seeds=5, tasks=200, accuracy=later)
    (found,) = choices([default, unlike("agn one", outgoing="zero")], SETTINGS)
    assert (found.tasks, found.seeds) == (120, (0, 1, 2))
    held = found.default[0]
    assert held.verdict == "supported"
    assert held.findings[0].found.n == 3


def test_a_choice_is_cut_to_the_tasks_and_seeds_of_the_usual_settings() -> None:
    later = np.concatenate([np.full(120, 0.8), np.full(80, 0.7)])
    longer = [trace(seed, 200, accuracy=later + 1e-4 * seed) for seed in range(5)]
    (found,) = choices([unlike("agn one"), curve(what("agn one", outgoing="zero"), longer)], SETTINGS)
    assert (found.tasks, found.seeds) == (120, (0, 1, 2))
    assert found.judged[0].verdict == "supported"


def test_choices_come_in_the_order_of_the_settings_for_each_data_set() -> None:
    settings: list[dict[str, Any]] = [{}, {"bias": False}, {"outgoing": "zero"}, {"incoming": "torch"}]
    curves = [unlike("agn one", dataset=data, **one) for data in ("mnist", "fmnist") for one in settings]
    words = ("init.incoming=torch", "init.outgoing=zero", "bias=false")
    found = [(one.words, one.dataset) for one in choices(curves, SETTINGS)]
    assert found == list(product(words, ("mnist", "fmnist")))


def test_a_setting_that_no_default_names_is_a_choice_after_the_known_ones() -> None:
    curves = [unlike("agn one", **one) for one in ({}, {"gain": 2}, {"bias": False})]
    assert [one.words for one in choices(curves, SETTINGS)] == ["bias=false", "model.network.gain=2"]


def test_another_update_is_a_choice() -> None:
    other = {**what("agn one"), "update": {"kind": "Adam", "step_size": 0.001, "beta1": 0.8}}
    adam = curve(other, [trace(seed, accuracy=FLAT + 1e-4 * seed) for seed in range(3)])
    assert [one.words for one in choices([unlike("agn one"), adam], SETTINGS)] == ["update=adam, update.beta1=0.8"]


def test_a_choice_that_shares_no_seed_with_the_usual_settings_is_not_judged() -> None:
    other = curve(what("agn one", outgoing="zero"), [trace(seed, accuracy=FLAT) for seed in (7, 8, 9)])
    assert choices([unlike("agn one"), other], SETTINGS) == []


def test_markdown_shows_where_a_choice_and_the_usual_settings_part() -> None:
    text = as_markdown(choices([unlike("agn one"), unlike("agn one", accuracy=FALL, outgoing="zero")], SETTINGS))
    assert "| init.outgoing=zero | MNIST, N = 10,000 | 120 | 3 | 0 / 2 / 0 | 1 / 1 / 0 |" in text
    assert "| AGN does not decline | ✗ (default ✓) |" in text
    assert "| AGN's dormancy rises nevertheless | ✗ |" in text


def test_csv_has_a_row_a_claim() -> None:
    found = choices([unlike("agn one"), unlike("agn one", accuracy=FALL, outgoing="zero")], SETTINGS)
    rows = list(csv.DictReader(StringIO(as_csv(found))))
    assert [(row["choice"], row["verdict"], row["default_verdict"]) for row in rows] == [
        ("init.outgoing=zero", "not supported", "supported"),
        ("init.outgoing=zero", "not supported", "not supported"),
    ]


def test_there_is_nothing_to_say_without_other_settings() -> None:
    assert tallies(choices([unlike("agn one")], SETTINGS)) == []
