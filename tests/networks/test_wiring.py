"""Which unit sees which, by hand: columns, depth, and networks without weights from inputs to outputs."""

import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.agreement import difference, same_predictions
from support.small import cascade, configured, moment, small_data, stream

from plasticity.engines.fused import Fused
from plasticity.engines.reference import Reference
from plasticity.ground.errors import Mistake
from plasticity.networks import Cascade
from plasticity.networks.wiring import Wiring
from plasticity.rules import At, Every, Stall, Steady, checked
from plasticity.runs import build, identity
from plasticity.runs.execution import execute
from plasticity.runs.keys import apart
from plasticity.runs.progress import Quiet
from plasticity.streams import Samples
from plasticity.updates import SGD


def wired(units: int, column: int = 1, **how: Any) -> Wiring:
    wiring = Wiring(**({"lateral": True, "depth": None} | how))
    for unit in range(units):
        wiring.add(unit % column)
    return wiring


def test_a_cascades_units_see_all_before_them_and_a_flat_networks_none() -> None:
    assert wired(3).sees.tolist() == [[False, True, True], [False, False, True], [False, False, False]]
    assert wired(3).levels.tolist() == [1, 2, 3]
    for flat in (wired(3, depth=1), wired(3, lateral=False)):
        assert not flat.sees.any()
        assert flat.levels.tolist() == [1, 1, 1]


def test_units_of_a_column_do_not_see_one_another() -> None:
    """Units 0 and 1, 2 and 3, and 4: the second column sees the first, unit 4 sees both."""
    wiring = wired(5, column=2)
    assert [np.flatnonzero(wiring.sees[:, unit]).tolist() for unit in range(5)] == [
        [],
        [],
        [0, 1],
        [0, 1],
        [0, 1, 2, 3],
    ]
    assert wiring.levels.tolist() == [1, 1, 2, 2, 3]
    assert [wiring.between(units) for units in range(6)] == [0, 0, 0, 2, 4, 8]


def test_a_unit_sees_those_that_leave_it_within_the_depth() -> None:
    """Of levels 1, 2, 3; unit 3 may see only levels 1 and 2, so it has level 3, too, and so have all after it."""
    wiring = wired(5, depth=3)
    assert [np.flatnonzero(wiring.sees[:, unit]).tolist() for unit in range(5)] == [[], [0], [0, 1], [0, 1], [0, 1]]
    assert wiring.levels.tolist() == [1, 2, 3, 3, 3]


def test_levels_fall_where_those_that_were_seen_are_dropped() -> None:
    """With depth 2 all see unit 0. When it goes they have level 1, and the next unit sees all of them."""
    wiring = wired(4, depth=2)
    assert wiring.levels.tolist() == [1, 2, 2, 2]
    wiring.drop(np.array([False, True, True, True]))
    assert wiring.levels.tolist() == [1, 1, 1]
    wiring.add(0)
    wiring.add(0)
    assert wiring.levels.tolist() == [1, 1, 1, 2, 2]
    assert wiring.sees[:, 3].tolist() == wiring.sees[:, 4].tolist() == [True, True, True, False, False]


steps = st.lists(st.one_of(st.integers(1, 4), st.sets(st.integers(0, 9)).map(frozenset)), min_size=1, max_size=10)


@given(steps, st.one_of(st.none(), st.integers(1, 4)), st.booleans())
@settings(max_examples=60, deadline=None)
def test_no_level_is_above_the_depth_and_only_what_exists_is_counted(
    changes, depth: int | None, shortcut: bool
) -> None:
    network = cascade(0, inputs=4, depth=depth, shortcut=shortcut)
    for change in changes:
        if isinstance(change, int):
            for beside in range(change):
                network.grow(np.random.default_rng(beside), beside)
        else:
            network.prune(np.array(sorted(unit for unit in change if unit < network.units), int))
        assert network.wiring.levels.max(initial=0) <= (depth or network.units)
        assert network.connections == network.connected.sum()
        assert not network.weight[~network.connected].any()
        assert network.weight[network.connected].all()


