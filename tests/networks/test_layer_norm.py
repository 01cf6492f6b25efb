"""Pre-activations that are normalised over the units of their layer."""

import copy

import numpy as np
import pytest
from support import hand
from support.small import configured, layered, small_data

from plasticity.engines import Engine
from plasticity.engines.fused import Fused
from plasticity.engines.reference import Reference
from plasticity.ground.errors import Mistake
from plasticity.networks import Layered
from plasticity.runs import build
from plasticity.streams import Samples
from plasticity.updates import L2, SGD, L2Init, Update

D = 1.2247387477  # √1.499985, so that (D² + D² + 0)/3 = 0.99999, and with ε = 1e-5 the root of the variance is 1
GAIN, SHIFT = np.array([2.0, 1.0, 1.0]), np.array([0.0, 0.0, 1.0])
INCOMING = np.array([[D, -D, 0.0], [0.2, 0.4, -0.2], [0.5, 0.5, 0.5], [0.1, 0.1, 0.1]])
OUTGOING = np.array([[0.3, 0.1], [0.7, -0.7], [0.0, 0.4 * D]])
GRADIENT_Z = np.array([-0.11498358, -0.11498158, 0.22996517])


def three_units() -> Layered:
    """The sample of support/hand.py, x = (1, 0, 1, 0) with label 0, step by step:

    z = (0.5 + D, 0.5 − D, 0.5); mean 0.5, variance 0.99999, so n = (D, −D, 0). Gain and shift give (2D, −D, 1), of
    which (2D, 0, 1) fires. Outputs: 0.6D + 0 and 0.2D + 0.4D, both 0.6D; so softmax (½, ½), gradient (−½, ½).
    Back to what fires: unit 0 −0.15 + 0.05 = −0.1; unit 1 is silent; unit 2 0 + 0.2D. That is the shift's gradient;
    times n it is the gain's: (−0.1D, 0, 0). Times the gain it is n's: (−0.2, 0, 0.2D) = (−0.2, 0, 0.24494775), of which
    the mean is 0.01498258, and that of its product with n is −0.2D/3 = −0.08164925. So z's gradient:
    unit 0 −0.2 − 0.01498258 + 0.08164925·D = −0.21498258 + 0.09999900 = −0.11498358;
    unit 1 0 − 0.01498258 − 0.09999900 = −0.11498158; unit 2 0.24494775 − 0.01498258 = 0.22996517.
    """
    how = dict(layers=1, width=3, bias=True, initial_weights="kaiming", dtype=np.float64, normalise=True)
    network = Layered(np.random.default_rng(0), 4, 2, **how)  # type: ignore[arg-type]
    network.weight[0][:], network.weight[1][:] = INCOMING, OUTGOING
    network.gain[0][:], network.shift[0][:] = GAIN, SHIFT
    return network


engines = pytest.mark.parametrize("engine", [Reference(), Fused()])
# Each update has a kernel of its own, which takes seconds to compile.
engines_of_updates = pytest.mark.parametrize("engine", [Reference(), pytest.param(Fused(), marks=pytest.mark.thorough)])


def test_what_units_and_outputs_give_by_hand() -> None:
    network = three_units()
    np.testing.assert_allclose(network.hidden(hand.SAMPLE), [[2 * D, 0, 1]], rtol=1e-9)
    np.testing.assert_allclose(network.output(hand.SAMPLE), [[0.6 * D, 0.6 * D]], rtol=1e-9)


@engines
def test_a_step_by_hand(engine: Engine) -> None:
    """Step size 0.1."""
    network = three_units()
    engine.learn(network, hand.SAMPLE, SGD(0.1))
    moved = -0.1 * GRADIENT_Z
    np.testing.assert_allclose(network.weight[0], INCOMING + np.outer([1, 0, 1, 0], moved), atol=1e-9)
    np.testing.assert_allclose(network.bias[0], moved, atol=1e-9)
    np.testing.assert_allclose(network.gain[0], [2 + 0.01 * D, 1, 1], atol=1e-9)
    np.testing.assert_allclose(network.shift[0], [0.01, 0, 1 - 0.02 * D], atol=1e-9)
    outgoing = [[0.3 + 0.1 * D, 0.1 - 0.1 * D], [0.7, -0.7], [0.05, 0.4 * D - 0.05]]
    np.testing.assert_allclose(network.weight[1], outgoing, atol=1e-9)


@engines_of_updates
@pytest.mark.parametrize(
    ("update", "gain", "shift"),
    [
        # 0.95 of what was there; and 0.05 of what they are born with, 1 and 0
        (L2(0.1, 0.5), [1.9 + 0.01 * D, 0.95, 0.95], [0.01, 0, 0.95 - 0.02 * D]),
        (L2Init(0.1, 0.5), [1.95 + 0.01 * D, 1, 1], [0.01, 0, 0.95 - 0.02 * D]),
    ],
)
def test_gain_and_shift_decay_like_weights(engine: Engine, update: Update, gain: list, shift: list) -> None:
    network = three_units()
    network.remember(tuple(update.memory), {})
    if update.memory:
        network.parts.split(network.memory("birth")).gain[0][:] = 1
        network.parts.split(network.memory("birth")).shift[0][:] = 0
    engine.learn(network, hand.SAMPLE, update)
    np.testing.assert_allclose(network.gain[0], gain, atol=1e-9)
    np.testing.assert_allclose(network.shift[0], shift, atol=1e-9)


