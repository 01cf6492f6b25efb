"""Shrink and perturb, once per task."""

import numpy as np
import pytest
from support import hand
from support.small import MODELS, cascade, configured, layered, moment, small_data

from plasticity.errors import Mistake
from plasticity.rules import ShrinkPerturb
from plasticity.runs import build
from plasticity.streams import Samples


def test_it_acts_when_a_task_begins_but_not_the_first() -> None:
    rule, network, probe = ShrinkPerturb(0.8, 0.2, "once_per_task"), layered(), Samples.of(small_data().images)
    assert [rule.due(network, sample, 100) for sample in (0, 1, 100)] == [0, None, None]
    changes = [rule(network, moment(network, probe, task=task)) for task in (0, 1)]
    assert [(change.scale, change.noise) for change in changes] == [(1, 0), (0.8, 0.2)]


def test_shrinking_three_units_by_hand() -> None:
    """Half of 0.5, −1, 1.5 … and of the biases; no noise."""
    half = [[0.25, -0.5, 0.75], [0.1, 0.2, -0.1], [0.25, 0.0, 0.25], [0.05, 0.05, 0.05]]
    layers, flat = hand.layered(), hand.flat()
    layers.bias[0][:], flat.bias[2:] = (0.2, 0.4, 0.6), (0.2, 0.4, 0.6)
    for network in (layers, flat):
        network.mix(0.5, 0, np.random.default_rng(0))
    for weight, bias in ((layers.weight[0], layers.bias[0]), (flat.weight[:4, 2:], flat.bias[2:])):
        np.testing.assert_allclose(weight, half)
        np.testing.assert_allclose(bias, [0.1, 0.2, 0.3])
    for weight in (layers.weight[1], flat.weight[4:, :2]):
        np.testing.assert_allclose(weight, [[0.15, 0.05], [0.35, -0.35], [0, 0.05]])


def test_noise_has_the_deviation_of_a_fresh_draw_times_its_share() -> None:
    """U(±√(6/20)) has the variance 2/20; a fifth of such a draw has 0.04·0.1. Outgoing weights: U(±0.5), 0.04/12."""
    layers, grown = layered(1, 2000), cascade(600, lateral=False)
    for network in (layers, grown):
        network.mix(0, 0.2, np.random.default_rng(0))
    for weight in (layers.weight[0], grown.weight[:20, 10:]):
        assert weight.var() == pytest.approx(0.004, rel=0.05)
    assert grown.outgoing.var() == pytest.approx(0.04 / 12, rel=0.05)


def test_what_is_frozen_or_does_not_exist_stays() -> None:
    network = cascade(6, freezing=True)
    before = network.weight.copy()
    network.mix(0.5, 0.5, np.random.default_rng(9))
    still = ~(network.connected & network.learning)
    np.testing.assert_array_equal(network.weight[still], before[still])
    assert (network.weight[~still] != before[~still]).all()


@pytest.mark.parametrize("model", MODELS)
def test_engines_agree(model: str) -> None:
    how = (f"model={model}", "method=shrink_perturb", "dataset=toy", "N=100", "K=15")
    width = ["model.width=9"] if model == "ffcnn" else []
    learners = [build.learner(configured(*how, *width, f"engine={engine}")) for engine in ("torch", "fused")]
    rows = [[row["accuracy"] for row in learner.records(0, 3)] for learner in learners]
    assert rows[0] == rows[1]
    for one, other in zip(learners[0].network.weights, learners[1].network.weights, strict=True):
        assert np.linalg.norm(one - other) <= 1e-5 * np.linalg.norm(other)


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("scale=1.5", "scale=1.5 is not possible; it must be a number, from 0 to 1"),
        ("noise=-1", "noise=-1 is not possible; it must be a number, 0 or more"),
        ("version=every_step", "version=every_step is not known; choose once_per_task"),
    ],
)
def test_an_impossible_setting_is_one_sentence(override: str, says: str) -> None:
    with pytest.raises(Mistake, match=says):
        configured("model=ffcnn", "method=shrink_perturb", f"model.rules.shrink_perturb.{override}")
