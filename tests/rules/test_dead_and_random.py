"""Which units are dropped."""

import numpy as np
import pytest
from support.small import cascade, moment, small_data

from plasticity.networks import Network
from plasticity.rules import Dead, RandomUnits
from plasticity.streams import Samples

PROBE = Samples.of(small_data().images)


def dead(network: Network) -> list[int]:
    return np.asarray(Dead()(network, moment(network, PROBE)).drop).tolist()


def drawn(network: Network, seed: int) -> list[int]:
    rule = RandomUnits()(network, moment(network, PROBE, rng=np.random.default_rng(seed)))
    return np.asarray(rule.drop).tolist()


def test_dead_drops_exactly_the_units_silent_on_the_probe() -> None:
    network = cascade(8)
    network.bias[10 + np.array([1, 6])] = -1e6
    network.bias[10 + np.array([0, 2, 3, 4, 5, 7])] = 1
    assert dead(network) == [1, 6]


def test_a_unit_that_fires_on_one_probed_sample_stays() -> None:
    network = cascade(1)
    strongest = (PROBE.x @ network.weight[:20, 10]).max()
    network.bias[10] = -strongest + 1e-6
    assert (network.hidden(PROBE) > 0).sum() == 1
    assert dead(network) == []


def test_random_pruning_draws_every_number_from_none_to_all() -> None:
    network = cascade(3)
    draws = [drawn(network, seed) for seed in range(200)]
    counts = np.bincount([len(units) for units in draws], minlength=4)
    assert (counts > 30).all()
    assert {unit for units in draws for unit in units} == {0, 1, 2}
    assert all(len(set(units)) == len(units) for units in draws)


def test_random_pruning_of_no_units_drops_none() -> None:
    assert drawn(cascade(0), 0) == []


def test_both_are_asked_when_a_task_begins_and_never_again() -> None:
    for rule in (Dead(), RandomUnits()):
        assert [rule.due(cascade(0), sample, 100) for sample in (0, 1, 50, 100)] == [0, None, None, None]


def test_every_so_many_samples_dead_looks_at_the_latest_ones_and_at_none_to_come() -> None:
    network = cascade(1)
    x = np.zeros((100, 20))
    x[:40], x[60:] = 1, 1  # what it fires on is met at first, and to come
    network.bias[10] = -1e-3
    network.weight[:20, 10] = 1
    rule = Dead(every=10)

    def drops(sample: int) -> list[int]:
        return np.asarray(rule(network, moment(network, Samples.of(x), sample=sample, share=0.2)).drop).tolist()

    assert [drops(sample) for sample in (10, 50, 59, 60, 61, 100)] == [[], [], [], [0], [], []]


@pytest.mark.parametrize("rule", [Dead(every=30), RandomUnits(every=30)])
def test_every_so_many_samples_is_counted_anew_in_each_task_the_last_included(rule: Dead | RandomUnits) -> None:
    assert [rule.due(cascade(), sample, 60) for sample in (0, 1, 30, 31, 60)] == [30, 30, 30, 60, 60]
    assert [rule.due(cascade(), sample, 70) for sample in (0, 61)] == [30, None]
    assert not rule.needs_boundaries


def test_looking_at_the_latest_samples_is_work_too() -> None:
    network = cascade(3)
    network.spent = 0
    Dead(every=10)(network, moment(network, PROBE, sample=30, share=0.05))
    assert network.spent == 15 * network.work.forward