@engines
def test_without_biases_gain_and_shift_still_learn(engine: Engine) -> None:
    network = layered(2, 7, bias=False, normalise=True)
    engine.learn(network, Samples.of(small_data().images[:20]), SGD(0.1))
    assert not np.concatenate(network.bias).any()
    assert (np.concatenate(network.gain) != 1).any()
    assert np.concatenate(network.shift).any()


def aged() -> Layered:
    network = layered(2, 7, normalise=True)
    network.remember(("birth", "velocity"), {})
    for values in (*network.parameters(), *network.memory("velocity")):
        values[:] = 3
    return network


def test_a_renewed_unit_has_a_gain_of_1_and_a_shift_of_0() -> None:
    network = aged()
    network.renew(9, np.random.default_rng(5))  # the third unit of the second layer
    for parts, others in ((network.parts, 3), (network.parts.split(network.memory("birth")), None)):
        assert parts.gain[1][2] == 1
        assert parts.shift[1][2] == 0
        if others is not None:
            assert (np.delete(parts.gain[1], 2) == others).all()
            assert (parts.gain[0] == others).all()
    velocity = network.parts.split(network.memory("velocity"))
    assert velocity.gain[1][2] == velocity.shift[1][2] == 0
    assert (np.delete(velocity.gain[1], 2) == 3).all()


def test_drawing_all_anew_begins_with_gains_of_1_and_shifts_of_0_and_the_outputs_alone_leaves_them() -> None:
    network = aged()
    network.redraw("outputs", np.random.default_rng(0))
    assert (np.concatenate([*network.gain, *network.shift]) == 3).all()
    network.redraw("all", np.random.default_rng(0))
    for parts in (network.parts, network.parts.split(network.memory("birth"))):
        assert (np.concatenate(parts.gain) == 1).all()
        assert not np.concatenate(parts.shift).any()
    assert not np.concatenate(network.parts.split(network.memory("velocity")).gain).any()


def test_shrinking_and_perturbing_draws_gains_to_1() -> None:
    """A fresh gain is 1, a fresh shift 0: 0.8·3 + 0.2·1 = 2.6 and 0.8·3 = 2.4."""
    network = aged()
    network.mix(0.8, 0.2, "draw", np.random.default_rng(0))
    np.testing.assert_allclose(np.concatenate(network.gain), 2.6)
    np.testing.assert_allclose(np.concatenate(network.shift), 2.4)


def test_gain_and_shift_survive_saving_and_restoring() -> None:
    network, other = aged(), layered(2, 7, normalise=True)
    other.remember(("birth", "velocity"), {})
    other.restore(network.snapshot())
    for one, two in zip(network.parameters(), other.parameters(), strict=True):
        np.testing.assert_array_equal(one, two)
    with pytest.raises(KeyError):
        other.restore(layered(2, 7).snapshot())


def test_the_first_weights_are_those_of_the_network_without_it() -> None:
    plain, normal = layered(2, 7), layered(2, 7, normalise=True)
    for one, other in zip(plain.weight, normal.weight, strict=True):
        np.testing.assert_array_equal(one, other)
    assert len(plain.parameters()) == 6
    assert len(normal.parameters()) == 10


def test_a_layer_whose_units_all_give_the_same_fires_its_shifts() -> None:
    network = layered(1, 7, normalise=True)
    network.shift[0][:] = np.arange(7)
    before = copy.deepcopy(network)
    nothing = Samples.of(np.zeros((1, 20)))
    np.testing.assert_array_equal(network.hidden(nothing), [np.arange(7)])
    for engine, each in ((Reference(), network), (Fused(), before)):
        engine.learn(each, nothing, SGD(0.1))
    for one, other in zip(network.parameters(), before.parameters(), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_a_cascade_has_no_layer_to_normalise_over() -> None:
    says = "Cascade takes no normalise=True: its units are born one by one, and there is no layer to normalise over"
    for engine in ("fused", "torch"):
        with pytest.raises(Mistake, match=says):
            configured("model=aen", "method=layer_norm", f"engine={engine}")


def test_normalise_is_true_or_false() -> None:
    with pytest.raises(Mistake, match="normalise=3 is not possible; it must be true or false"):
        configured("model=ffcnn", "method=layer_norm", "model.network.normalise=3")


@pytest.mark.thorough  # compiles a variant that no other test needs
def test_it_learns_with_rules_traces_and_an_update_of_choice() -> None:
    how = ("model=ffcnn", "model.width=7", "method=layer_norm", "update=l2", "dataset=toy", "N=500", "step_size=0.02")
    learner = build.learner(configured(*how))
    assert isinstance(learner.update, L2)
    learner.network.remember((), {"age": None, "utility": 0.9, "activity": 0.9})
    row = next(learner.records(0, 1))
    assert row["units"] == 21
    assert row["accuracy"] > 0.5
    assert (learner.network.traces["utility"] > 0).any()