def test_connections_and_work_are_those_of_the_weights_that_exist() -> None:
    """4 inputs, 2 outputs, units 0 | 1 2 | 3 4: 8 direct, 5·6 of units, 0 + 1 + 1 + 3 + 3 between them; 7 biases."""
    how: Any = dict(lateral=True, freezing=False, bias=True, incoming="kaiming", outgoing="kaiming", first="torch")
    network = Cascade(np.random.default_rng(0), 4, 2, **how)
    for unit, beside in enumerate((0, 0, 1, 0, 1)):
        network.grow(np.random.default_rng(unit), beside)
    assert network.connections == 8 + 30 + 8
    assert network.work.step(2) == 6 * (46 + 7)
    cut = Cascade(np.random.default_rng(0), 4, 2, **how, shortcut=False)
    assert (cut.connections, cut.work.step(2)) == (0, 6 * 2)  # the outputs' biases
    cut.grow(np.random.default_rng(0))
    assert (cut.connections, cut.work.step(2), cut.state_bytes) == (6, 6 * 9, 4 * 9)


def test_a_column_freezes_when_the_next_one_comes() -> None:
    network = cascade(3, column=2, freezing=True)  # units 0 and 1, and 2
    assert network.frozen == 2
    network.grow(np.random.default_rng(9), beside=1)
    assert network.learning[10:].tolist() == [False, False, True, True]


def test_fresh_weights_are_scaled_by_what_a_unit_sees() -> None:
    """Unit 18 of 20 inputs sees 2 units, with depth 3: U(±√(6/22)), and so it is drawn when it is renewed."""
    network = cascade(19, depth=3)
    for _ in range(2):
        incoming = network.weight[:, 28]
        assert np.count_nonzero(incoming) == 22
        assert 0.8 * np.sqrt(6 / 22) < np.abs(incoming).max() <= np.sqrt(6 / 22)
        network.renew(18, np.random.default_rng(0))


SAME: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "depth 1 and flat": ({"depth": 1}, {"lateral": False}),
    "depth that nobody reaches and cascade": ({"depth": 99}, {}),
    "columns of one and cascade": ({"column": 1}, {}),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", SAME)
@pytest.mark.parametrize("engine", [Reference, Fused])
def test_at_its_ends_depth_gives_the_flat_network_and_the_cascade_bit_for_bit(kind: str, engine: Any) -> None:
    one, other = (cascade(19, **how) for how in SAME[kind])
    samples = stream(small_data()).samples(0)
    for network in (one, other):
        engine().learn(network, samples[:100], SGD(0.05))
        network.prune(np.array([0, 3]))
        network.grow(np.random.default_rng(5))
        engine().learn(network, samples[100:], SGD(0.05))
    np.testing.assert_array_equal(one.weight, other.weight)
    np.testing.assert_array_equal(one.bias, other.bias)


