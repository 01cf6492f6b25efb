"""Growing, pruning, size and predictions of networks."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.small import cascade, layered, moment, small_data, stream

from plasticity.engines.fused import Fused
from plasticity.engines.reference import Reference
from plasticity.networks import Cascade, Layered
from plasticity.rules import Dead
from plasticity.streams import Samples
from plasticity.updates import SGD

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


@given(st.integers(0, 60), st.sets(st.integers(0, 59)), st.booleans(), st.integers(1, 150))
@settings(max_examples=40, deadline=None)
def test_silent_units_are_those_whose_column_of_hidden_is_zero(
    units: int, dead: set[int], lateral: bool, n: int
) -> None:
    network = cascade(units, lateral=lateral, dtype=np.float32)
    network.bias[[10 + unit for unit in dead if unit < units]] = -1e6
    samples = Samples.of(small_data(150, dtype=np.float32).images)[:n]
    np.testing.assert_array_equal(network.silent(samples), ~network.hidden(samples).any(axis=0))


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
    samples = stream(small_data(dtype=np.float32)).samples(0)
    pruned = copy.deepcopy(network)
    dead = np.asarray(Dead()(network, moment(network, samples)).drop)
    pruned.prune(dead)
    right = Fused().learn(network, samples, SGD(0.01))
    again = Fused().learn(pruned, samples, SGD(0.01))
    np.testing.assert_array_equal(right.correct, again.correct)
    np.testing.assert_array_equal(right.loss, again.loss)
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
    engine().learn(network, stream(small_data()).samples(0), SGD(0.05))
    frozen = slice(10, 10 + 17)
    np.testing.assert_array_equal(network.weight[:, frozen], before_weight[:, frozen])
    np.testing.assert_array_equal(network.bias[frozen], before_bias[frozen])
    fires = np.asarray(network.hidden(stream(small_data()).samples(0)).any(axis=0))
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
    copied, room = 0, network._arrays.room
    for unit in range(1000):
        network.grow(np.random.default_rng(unit))
        if network._arrays.room != room:
            copied, room = copied + network.weight.size, network._arrays.room
    assert copied < 2 * network.weight.size


def test_a_restored_network_goes_on_like_the_one_that_was_saved() -> None:
    network, other = cascade(9, freezing=True), cascade(2, freezing=True)
    network.prune(np.array([2, 5]))
    other.restore(network.snapshot())
    for each in (network, other):
        each.grow(np.random.default_rng(7))
        Fused().learn(each, Samples.of(small_data().images), SGD(0.1))
    np.testing.assert_array_equal(network.weight, other.weight)
    assert (network.born, network.frozen) == (other.born, other.frozen) == (10, 7)


def test_units_that_are_not_there_cannot_be_dropped() -> None:
    with pytest.raises(IndexError):
        cascade(3).prune(np.array([3]))


def test_a_layered_network_says_the_same_as_its_definition() -> None:
    network, x = layered(2, 7), small_data().images[:4]
    h = np.maximum(np.maximum(x @ network.weight[0], 0) @ network.weight[1], 0)
    np.testing.assert_allclose(network.output(Samples.of(x)), h @ network.weight[2])
    assert network.hidden(Samples.of(x)).shape == (4, 14)


def test_a_renewed_unit_of_a_cascade_has_fresh_incoming_and_no_outgoing_weights() -> None:
    network, fresh = cascade(9), cascade(4)
    network.bias[10:] = 0.5
    before = network.weight.copy()
    network.renew(4, np.random.default_rng(5))
    fresh.grow(np.random.default_rng(5))  # as unit 4, with the same draw
    np.testing.assert_array_equal(network.weight[:24, 14], fresh.weight[:24, 14])
    assert not network.weight[24].any()
    assert network.bias[14] == 0
    others = np.ones(network.weight.shape, bool)
    others[24], others[:, 14] = False, False
    np.testing.assert_array_equal(network.weight[others], before[others])
    assert (network.units, network.born) == (9, 10)


def test_a_renewed_unit_of_a_layered_network_has_fresh_incoming_and_no_outgoing_weights() -> None:
    network = layered(3, 7)
    for bias in network.bias:
        bias[:] = 0.5
    before = copy.deepcopy(network)
    network.renew(9, np.random.default_rng(5))  # the third unit of the second layer
    bound = np.sqrt(6 / 7)
    assert (network.weight[1][:, 2] != before.weight[1][:, 2]).all()
    assert np.abs(network.weight[1][:, 2]).max() <= bound
    assert not network.weight[2][2].any()
    assert network.bias[1][2] == 0
    np.testing.assert_array_equal(np.delete(network.weight[1], 2, axis=1), np.delete(before.weight[1], 2, axis=1))
    np.testing.assert_array_equal(np.delete(network.weight[2], 2, axis=0), np.delete(before.weight[2], 2, axis=0))
    np.testing.assert_array_equal(network.weight[0], before.weight[0])
    assert network.born == 1


def remembering(network: Cascade | Layered) -> Cascade | Layered:
    network.remember(("birth", "velocity"), {"age": None, "silent_for": None, "activity": 0.9, "utility": 0.99})
    return network


def test_the_memory_named_birth_begins_as_the_weights_and_any_other_at_zero() -> None:
    for network in (remembering(cascade(3)), remembering(layered())):
        for own, birth, velocity in zip(
            network.parameters(), network.memory("birth"), network.memory("velocity"), strict=True
        ):
            np.testing.assert_array_equal(own, birth)
            assert velocity.shape == own.shape
            assert not velocity.any()


def test_memory_and_traces_follow_units_through_growth_pruning_and_renewal() -> None:
    network = remembering(cascade(3))
    network.memory("velocity")[0][:] = np.arange(23 * 13).reshape(23, 13)
    network.traces["age"][:] = [5, 6, 7]
    network.grow(np.random.default_rng(9))
    assert network.traces["age"].tolist() == [5, 6, 7, 0]
    assert not network.memory("velocity")[0][:, -1].any()
    np.testing.assert_array_equal(network.memory("birth")[0][:, -1], network.parameters()[0][:, -1])
    np.testing.assert_array_equal(network.memory("birth")[0][-1], network.parameters()[0][-1])
    network.prune(np.array([1]))
    assert network.traces["age"].tolist() == [5, 7, 0]
    assert network.memory("velocity")[0][0, :13].tolist() == [*range(11), 12, 0]
    network.renew(0, np.random.default_rng(3))
    assert network.traces["age"].tolist() == [0, 7, 0]
    assert not network.memory("velocity")[0][:, 10].any()
    np.testing.assert_array_equal(network.memory("birth")[0][:, 10], network.parameters()[0][:, 10])


def test_renewing_a_layered_unit_forgets_its_memory_and_traces() -> None:
    network = remembering(layered(2, 7))
    for values in network.memory("velocity"):
        values[:] = 1
    network.traces["utility"][:] = 2
    network.renew(8, np.random.default_rng(0))
    weight = network.memory("velocity")[1]
    assert not weight[:, 1].any()
    assert weight[:, 2].all()
    assert not network.memory("velocity")[2][1].any()
    assert network.traces["utility"].tolist() == [2.0] * 8 + [0.0] + [2.0] * 5
    np.testing.assert_array_equal(network.memory("birth")[1][:, 1], network.parameters()[1][:, 1])


@pytest.mark.parametrize("make", [lambda: cascade(5), lambda: layered(2, 7)])
def test_memory_and_traces_survive_saving_and_restoring(make) -> None:
    network, other = remembering(make()), remembering(make())
    rng = np.random.default_rng(0)
    for values in (*network.memory("velocity"), *network.memory("birth")):
        values[:] = rng.random(values.shape)
    for values in network.traces.values():
        values[:] = rng.integers(0, 9, values.shape)
    other.restore(network.snapshot())
    for name in ("velocity", "birth"):
        for a, b in zip(network.memory(name), other.memory(name), strict=True):
            np.testing.assert_array_equal(a, b)
    for name, values in network.traces.items():
        np.testing.assert_array_equal(values, other.traces[name])


@pytest.mark.parametrize("make", [lambda: cascade(5), lambda: layered(2, 7)])
def test_a_state_of_another_shape_or_with_parts_missing_is_refused_and_changes_nothing(make) -> None:
    network = remembering(make())
    before = network.snapshot()
    for name in before:
        with pytest.raises(KeyError):
            network.restore({key: values for key, values in before.items() if key != name})
        if before[name].ndim:
            with pytest.raises(ValueError, match="shape"):
                network.restore({**before, name: before[name][..., :-1]})
    for name, values in network.snapshot().items():
        np.testing.assert_array_equal(values, before[name])
