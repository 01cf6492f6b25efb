"""Shrink and perturb, in the versions that go by this name."""

import numpy as np
import pytest
from support import hand, refused
from support.small import MODELS, cascade, configured, layered, moment, small_data

from plasticity.ground.errors import Mistake
from plasticity.learner import Learner
from plasticity.rules import ShrinkPerturb
from plasticity.runs import build
from plasticity.streams import Samples
from plasticity.updates import L2


def test_it_acts_when_a_task_begins_but_not_the_first() -> None:
    rule, network, probe = ShrinkPerturb(0.8, 0.2), layered(), Samples.of(small_data().images)
    assert [rule.due(network, sample, 100) for sample in (0, 1, 100)] == [0, None, None]
    changes = [rule(network, moment(network, probe, task=task)) for task in (0, 1)]
    assert [(change.scale, change.noise) for change in changes] == [(1, 0), (0.8, 0.2)]


def test_it_acts_after_every_so_many_samples_of_each_task() -> None:
    rule, network, probe = ShrinkPerturb(0.8, 0.2, every=40), layered(), Samples.of(small_data().images)
    assert [rule.due(network, sample, 100) for sample in (0, 1, 40, 41, 81)] == [40, 40, 40, 80, None]
    assert ShrinkPerturb(0.8, 0.2, every=1).due(network, 100, 100) == 100
    assert rule(network, moment(network, probe, task=0, sample=40)).noise == 0.2


def test_shrinking_three_units_by_hand() -> None:
    """Half of 0.5, −1, 1.5 … and of the biases; no noise."""
    half = [[0.25, -0.5, 0.75], [0.1, 0.2, -0.1], [0.25, 0.0, 0.25], [0.05, 0.05, 0.05]]
    layers, flat = hand.layered(), hand.flat()
    layers.bias[0][:], flat.bias[2:] = (0.2, 0.4, 0.6), (0.2, 0.4, 0.6)
    for network in (layers, flat):
        network.mix(0.5, 0, "draw", np.random.default_rng(0))
    for weight, bias in ((layers.weight[0], layers.bias[0]), (flat.weight[:4, 2:], flat.bias[2:])):
        np.testing.assert_allclose(weight, half)
        np.testing.assert_allclose(bias, [0.1, 0.2, 0.3])
    for weight in (layers.weight[1], flat.weight[4:, :2]):
        np.testing.assert_allclose(weight, [[0.15, 0.05], [0.35, -0.35], [0, 0.05]])


def test_noise_has_the_deviation_of_a_fresh_draw_times_its_share() -> None:
    """U(±√(6/20)) has the variance 2/20; a fifth of such a draw has 0.04·0.1. Outgoing weights: U(±0.5), 0.04/12."""
    layers, grown = layered(1, 2000), cascade(600, lateral=False)
    for network in (layers, grown):
        network.mix(0, 0.2, "draw", np.random.default_rng(0))
    for weight in (layers.weight[0], grown.weight[:20, 10:]):
        assert weight.var() == pytest.approx(0.004, rel=0.05)
    assert grown.outgoing.var() == pytest.approx(0.04 / 12, rel=0.05)


@pytest.mark.parametrize("kind", ["draw", "gaussian"])
def test_what_is_frozen_or_does_not_exist_stays(kind: str) -> None:
    network = cascade(6, freezing=True)
    before, bias = network.weight.copy(), network.bias.copy()
    network.mix(0.5, 0.5, kind, np.random.default_rng(9))
    still = ~(network.connected & network.learning)
    np.testing.assert_array_equal(network.weight[still], before[still])
    np.testing.assert_array_equal(network.bias[~network.learning], bias[~network.learning])
    assert (network.weight[~still] != before[~still]).all()


@pytest.mark.parametrize("make", [lambda: layered(2, 7, bias=False), lambda: cascade(6, bias=False)])
def test_a_network_without_biases_gets_none_from_noise(make) -> None:
    network = make()
    network.mix(1, 0.5, "gaussian", np.random.default_rng(9))
    assert not any(values.any() for values in network.parameters() if values.ndim == 1)


def perturbed(kind: str, every: int, *how: str) -> Learner:
    """20 samples, and noise of 0.01 after every so many of them; steps of learning are too small to matter."""
    words = ("scale=1", "noise=0.01", f"every={every}", f"kind={kind}")
    rule = ["method=shrink_perturb", *(f"model.rules.shrink_perturb.{word}" for word in words)]
    return build.learner(configured(*rule, "dataset=toy", "N=20", "K=30", "step_size=1e-20", *how))


