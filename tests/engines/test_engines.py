"""Both engines take the steps that the definition asks for, and the same ones."""

import copy
from collections.abc import Callable

import numpy as np
import pytest
from support.agreement import difference, same_predictions
from support.small import MODELS, cascade, configured, layered, small_data, stream

from plasticity.engines import Engine
from plasticity.engines.fused import PIECE, Fused
from plasticity.engines.reference import Reference
from plasticity.ground.errors import Diverged, Mistake
from plasticity.networks import Cascade, Layered, Network
from plasticity.runs import build
from plasticity.streams import Samples
from plasticity.updates import SGD, Adam

ENGINES = {"torch": Reference, "fused": Fused}
NETWORKS: dict[str, Callable[[], Network]] = {
    "linear": lambda: cascade(0),
    "cascade": lambda: cascade(5),
    "cascade of two blocks": lambda: cascade(19),
    "cascade without bias": lambda: cascade(5, bias=False),
    "flat": lambda: cascade(18, lateral=False),
    "frozen": lambda: cascade(18, freezing=True),
    "frozen flat": lambda: cascade(6, freezing=True, lateral=False),
    "columns": lambda: cascade(19, column=3),
    "frozen columns": lambda: cascade(19, column=3, freezing=True),
    "depth of four": lambda: cascade(19, depth=4),
    "no shortcut": lambda: cascade(19, shortcut=False),
    "flat without shortcut": lambda: cascade(6, lateral=False, shortcut=False),
    "all of it": lambda: cascade(19, column=2, depth=3, shortcut=False, bias=False),
    "no shortcut, no units": lambda: cascade(0, shortcut=False),
    "one layer": lambda: layered(1),
    "three layers": lambda: layered(3, 18),
    "layers without bias": lambda: layered(2, bias=False),
    "crelu": lambda: layered(2, activation="crelu"),
    "one layer of crelu": lambda: layered(1, 18, activation="crelu"),
    "layer norm": lambda: layered(3, 18, normalise=True),
    "one layer with layer norm": lambda: layered(1, normalise=True),
    "layer norm without bias": lambda: layered(2, bias=False, normalise=True),
    "layer norm and crelu": lambda: layered(2, normalise=True, activation="crelu"),
}


def loss(network: Network, x: np.ndarray, label: int) -> float:
    """Cross-entropy by a forward pass that shares nothing with the suite's own."""
    if isinstance(network, Cascade):
        values = list(x)
        total = np.array(network.bias)
        for unit in range(network.units):
            seen = np.array(values) @ network.weight[: len(values), network.outputs + unit]
            values.append(max(0.0, seen + total[network.outputs + unit]))
        output = np.array(values) @ network.weight[:, : network.outputs] + total[: network.outputs]
    else:
        assert isinstance(network, Layered)
        output = x
        for layer, (weight, bias) in enumerate(zip(network.weight[:-1], network.bias[:-1], strict=True)):
            z = output @ weight + bias
            if network.gain:
                z = network.gain[layer] * (z - z.mean()) / np.sqrt(z.var() + 1e-5) + network.shift[layer]
            output = np.maximum(np.concatenate([z, -z]) if network.activation == "crelu" else z, 0)
        output = output @ network.weight[-1] + network.bias[-1]
    return float(np.log(np.exp(output - output.max()).sum()) + output.max() - output[label])


def learning(network: Network) -> list[tuple[np.ndarray, np.ndarray]]:
    """Every array of weights and biases, and which of its entries may learn."""
    if isinstance(network, Cascade):
        return [
            (network.weight, network.connected & network.learning),
            (network.bias, network.learning & network.has_bias),
        ]
    assert isinstance(network, Layered)
    weights = [(weight, np.ones(weight.shape, bool)) for weight in network.weight]
    biases = [(bias, np.full(bias.shape, network.has_bias)) for bias in network.bias]
    return weights + biases + [(values, np.ones(values.shape, bool)) for values in (*network.gain, *network.shift)]


def numerical_gradient(network: Network, x: np.ndarray, label: int, width: float = 1e-6) -> list[np.ndarray]:
    gradients = []
    for values, learns in learning(network):
        gradient = np.zeros(values.shape)
        for place in np.argwhere(learns):
            at, kept = tuple(place), values[tuple(place)]
            values[at] = kept + width
            above = loss(network, x, label)
            values[at] = kept - width
            below = loss(network, x, label)
            values[at] = kept
            gradient[at] = (above - below) / (2 * width)
        gradients.append(gradient)
    return gradients


# Compiled by themselves, for seconds each.
SELDOM = ("columns", "crelu", "layer norm", "without shortcut", "no shortcut", "all of it")
networks = pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=pytest.mark.slow if any(word in kind for word in SELDOM) else []) for kind in NETWORKS],
)


@networks
def test_a_step_follows_the_numerical_gradient(kind: str) -> None:
    network, step = NETWORKS[kind](), 0.1
    x, label = small_data().images[3], 4
    gradients = numerical_gradient(network, x, label)
    before = [values.copy() for values, _ in learning(network)]
    for engine in ENGINES.values():
        learned = copy.deepcopy(network)
        engine().learn(learned, Samples.of(x[None], np.array([label])), SGD(step))
        for (after, _), values, gradient in zip(learning(learned), before, gradients, strict=True):
            np.testing.assert_allclose(after, values - step * gradient, atol=1e-8)


