"""Operations and bytes, counted by hand on a network of 4 inputs, 3 units and 2 outputs, and on one that grows.

The layered network has 4·3 + 3 + 3·2 + 2 = 23 weights and biases, which take 6 operations per sample with SGD. The
cascade has 2·(4 + 1) = 10 of them to begin with; its first unit brings 4 + 1 + 2 = 7, the second, which also sees the
first, 8.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
import pytest
from support import hand

from plasticity.engines.fused import Fused
from plasticity.engines.reference import Reference
from plasticity.learner import Learner
from plasticity.networks import Cascade, Layered, Network
from plasticity.record import Record
from plasticity.rules import ContinualBackprop, Every, HeadReset, ReDo, Rule, Scratch, ShrinkPerturb, traces_of
from plasticity.streams import Samples
from plasticity.updates import L2, SGD, Adam, L2Init, Update

TEN = Samples.of(np.tile(hand.X, (10, 1)))
PLAIN, ADAM = SGD(0.1), Adam(0.1, 0.9, 0.999, 1e-8)


def cascade(**how: bool) -> Cascade:
    settings: Any = dict(lateral=True, freezing=False, bias=True, incoming="kaiming", outgoing="zero", first="zero")
    return Cascade(np.random.default_rng(0), 4, 2, dtype=np.float64, **(settings | how))


def rows(
    network: Network, samples: Samples, update: Update = PLAIN, rules: Mapping[str, Rule] | None = None
) -> list[Record]:
    """Of two tasks."""
    rules = rules or {}
    network.remember(tuple(update.memory), traces_of(rules))
    engine = Reference() if update.linear is None else Fused()
    return list(Learner(hand.Once(samples), network, engine, update, rules, seed=0, probe=1.0).records(0, 2))


def test_a_cascade_that_grows_pays_for_the_weights_there_are_at_each_moment() -> None:
    """Units come after samples 4 and 8 of 10: 4·6·10 + 4·6·17 + 2·6·25 = 948 operations, and 2 for each weight drawn,
    4 + 2 of the first and 5 + 2 of the second unit. In the next task: 4·6·25, then 9 more, 10 more; 8 and 9 drawn."""
    work = [row["work"] for row in rows(cascade(), TEN, rules={"grow": Every(4)})]
    assert work == [948 + 2 * 13, 4 * 6 * 25 + 4 * 6 * 34 + 2 * 6 * 44 + 2 * 17]


def test_frozen_weights_are_paid_for_forward_only() -> None:
    """When the second unit comes, the first one's 4 weights and bias freeze: the last two samples take 6·20 + 2·5."""
    work = rows(cascade(freezing=True), TEN, rules={"grow": Every(4)})[0]["work"]
    assert work == 4 * 6 * 10 + 4 * 6 * 17 + 2 * 130 + 2 * 13


@pytest.mark.parametrize(
    ("update", "work"), [(PLAIN, 2 * 23 * 6), (L2(0.1, 0.1), 322), (L2Init(0.1, 0.1), 414), (ADAM, 1104)]
)
def test_an_update_says_what_a_weight_takes(update: Update, work: int) -> None:
    """Two samples, 23 weights and biases: 4 each forward and back, and 2, 3, 5 or 20."""
    assert [row["work"] for row in rows(hand.layered(), hand.AGAIN, update)] == [work, work]


@dataclass(frozen=True)
class Silent:
    """An update of somebody's own that does not say what it takes."""

    memory = ()
    linear = None

    def __call__(self, weight: Any, gradient: Any) -> tuple[Any, ...]:
        return (-gradient,)


def test_work_is_missing_where_an_update_does_not_say_what_it_takes() -> None:
    silent: Any = Silent()
    assert isnan(rows(hand.layered(), hand.AGAIN, silent)[0]["work"])


@pytest.mark.parametrize(
    ("rule", "more"),
    [
        (ReDo(2, 0), 2 * 2 * 23 + 2 * 4),  # two samples forward, and the silent unit's 4 weights drawn
        (ContinualBackprop(0, 100, 0.99, "contribution"), 2 * (3 * (1 + 4) + 2 * 6)),  # age and utility, 6 outgoing
        (Scratch(), 2 * 18),
        (HeadReset(), 2 * 6),
        (ShrinkPerturb(0.5, 0.1), 2 * 18 + 3 * 23),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_rule_pays_for_its_look_its_traces_and_what_is_drawn(rule: Rule, more: int) -> None:
    network = hand.layered()
    row = rows(network, hand.AGAIN, rules={"rule": rule})[1]
    assert row["work"] == 2 * 23 * 6 + more
    assert row["renewed"] == isinstance(rule, ReDo)


def test_traces_of_a_cascade_cost_by_its_units_and_what_leads_away_from_them() -> None:
    """Two units: 5 operations each for age and utility, and 2 for each of 2·2 weights to outputs and 1 between them."""
    network = cascade()
    for unit in range(2):
        network.grow(np.random.default_rng(unit))
    found = rows(network, TEN, rules={"cbp": ContinualBackprop(0, 100, 0.99, "contribution")})
    assert found[0]["work"] == 10 * (25 * 6 + 2 * 5 + 2 * 5)


def test_a_unit_that_feeds_two_numbers_has_twice_the_weights() -> None:
    rng = np.random.default_rng(0)
    how: Any = dict(layers=1, width=3, bias=False, initial_weights="kaiming", activation="crelu")
    assert Layered(rng, 4, 2, **how).work.step(2) == 6 * (4 * 3 + 6 * 2)


@pytest.mark.parametrize(
    ("update", "numbers"), [(PLAIN, 23), (L2(0.1, 0.1), 23), (L2Init(0.1, 0.1), 2 * 23), (ADAM, 4 * 23)]
)
def test_memory_is_the_weights_and_what_an_update_remembers_of_each(update: Update, numbers: int) -> None:
    assert rows(hand.layered(), hand.AGAIN, update)[0]["memory"] == 8 * numbers


def test_memory_holds_traces_of_units_and_what_rules_note() -> None:
    """Age and utility of 3 units; then three numbers that continual backprop notes of the layer: 8 bytes each."""
    found = rows(hand.layered(), hand.AGAIN, rules={"cbp": ContinualBackprop(0, 100, 0.99, "contribution")})
    assert [row["memory"] for row in found] == [8 * (23 + 6), 8 * (23 + 6 + 3)]


@pytest.mark.parametrize(
    ("how", "numbers"),
    [({}, 25), ({"lateral": False}, 24), ({"bias": False}, 21), ({"freezing": True}, 25)],
)
def test_memory_of_a_cascade_is_that_of_the_weights_that_exist(how: dict[str, bool], numbers: int) -> None:
    """After a task in which two units came; without biases there are 4 numbers fewer."""
    assert rows(cascade(**how), TEN, rules={"grow": Every(4)})[1]["memory"] == 8 * numbers
