"""Contestants of the comparison in classes: as large as the AEN there, each network once."""

from collections.abc import Iterable

import pytest
from support.small import ROOT

from hydra_plugins.plasticity.contestants import Setting, placed, settings, tried
from hydra_plugins.plasticity.presets import Presets, presets
from plasticity.results.field.collect import Sizes
from plasticity.results.field.entries import STEP_SIZES, Choice, Class, Placed
from plasticity.results.statistics import Interval
from plasticity.runs import identity

pytestmark = pytest.mark.slow  # composes dozens of configurations

CELL = ("mnist", 10_000)
# As AEN's sizes go together: 4 bytes of memory per connection, about 60,000 operations per connection and task.
SIZES: Sizes = {(*CELL, "one", "tuned"): {"connections": 24_000, "work": 1_470_000_000, "memory": 96_200}}
MATCHES = ("connections", "work", "memory")


@pytest.fixture(scope="module")
def found() -> Presets:
    return presets(ROOT / "conf", [])


@pytest.fixture(scope="module")
def every(found: Presets) -> list[Setting]:
    return settings(found)


def choice(contestant: str, every: Iterable[Setting]) -> Choice:
    """Its first setting."""
    one = next(each for each in every if each.contestant == contestant)
    unknown = Interval(0.8, 0.0, 3)
    return Choice(CELL, "tuned", contestant, one.title, "", 0.01, one.own, one.line, unknown, 8, (), ())


def in_classes(contestant: str, found: Presets, every: list[Setting], sizes: Sizes | None = None) -> list[Placed]:
    classes = [Class(*CELL, "one", match, "tuned") for match in MATCHES]
    return list(placed(found, every, [choice(contestant, every)], classes, SIZES if sizes is None else sizes))


def test_every_contestant_has_eight_settings(every: list[Setting]) -> None:
    names = [each.contestant for each in every]
    assert {name: names.count(name) for name in names} == dict.fromkeys(names, 8)


def test_every_setting_is_tried_at_every_step_size(found: Presets, every: list[Setting]) -> None:
    some = every[::9]
    there = list(tried(found, some, [CELL]))
    assert len({each.key for each in there}) == len(there) == len(some) * len(STEP_SIZES)


def test_until_it_is_known_where_aen_settles_no_fixed_network_is_placed(found: Presets, every: list[Setting]) -> None:
    assert in_classes("l2", found, every, {}) == []
    assert len(in_classes("aen", found, every, {})) == 1


def test_a_fixed_network_is_as_large_as_the_aen_of_its_class(found: Presets, every: list[Setting]) -> None:
    first, *_ = in_classes("l2", found, every)
    assert "model.width=30 " in first.line  # 784 × 30 + 30 × 10 = 23,820 connections
    assert first.note == ""


def test_what_is_near_enough_in_all_three_is_one_network(found: Presets, every: list[Setting]) -> None:
    assert len({each.key for each in in_classes("one_layer", found, every)}) == 1


def test_a_method_that_remembers_weights_at_birth_is_half_as_large_at_equal_memory(
    found: Presets, every: list[Setting]
) -> None:
    lines = {each.where.match: each.line for each in in_classes("l2_init", found, every)}
    widths = {match: int(line.partition("model.width=")[2].split()[0]) for match, line in lines.items()}
    assert 0.45 < widths["memory"] / widths["connections"] < 0.55


def test_a_growing_network_meets_the_others_whatever_they_equal(found: Presets, every: list[Setting]) -> None:
    assert [each.where.match for each in in_classes("agn", found, every)] == ["any"]


def test_one_that_says_how_it_grows_keeps_that(found: Presets, every: list[Setting]) -> None:
    (only,) = in_classes("aen_three", found, every)
    assert only.where.growth == "one"
    assert "growth=three" in only.line
    assert "growth=one" not in only.line


def test_a_line_of_the_preset_runs_the_network_it_stands_for(found: Presets, every: list[Setting]) -> None:
    for contestant in ("l2_init", "aen_three", "cbp"):
        one = in_classes(contestant, found, every)[-1]
        (composed,) = found.expansion.combinations(one.line.split())
        assert identity.curve_key(identity.curve(identity.identity(composed.config))) == one.key