@networks
@pytest.mark.parametrize("count", [1, 31, 32, 33, 105])
def test_engines_agree_in_double_precision_to_rounding(kind: str, count: int) -> None:
    a, b = NETWORKS[kind](), NETWORKS[kind]()
    samples = stream(small_data()).samples(1)[:count]
    right = Reference().learn(a, samples, SGD(0.05))
    same_predictions(Fused().learn(b, samples, SGD(0.05)), right, 1e-12)
    assert difference(a, b) < 1e-12


def model(name: str, units: int) -> Network:
    """The model as its yaml builds it, on 784 inputs in single precision, grown to some units."""
    network = build.learner(
        configured(f"model={name}", "dataset=toy", "N=10", "model.width=50" if name == "ffcnn" else "K=9")
    ).network
    for unit in range(units if isinstance(network, Cascade) else 0):
        network.grow(np.random.default_rng(unit))
    assert isinstance(network, Cascade | Layered)
    return network


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_engines_agree_to_1e_5_over_2000_samples_of_every_model(name: str) -> None:
    a = model(name, 9)
    b = copy.deepcopy(a)
    samples = stream(small_data(2000, 784, np.float32)).samples(0)
    right = Reference().learn(a, samples, SGD(0.001))
    same_predictions(Fused().learn(b, samples, SGD(0.001)), right, 1e-5)
    assert difference(a, b) < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in MODELS if name != "ffcnn"])
def test_engines_agree_right_after_growth_and_right_after_pruning(name: str) -> None:
    a = model(name, 20)
    b = copy.deepcopy(a)
    samples = stream(small_data(200, 784, np.float32)).samples(0)
    for change in (lambda n: n.grow(np.random.default_rng(99)), lambda n: n.prune(np.array([0, 3, 17]))):
        for network in (a, b):
            change(network)
        same_predictions(Fused().learn(b, samples, SGD(0.001)), Reference().learn(a, samples, SGD(0.001)), 1e-5)
        assert difference(a, b) < 1e-5


@networks
def test_engines_agree_on_an_all_zero_image(kind: str) -> None:
    a, b = NETWORKS[kind](), NETWORKS[kind]()
    x = small_data().images[:5].copy()
    x[2] = 0
    samples = Samples.of(x, np.arange(5))
    same_predictions(Fused().learn(b, samples, SGD(0.1)), Reference().learn(a, samples, SGD(0.1)), 1e-12)
    assert difference(a, b) < 1e-12


@pytest.mark.thorough
@pytest.mark.parametrize("name", MODELS)
def test_engines_reach_the_same_accuracy_over_12_tasks(name: str) -> None:
    def accuracy(engine: str) -> float:
        smaller = ["model.width=50"] if name == "ffcnn" else []
        config = configured(f"model={name}", "dataset=toy", "N=1000", "tasks=12", f"engine={engine}", *smaller)
        return float(np.mean([record["accuracy"] for record in build.learner(config).records(0, 12)]))

    assert abs(accuracy("torch") - accuracy("fused")) < 0.01


@pytest.mark.parametrize("engine", ENGINES)
def test_learning_in_pieces_equals_learning_at_once_to_the_bit(engine: str) -> None:
    samples = stream(small_data(100)).samples(0)[:96]
    whole, parts = cascade(20), cascade(20)
    ENGINES[engine]().learn(whole, samples, SGD(0.1))
    for start in range(0, 96, 32):
        ENGINES[engine]().learn(parts, samples[start : start + 32], SGD(0.1))
    np.testing.assert_array_equal(whole.weight, parts.weight)


def test_a_piece_is_a_whole_number_of_blocks() -> None:
    from plasticity.compiled.layout import SAMPLES

    assert PIECE % SAMPLES == 0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_loss_that_is_not_finite_names_its_sample(engine: str) -> None:
    x = small_data().images[:40].copy()
    x[33] = np.inf
    with pytest.raises(Diverged, match="sample 33"):
        ENGINES[engine]().learn(cascade(3), Samples.of(x), SGD(0.1))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_step_size_far_too_large_diverges_instead_of_going_on_with_nan(engine: str) -> None:
    samples = stream(small_data(300, dtype=np.float32)).samples(0)
    with pytest.raises(Diverged):
        ENGINES[engine]().learn(cascade(3, dtype=np.float32), samples, SGD(1e30))


@pytest.mark.parametrize("engine", ENGINES)
def test_weights_that_overflow_in_silent_units_are_no_learning(engine: str) -> None:
    learner = build.learner(
        configured("dataset=toy", "N=200", "model=ffcnn", "model.layers=2", "model.width=20", "step_size=1e4")
    )
    with pytest.raises(Diverged):
        ENGINES[engine]().learn(learner.network, learner.stream.samples(0), SGD(1e4))


def test_deltas_far_below_single_precision_are_zero_not_denormal() -> None:
    from plasticity.compiled.kernels import flushed

    assert flushed.py_func(np.float32(1e-39)) == 0
    assert flushed.py_func(np.float32(-1e-29)) == np.float32(-1e-29)


def test_cuda_without_a_gpu_is_refused_in_one_sentence() -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    engine: Engine = Reference(device="cuda")
    with pytest.raises(Mistake, match="device=cuda"):
        engine.learn(cascade(1), Samples.of(small_data().images[:1]), SGD(0.1))


@pytest.mark.parametrize("name", MODELS)
def test_the_fused_engine_refuses_an_update_that_it_cannot_do_exactly(name: str) -> None:
    network, adam = model(name, 2), Adam(0.001, 0.9, 0.999, 1e-8)
    assert Fused().refuses(network, SGD(0.1), {}) is None
    assert Fused().refuses(network, adam, {}) == ("engine=fused cannot do the update Adam exactly; use engine=torch")
    assert Reference().refuses(network, adam, {}) is None