KINDS: dict[str, dict[str, Any]] = {
    "columns": {"column": 3},
    "depth": {"depth": 3},
    "shortcut": {"shortcut": False},
    "flat without shortcut": {"shortcut": False, "lateral": False},
    "all": {"column": 2, "depth": 4, "shortcut": False},
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", ["all", *(pytest.param(kind, marks=pytest.mark.thorough) for kind in KINDS if kind != "all")]
)
def test_engines_agree_to_1e_5_over_2000_samples_with_growth_and_pruning(kind: str) -> None:
    """In segments that are no multiple of a block, in single precision; then all that does not exist is still zero."""
    reference = cascade(20, dtype=np.float32, **KINDS[kind])
    fused, samples = copy.deepcopy(reference), stream(small_data(2000, dtype=np.float32)).samples(0)
    for begin, end in ((0, 333), (333, 1001), (1001, 2000)):
        right = Reference().learn(reference, samples[begin:end], SGD(0.001))
        same_predictions(Fused().learn(fused, samples[begin:end], SGD(0.001)), right, 1e-5)
        assert difference(reference, fused) < 1e-5
        assert not fused.weight[~fused.connected].any()
        for network in (reference, fused):
            network.prune(np.array([0, 3, 17]))
            network.grow(np.random.default_rng(99))
            network.grow(np.random.default_rng(98), beside=1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_restored_network_grows_and_learns_like_the_one_that_was_saved(kind: str) -> None:
    how = {key: value for key, value in KINDS[kind].items() if key != "column"}
    network, other = cascade(9, **KINDS[kind]), cascade(2, **how)
    network.prune(np.array([2, 5]))
    other.restore(network.snapshot())
    for each in (network, other):
        each.grow(np.random.default_rng(7))
        Fused().learn(each, Samples.of(small_data().images), SGD(0.1))
    np.testing.assert_array_equal(network.wiring.sees, other.wiring.sees)
    np.testing.assert_array_equal(network.weight, other.weight)


def test_only_wiring_that_cannot_be_told_otherwise_is_written_down() -> None:
    assert "sees" in cascade(3, column=2).snapshot()
    assert "sees" in cascade(3, depth=2).snapshot()
    for network in (cascade(3), cascade(3, lateral=False), cascade(3, depth=1), cascade(3, shortcut=False)):
        assert "sees" not in network.snapshot()
    with pytest.raises(KeyError):
        cascade(0, depth=2).restore(cascade(3).snapshot())


def test_without_a_shortcut_outputs_have_their_bias_and_what_units_give() -> None:
    """One sample x = (1, 1), one unit of weights 1 and 2, so h = 3; outputs 3·(½, −½) + (0.1, 0.2)."""
    how: Any = dict(lateral=True, freezing=False, bias=True, incoming="kaiming", outgoing="kaiming", first="torch")
    network = Cascade(np.random.default_rng(0), 2, 2, **how, shortcut=False)
    network.grow(np.random.default_rng(0))
    assert not network.weight[:2, :2].any()
    network.weight[:2, 2], network.weight[2, :2], network.bias[:2] = [1, 2], [0.5, -0.5], [0.1, 0.2]
    output = network.output(Samples.of(np.ones((1, 2), np.float32)))
    np.testing.assert_allclose(output, [[1.6, -1.3]], rtol=1e-6)


@pytest.mark.parametrize("rule", [Every(5), At([0.5]), Stall(50, 1), Steady(150)], ids=lambda rule: type(rule).__name__)
def test_every_growing_rule_adds_whole_columns(rule: Any) -> None:
    network, samples = cascade(0), Samples.of(small_data().images)
    network.column = 3
    change = rule(network, moment(network, samples, sample=150, correct=np.zeros(150, bool)))
    assert checked(change, rule, network).add == 3


def test_a_run_adds_whole_columns_and_counts_their_units() -> None:
    learner = build.learner(configured("model=agn", "dataset=toy", "N=200", "K=90", "model.column=3"))
    rows = list(learner.records(0, 2))
    assert [row["added"] for row in rows] == [6, 6]
    assert learner.network.wiring.levels.tolist() == [1] * 3 + [2] * 3 + [3] * 3 + [4] * 3  # type: ignore[attr-defined]


def test_a_run_goes_on_where_a_checkpoint_left_it_bit_for_bit(tmp_path: Any) -> None:
    def rows(tasks: int, name: str) -> list[dict[str, float]]:
        own = ("model.column=2", "model.depth=3", "model.shortcut=false", "K=30", "init.outgoing=kaiming")
        words = ("model=aen", "dataset=toy", "N=200", "tracker=none", f"tasks={tasks}", f"outputs={tmp_path}/{name}")
        run = execute(configured(*words, *own, "step_size=0.01"), Quiet())
        return [{key: value for key, value in row.items() if key != "seconds"} for row in run.rows]

    rows(2, "parts")
    parts = rows(5, "parts")
    assert parts == rows(5, "whole")
    assert sum(row["pruned"] for row in parts) > 0


def test_these_keys_stay_out_of_the_identity_at_their_neutral_value() -> None:
    plain = identity.identity(configured("model=aen"))
    assert (
        identity.identity(configured("model=aen", "model.column=1", "model.depth=null", "model.shortcut=true")) == plain
    )
    others = [identity.identity(configured("model=aen", key)) for key in ("model.column=2", "model.depth=2")]
    others.append(identity.identity(configured("model=aen", "model.shortcut=false")))
    assert len({identity.digest(each) for each in (plain, *others)}) == 4
    assert apart([plain, *others]) == [{}, {"model.column": "2"}, {"model.depth": "2"}, {"model.shortcut": "false"}]


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("model.depth=0", "depth=0 is not possible; it must be a whole number, 1 or more, or null"),
        ("model.depth=deep", "depth=deep is not possible"),
        ("model.column=0", "column=0 is not possible; it must be a whole number, 1 or more"),
        ("model.shortcut=maybe", "shortcut=maybe is not possible; it must be true or false"),
    ],
)
def test_an_impossible_value_is_refused_in_one_sentence(override: str, said: str) -> None:
    with pytest.raises(Mistake, match=said):
        configured("model=aen", override)


def test_a_flat_network_has_no_depth_to_choose() -> None:
    with pytest.raises(Mistake, match="depth=3 is not possible: units of a flat network see only inputs"):
        configured("model=aen_two_layer", "model.depth=3")
