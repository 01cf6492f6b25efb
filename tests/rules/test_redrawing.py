"""Networks that begin anew, wholly or in part, when a task begins."""

import numpy as np
import pytest
from support import hand
from support.small import MODELS, cascade, configured, layered, moment, small_data

from plasticity.networks import Cascade, Layered, Network
from plasticity.rules import HeadReset, Scratch
from plasticity.runs import build
from plasticity.streams import Samples

PROBE = Samples.of(small_data().images)


@pytest.mark.parametrize(("rule", "what"), [(Scratch(), "all"), (HeadReset(), "outputs")])
def test_both_act_when_a_task_begins_but_not_the_first(rule: Scratch | HeadReset, what: str) -> None:
    network = layered()
    assert [rule.due(network, sample, 100) for sample in (0, 1, 100)] == [0, None, None]
    assert [rule(network, moment(network, PROBE, task=task)).redraw for task in (0, 1, 2)] == ["", what, what]


@pytest.mark.parametrize("make", [lambda: layered(2, 7), lambda: cascade(5)])
def test_redrawing_all_gives_what_a_new_network_has(make) -> None:
    network: Network = make()
    network.remember(("birth", "first"), {"age": None})
    for values in (*network.parameters(), *network.memory("first"), *network.traces.values()):
        values += 1
    network.redraw("all", np.random.default_rng(0))
    fresh = layered(2, 7) if isinstance(network, Layered) else cascade(0)
    for own, new, birth in zip(network.parameters(), fresh.parameters(), network.memory("birth"), strict=True):
        np.testing.assert_array_equal(own, new)
        np.testing.assert_array_equal(own, birth)
    assert network.units == fresh.units
    assert not any(values.any() for values in (*network.memory("first"), *network.traces.values()))


def test_redrawing_the_outputs_of_three_units_leaves_their_incoming_weights() -> None:
    """By hand: U(±√(6/3)) for a layered network; a two-layer one with outgoing=zero and first=zero has none left."""
    layers, flat = hand.layered(), hand.flat()
    for network in (layers, flat):
        network.remember(("birth",), {})
        network.parameters()[-1][:2] = 0.5
        network.redraw("outputs", np.random.default_rng(3))
    np.testing.assert_array_equal(layers.weight[0], hand.INCOMING)
    np.testing.assert_array_equal(layers.weight[1], np.random.default_rng(3).uniform(-(2**0.5), 2**0.5, (3, 2)))
    np.testing.assert_array_equal(layers.memory("birth")[1], layers.weight[1])
    np.testing.assert_array_equal(layers.bias[1], [0, 0])
    np.testing.assert_array_equal(flat.weight[:4, 2:], hand.INCOMING)
    np.testing.assert_array_equal(flat.weight[:, :2], np.zeros((7, 2)))
    np.testing.assert_array_equal(flat.bias, np.zeros(5))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["torch", "fused"])
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("method", ["scratch", "head_reset"])
def test_every_model_runs_with_it(model: str, method: str, engine: str) -> None:
    width = ["model.width=7"] if model == "ffcnn" else []
    settings = (f"model={model}", f"method={method}", f"engine={engine}", "dataset=toy", "N=100", "K=40", *width)
    learner = build.learner(configured(*settings))
    first, second, third = learner.records(0, 3)
    assert isinstance(learner.network, Cascade | Layered)
    grown = {"ffcnn": 21}.get(model, 0)
    if method == "scratch":
        assert [row["units"] for row in (first, second, third)] == [grown] * 3


def test_a_fresh_network_learns_each_task_alike() -> None:
    """The plain one, whose first task it shares, does not begin later tasks as it began the first."""
    settings = ("model=ffcnn", "model.width=20", "dataset=toy", "N=1000", "order=fixed", "step_size=0.01")
    plain, fresh = (build.learner(configured(*settings, f"method={m}")).records(0, 4) for m in ("none", "scratch"))
    before, after = [row["accuracy"] for row in plain], [row["accuracy"] for row in fresh]
    assert before[0] == after[0]
    assert max(after) - min(after) < 0.1
    assert len(set(after)) == 4


@pytest.mark.parametrize(("rule", "what"), [(Scratch(every=40), "all"), (HeadReset(every=40), "outputs")])
def test_both_can_act_after_every_so_many_samples_of_the_first_task_too(rule: Scratch | HeadReset, what: str) -> None:
    network = layered()
    assert [rule.due(network, sample, 100) for sample in (0, 41, 81)] == [40, 80, None]
    assert rule(network, moment(network, PROBE, sample=40)).redraw == what
