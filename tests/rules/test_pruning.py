"""Which units are dropped."""

import numpy as np
from support.small import cascade, small_data

from plasticity.rules.pruning import Dead, Keep, Random
from plasticity.streams.permuted import Samples

PROBE = Samples.of(small_data().images)


def test_dead_drops_exactly_the_units_silent_on_the_probe() -> None:
    network = cascade(8)
    network.bias[10 + np.array([1, 6])] = -1e6
    network.bias[10 + np.array([0, 2, 3, 4, 5, 7])] = 1
    assert Dead()(network, PROBE, np.random.default_rng(0)).tolist() == [1, 6]


def test_a_unit_that_fires_on_one_probed_sample_stays() -> None:
    network = cascade(1)
    strongest = (PROBE.x @ network.weight[:20, 10]).max()
    network.bias[10] = -strongest + 1e-6
    assert (network.hidden(PROBE) > 0).sum() == 1
    assert len(Dead()(network, PROBE, np.random.default_rng(0))) == 0


def test_random_pruning_draws_every_number_from_none_to_all() -> None:
    network = cascade(3)
    drawn = [Random()(network, PROBE, np.random.default_rng(seed)) for seed in range(200)]
    counts = np.bincount([len(units) for units in drawn], minlength=4)
    assert (counts > 30).all()
    assert set(np.concatenate(drawn).tolist()) == {0, 1, 2}
    assert all(len(set(units.tolist())) == len(units) for units in drawn)


def test_random_pruning_of_no_units_drops_none() -> None:
    assert len(Random()(cascade(0), PROBE, np.random.default_rng(0))) == 0


def test_keep_drops_nothing() -> None:
    assert len(Keep()(cascade(3), PROBE, np.random.default_rng(0))) == 0