# What noise of 0.01 adds to the variance each time: normal numbers; or fresh draws, U(±√(6/784)) for the weights from
# inputs to units, which have a variance of 2/784.
VARIANCE = {"gaussian": 1e-4, "draw": 1e-4 * 2 / 784}


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["torch", "fused"])
@pytest.mark.parametrize("model", ["ffcnn", "agn_two_layer"])
@pytest.mark.parametrize(("every", "times"), [(20, 1), (1, 20)])
@pytest.mark.parametrize("kind", VARIANCE)
def test_noise_that_is_added_k_times_has_k_times_the_variance(
    kind: str, every: int, times: int, model: str, engine: str
) -> None:
    """784 × 40 weights, so that the variance is known to about 1 %."""
    width = ["model.layers=1", "model.width=40"] if model == "ffcnn" else []
    learner = perturbed(kind, every, f"model={model}", *width, f"engine={engine}")
    for unit in range(0 if width else 40):
        learner.network.grow(np.random.default_rng(unit))
    before = learner.network.weights[0].astype(float)
    list(learner.records(0, 1))
    change = (learner.network.weights[0] - before)[:784, -40:]
    assert change.var() == pytest.approx(times * VARIANCE[kind], rel=0.05)
    assert abs(change.mean()) < 5 * np.sqrt(times * VARIANCE[kind] / change.size)


VERSIONS = {
    "Dohare et al.": ("update=l2", "scale=1", "every=1", "kind=gaussian", "noise=1e-5"),
    "Elsayed and Mahmood": ("update=l2", "update.decay=0.01", "scale=1", "every=1", "kind=gaussian", "noise=1e-4"),
    "Kumar et al.": ("scale=0.9999", "every=1", "noise=1e-2"),
}


@pytest.mark.parametrize("whose", VERSIONS)
def test_the_settings_of_others_compose(whose: str) -> None:
    how = [each if each.startswith("update") else f"model.rules.shrink_perturb.{each}" for each in VERSIONS[whose]]
    learner = build.learner(configured("model=ffcnn", "method=shrink_perturb", *how, "dataset=toy", "N=10"))
    assert isinstance(learner.update, L2) == (whose != "Kumar et al.")


@pytest.mark.parametrize("engine", ["torch", "fused"])
def test_it_acts_after_the_step(engine: str) -> None:
    """w ← scale·(w − step_size·gradient): without noise, 0.9 of what ten plain steps give."""
    how = ("model=ffcnn", "model.width=9", "dataset=toy", "N=10", f"engine={engine}")
    shrink = [f"model.rules.shrink_perturb.{each}" for each in ("scale=0.9", "noise=0", "every=10")]
    plain, shrunk = (build.learner(configured(*how, *more)) for more in ([], ["method=shrink_perturb", *shrink]))
    for learner in (plain, shrunk):
        list(learner.records(0, 1))
    for one, other in zip(plain.network.parameters(), shrunk.network.parameters(), strict=True):
        np.testing.assert_allclose(other, 0.9 * one, rtol=1e-6)


@pytest.mark.parametrize("engine", ["torch", "fused"])
def test_biases_get_gaussian_noise_too(engine: str) -> None:
    learner = perturbed("gaussian", 10, "model=ffcnn", "model.layers=1", "model.width=2000", f"engine={engine}")
    list(learner.records(0, 1))
    assert learner.network.parameters()[2].var() == pytest.approx(2e-4, rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_engines_agree(model: str) -> None:
    how = (f"model={model}", "method=shrink_perturb", "dataset=toy", "N=100", "K=15")
    width = ["model.width=9"] if model == "ffcnn" else []
    learners = [build.learner(configured(*how, *width, f"engine={engine}")) for engine in ("torch", "fused")]
    rows = [[row["accuracy"] for row in learner.records(0, 3)] for learner in learners]
    assert rows[0] == rows[1]
    for one, other in zip(learners[0].network.weights, learners[1].network.weights, strict=True):
        assert np.linalg.norm(one - other) <= 1e-5 * np.linalg.norm(other)


GOOD = {"_target_": "plasticity.rules.ShrinkPerturb", "scale": 1, "noise": 0, "every": 1, "kind": "gaussian"}
REFUSED = [
    *refused.share("scale"),
    *refused.positive("noise"),
    *refused.whole("every", 1, ", or task"),
    *refused.known("kind", "draw", "gaussian"),
]


@pytest.mark.parametrize("case", REFUSED)
def test_an_impossible_setting_is_one_sentence(case: refused.Refused) -> None:
    refused.refuses(GOOD, case)


@pytest.mark.parametrize("override", ["scale=1.5", "noise=-1", "every=0", "every=step"])
def test_a_configuration_with_an_impossible_setting_is_refused(override: str) -> None:
    with pytest.raises(Mistake, match=f"{override} is not possible"):
        configured("model=ffcnn", "method=shrink_perturb", f"model.rules.shrink_perturb.{override}")
