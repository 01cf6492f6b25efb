"""Units that feed both z⁺ and (−z)⁺."""

import numpy as np
import pytest
from support import hand
from support.small import configured

from plasticity.engines import Engine
from plasticity.engines.fused import Fused
from plasticity.engines.reference import Reference
from plasticity.ground.errors import Mistake
from plasticity.networks import Layered
from plasticity.runs import build
from plasticity.updates import L2, SGD, L2Init, Update


def three_units() -> Layered:
    """As in support/hand.py, z = (1, −1, 2): the next layer gets (1, 0, 2) and (0, 1, 0)."""
    how = dict(layers=1, width=3, bias=True, initial_weights="kaiming", dtype=np.float64, activation="crelu")
    network = Layered(np.random.default_rng(0), 4, 2, **how)  # type: ignore[arg-type]
    network.weight[0][:] = hand.INCOMING
    network.weight[1][:] = [[0.3, 0.1], [9, 9], [0, 0.2], [9, 9], [0.3, 0.1], [9, 9]]
    return network


engines = pytest.mark.parametrize("engine", [Reference(), Fused()])
# Each update has a kernel of its own, which takes seconds to compile.
engines_of_updates = pytest.mark.parametrize("engine", [Reference(), pytest.param(Fused(), marks=pytest.mark.thorough)])


@engines
def test_a_step_by_hand(engine: Engine) -> None:
    """Outputs: 0.3 + 0 + 0.3 = 0.6 and 0.1 + 0.4 + 0.1 = 0.6; so softmax (½, ½), gradient (−½, ½). Back to z: unit 0
    −0.15 + 0.05 = −0.1; unit 1 −(−0.1) = 0.1, as it feeds −z; unit 2 0.1. Step size 0.1."""
    network = three_units()
    np.testing.assert_allclose(network.hidden(hand.SAMPLE), [[1, 1, 2]])
    np.testing.assert_allclose(network.output(hand.SAMPLE), [[0.6, 0.6]])
    engine.learn(network, hand.SAMPLE, SGD(0.1))
    first = [[0.51, -1.01, 1.49], [0.2, 0.4, -0.2], [0.51, -0.01, 0.49], [0.1, 0.1, 0.1]]
    np.testing.assert_allclose(network.weight[0], first, atol=1e-15)
    np.testing.assert_allclose(network.bias[0], [0.01, -0.01, -0.01])
    last = [[0.35, 0.05], [9, 9], [0.1, 0.1], [9, 9], [0.35, 0.05], [9, 9]]
    np.testing.assert_allclose(network.weight[1], last)


@engines_of_updates
@pytest.mark.parametrize(
    ("update", "last"),
    [
        # 0.95 of what was there; the rows that fed nothing only decay
        (L2(0.1, 0.5), [[0.335, 0.045], [8.55, 8.55], [0.1, 0.09], [8.55, 8.55], [0.335, 0.045], [8.55, 8.55]]),
        # towards where they are born, here where they are
        (L2Init(0.1, 0.5), [[0.35, 0.05], [9, 9], [0.1, 0.1], [9, 9], [0.35, 0.05], [9, 9]]),
    ],
)
def test_both_rows_of_a_unit_decay(engine: Engine, update: Update, last: list) -> None:
    network = three_units()
    network.remember(tuple(update.memory), {})
    engine.learn(network, hand.SAMPLE, update)
    np.testing.assert_allclose(network.weight[1], last)


@pytest.mark.slow  # as this does
@engines
def test_traces_by_hand(engine: Engine) -> None:
    """Means with a decay of 0.5, from 0: activity half of |z|, utility half of |z| times all outgoing weights' sizes:
    unit 0 1·(0.35 + 0.05 + 9 + 9), unit 1 1·(9 + 9 + 0.35 + 0.05), unit 2 2·(0.1 + 0.1 + 9 + 9)."""
    network = three_units()
    network.remember((), {"silent_for": None, "activity": 0.5, "utility": 0.5})
    engine.learn(network, hand.SAMPLE, SGD(0.1))
    np.testing.assert_allclose(network.traces["activity"], [0.5, 0.5, 1])
    np.testing.assert_allclose(network.traces["utility"], [9.2, 9.2, 18.2])
    assert not network.traces["silent_for"].any()


@engines
def test_a_unit_at_zero_feeds_and_learns_nothing(engine: Engine) -> None:
    network = three_units()
    network.weight[0][:, 1] = 0
    network.remember((), {"silent_for": None})
    engine.learn(network, hand.SAMPLE, SGD(0.1))
    assert not network.weight[0][:, 1].any()
    assert (network.weight[1][[1, 4]] == [[9, 9], [0.3, 0.1]]).all()
    assert network.traces["silent_for"].tolist() == [0, 1, 0]


def test_both_sides_of_a_renewed_unit_are_cut_off() -> None:
    network = three_units()
    network.renew(1, np.random.default_rng(0))
    assert np.flatnonzero(~network.weight[1].any(axis=1)).tolist() == [1, 4]


def test_another_activation_is_one_sentence() -> None:
    for engine in ("fused", "torch"):
        with pytest.raises(Mistake, match="activation=tanh is not known; choose relu or crelu"):
            configured("model=ffcnn", "method=crelu", "model.network.activation=tanh", f"engine={engine}")


def test_it_means_nothing_for_a_cascade() -> None:
    for engine in ("fused", "torch"):
        with pytest.raises(Mistake, match="Cascade takes no activation=crelu: units of a cascade feed z⁺ alone"):
            configured("model=agn", "method=crelu", f"engine={engine}")


@pytest.mark.slow  # compiles a variant that no quick test needs
@pytest.mark.parametrize("engine", ["fused", "torch"])
def test_it_runs_with_rules_and_traces(engine: str) -> None:
    how = ("model=ffcnn", "model.width=7", "method=crelu", "dataset=toy", "N=500", "step_size=0.02")
    learner = build.learner(configured(*how, f"engine={engine}"))
    assert [weight.shape for weight in learner.network.weights] == [(784, 7), (14, 7), (14, 7), (14, 10)]
    learner.network.remember((), {"age": None, "utility": 0.9, "activity": 0.9})
    row = next(learner.records(0, 1))
    assert row["units"] == 21
    assert row["accuracy"] > 0.5
    assert (learner.network.traces["utility"] > 0).all()
