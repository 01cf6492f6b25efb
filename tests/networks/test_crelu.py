"""Units that feed both z⁺ and (−z)⁺."""

import numpy as np
import pytest
from support import hand
from support.small import configured

from plasticity.engines.reference import Reference
from plasticity.errors import Mistake
from plasticity.networks import Layered
from plasticity.runs import build
from plasticity.updates import SGD


def three_units() -> Layered:
    """As in support/hand.py, z = (1, −1, 2): the next layer gets (1, 0, 2) and (0, 1, 0)."""
    how = dict(layers=1, width=3, bias=True, initial_weights="kaiming", dtype=np.float64, activation="crelu")
    network = Layered(np.random.default_rng(0), 4, 2, **how)  # type: ignore[arg-type]
    network.weight[0][:] = hand.INCOMING
    network.weight[1][:] = [[0.3, 0.1], [9, 9], [0, 0.2], [9, 9], [0.3, 0.1], [9, 9]]
    return network


def test_a_step_by_hand() -> None:
    """Outputs: 0.3 + 0 + 0.3 = 0.6 and 0.1 + 0.4 + 0.1 = 0.6; so softmax (½, ½), gradient (−½, ½). Back to z: unit 0
    −0.15 + 0.05 = −0.1; unit 1 −(−0.1) = 0.1, as it feeds −z; unit 2 0.1. Step size 0.1."""
    network = three_units()
    np.testing.assert_allclose(network.hidden(hand.SAMPLE), [[1, 1, 2]])
    np.testing.assert_allclose(network.output(hand.SAMPLE), [[0.6, 0.6]])
    Reference().learn(network, hand.SAMPLE, SGD(0.1))
    first = [[0.51, -1.01, 1.49], [0.2, 0.4, -0.2], [0.51, -0.01, 0.49], [0.1, 0.1, 0.1]]
    np.testing.assert_allclose(network.weight[0], first)
    last = [[0.35, 0.05], [9, 9], [0.1, 0.1], [9, 9], [0.35, 0.05], [9, 9]]
    np.testing.assert_allclose(network.weight[1], last)


def test_both_sides_of_a_renewed_unit_are_cut_off() -> None:
    network = three_units()
    network.renew(1, np.random.default_rng(0))
    assert np.flatnonzero(~network.weight[1].any(axis=1)).tolist() == [1, 4]


def test_it_runs_with_rules_and_traces_and_the_compiled_engine_refuses_it() -> None:
    how = ("model=ffcnn", "model.width=7", "method=crelu", "dataset=toy", "N=500", "step_size=0.02")
    with pytest.raises(Mistake, match="engine=fused knows no crelu; use engine=torch"):
        configured(*how)
    with pytest.raises(Mistake, match="activation=tanh is not known; choose relu or crelu"):
        configured(*how, "engine=torch", "model.network.activation=tanh")
    learner = build.learner(configured(*how, "engine=torch"))
    assert [weight.shape for weight in learner.network.weights] == [(784, 7), (14, 7), (14, 7), (14, 10)]
    learner.network.remember((), {"age": None, "utility": 0.9, "activity": 0.9})
    row = next(learner.records(0, 1))
    assert row["units"] == 21
    assert row["accuracy"] > 0.5
    assert (learner.network.traces["utility"] > 0).all()
