"""Growing, pruning, size and predictions of networks."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.small import cascade, layered, small_data

from plasticity.engines.fused import Fused
from plasticity.engines.reference import Reference
from plasticity.networks import Cascade
from plasticity.rules.pruning import Dead
from plasticity.streams.permuted import Samples, Stream

changes = st.lists(st.one_of(st.just("grow"), st.sets(st.integers(0, 11)).map(frozenset)), min_size=1, max_size=14)


def apply(network: Cascade, change: str | frozenset[int], serial: int) -> None:
    if isinstance(change, str):
        network.grow(np.random.default_rng(serial))
    else:
        network.prune(np.array(sorted(unit for unit in change if unit < network.units), int))


@pytest.mark.parametrize("units", [0, 1, 7])
def test_connections_of_a_cascade_follow_the_closed_form(units: int) -> None:
    network = cascade(units, inputs=784)
    assert network.connections == 784 * 10 + units * (784 + 10) + units * (units - 1) // 2
    assert network.connections == network.connected.sum()


def test_connections_of_a_flat_network_follow_the_closed_form() -> None:
    network = cascade(7, inputs=784, lateral=False)
    assert network.connections == 784 * 10 + 7 * (784 + 10) == network.connected.sum()


def test_connections_of_f_fcnn_3x200() -> None:
    assert layered(3, 200, 784).connections == 784 * 200 + 200 * 200 * 2 + 200 * 10


@given(changes, st.booleans(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_weights_exist_only_where_a_connection_does(steps, lateral: bool, freezing: bool) -> None:
    network = cascade(0, lateral=lateral, freezing=freezing)
    for serial, step in enumerate(steps):
        apply(network, step, serial)
        assert network.weight.shape == (20 + network.units, 10 + network.units)
        assert network.bias.shape == (10 + network.units,)
        assert not network.weight[~network.connected].any()
        assert 0 <= network.frozen <= network.units


@given(changes, st.sets(st.integers(0, 11)))
@settings(max_examples=60, deadline=None)
def test_survivors_of_pruning_keep_their_weights(steps, dropped: set[int]) -> None:
    network = cascade(0)
    for serial, step in enumerate(steps):
        apply(network, step, serial)
    before, units = network.weight.copy(), network.units
    gone = [unit for unit in dropped if unit < units]
    network.prune(np.array(gone, int))
    stay = [unit for unit in range(units) if unit not in gone]
    rows = [*range(20), *(20 + unit for unit in stay)]
    columns = [*range(10), *(10 + unit for unit in stay)]
    np.testing.assert_array_equal(network.weight, before[np.ix_(rows, columns)])


@given(st.integers(1, 40), st.sets(st.integers(0, 39)), st.booleans())
@settings(max_examples=40, deadline=None)
def test_dropping_silent_units_leaves_every_output_bit_as_it_was(units: int, silent: set[int], lateral: bool) -> None:
    network = cascade(units, lateral=lateral, dtype=np.float32)
    gone = np.array(sorted(unit for unit in silent if unit < units), int)
    network.bias[10 + gone] = -1e6
    samples = Samples.of(small_data(50, dtype=np.float32).images)
    before, fired = network.output(samples), network.hidden(samples)
    network.prune(gone)
    np.testing.assert_array_equal(network.output(samples), before)
    np.testing.assert_array_equal(network.hidden(samples), np.delete(fired, gone, axis=1))


@pytest.mark.parametrize("units", [3, 16, 45])
def test_dropping_dead_units_of_a_two_layer_network_changes_no_bit_of_the_rest_of_the_task(units: int) -> None:
    network = cascade(units, lateral=False, dtype=np.float32)
    network.bias[10 : 10 + units : 2] = -1e6
    samples = Stream(small_data(dtype=np.float32), seed=0).task(0).samples
    pruned = copy.deepcopy(network)
    dead = Dead()(network, samples, np.random.default_rng(0))
    pruned.prune(dead)
    right = Fused(0.01).learn(network, samples)
    np.testing.assert_array_equal(right, Fused(0.01).learn(pruned, samples))
    stay = np.setdiff1d(np.arange(units), dead)
    targets, sources = np.r_[np.arange(10), 10 + stay], np.r_[np.arange(20), 20 + stay]
    np.testing.assert_array_equal(network.weight[np.ix_(sources, targets)], pruned.weight)
    np.testing.assert_array_equal(network.output(samples), pruned.output(samples))


@pytest.mark.parametrize("engine", [Reference, Fused])
@pytest.mark.parametrize("lateral", [True, False])
def test_sgn_freezes_all_but_the_newest_units_incoming_weights(engine, lateral: bool) -> None:
    network = cascade(18, freezing=True, lateral=lateral)
    network.bias[10:] = 0.1
    before_weight, before_bias = network.weight.copy(), network.bias.copy()
    engine(0.05).learn(network, Stream(small_data(), seed=0).task(0).samples)
    frozen = slice(10, 10 + 17)
    np.testing.assert_array_equal(network.weight[:, frozen], before_weight[:, frozen])
    np.testing.assert_array_equal(network.bias[frozen], before_bias[frozen])
    fires = np.asarray(network.hidden(Stream(small_data(), seed=0).task(0).samples).any(axis=0))
    assert (network.weight[:20, :10] != before_weight[:20, :10]).any(axis=0).all()
    assert (network.outgoing[fires] != before_weight[20:, :10][fires]).all()
    assert fires[-1]
    assert (network.weight[:20, -1] != before_weight[:20, -1]).any()
    assert network.bias[-1] != before_bias[-1]


def test_a_frozen_unit_stays_frozen_when_the_newest_one_is_dropped() -> None:
    network = cascade(4, freezing=True)
    network.prune(np.array([3]))
    assert network.frozen == 3
    assert not network.learning[10:].any()


def test_a_new_unit_keeps_the_others_predictions_until_it_is_connected() -> None:
    network = cascade(3, outgoing="zero")
    samples = Samples.of(small_data().images)
    before = network.output(samples)
    network.grow(np.random.default_rng(5))
    np.testing.assert_array_equal(network.output(samples), before)


def test_growing_a_thousand_units_copies_each_of_them_a_constant_number_of_times() -> None:
    network = cascade(0, inputs=5)
    copied, room = 0, network._weight.size
    for unit in range(1000):
        network.grow(np.random.default_rng(unit))
        if network._weight.size != room:
            copied, room = copied + network.weight.size, network._weight.size
    assert copied < 2 * network.weight.size


def test_a_restored_network_goes_on_like_the_one_that_was_saved() -> None:
    network, other = cascade(9, freezing=True), cascade(2, freezing=True)
    network.prune(np.array([2, 5]))
    other.restore(network.state())
    for each in (network, other):
        each.grow(np.random.default_rng(7))
        Fused(0.1).learn(each, Samples.of(small_data().images))
    np.testing.assert_array_equal(network.weight, other.weight)
    assert (network.born, network.frozen) == (other.born, other.frozen) == (10, 7)


def test_units_that_are_not_there_cannot_be_dropped() -> None:
    with pytest.raises(IndexError, match="unit 3 of 3"):
        cascade(3).prune(np.array([3]))


def test_a_layered_network_says_the_same_as_its_definition() -> None:
    network, x = layered(2, 7), small_data().images[:4]
    h = np.maximum(np.maximum(x @ network.weight[0], 0) @ network.weight[1], 0)
    np.testing.assert_allclose(network.output(Samples.of(x)), h @ network.weight[2])
    assert network.hidden(Samples.of(x)).shape == (4, 14)
