"""Traces of units are the same in both engines, and what a loop by hand gives."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.small import cascade, layered, small_data, stream

from plasticity.compiled.traces import SLOW, TRACES
from plasticity.engines.fused import Fused
from plasticity.engines.reference import Reference
from plasticity.ground.errors import Diverged
from plasticity.networks import Cascade, Network
from plasticity.networks.definition import responses
from plasticity.streams import Samples
from plasticity.updates import SGD

NETWORKS: dict[str, Callable[..., Network]] = {
    "cascade": lambda **how: cascade(19, **how),
    "flat": lambda **how: cascade(18, lateral=False, **how),
    "columns without shortcut": lambda **how: cascade(19, column=3, shortcut=False, **how),
    "frozen": lambda **how: cascade(18, freezing=True, **how),
    "no units": lambda **how: cascade(0, **how),
    "layers": lambda **how: layered(3, 18, **how),
}
DECAYS = {"activity": 0.97, "utility": 0.9}
PRECISION = {np.float32: 1e-5, np.float64: 1e-12}


NUMBERS = tuple(name for name in TRACES if name not in ("gaps", *SLOW))


def traced(network: Network, names: tuple[str, ...] = NUMBERS) -> Any:
    """As a network that keeps traces would be: some units were silent, or active, before."""
    rng, tracing = np.random.default_rng(5), network
    values = {name: (50 * rng.random(network.units)).astype(kind) for name, kind in TRACES.items() if name in names}
    tracing.traces, tracing.decays = values, DECAYS  # type: ignore[attr-defined]
    return tracing


def by_hand(network: Any, samples: Samples, step: float) -> dict[str, np.ndarray]:
    """One sample at a time, with the network's state before and after its step read off the network itself."""
    traces = {name: values.copy() for name, values in network.traces.items()}
    network = copy.deepcopy(network)
    network.traces = {}
    for sample in range(len(samples)):
        part = samples[sample : sample + 1]
        hidden = responses(network, part)[0] if isinstance(network, Cascade) else network.hidden(part)
        Reference().learn(network, part, SGD(step))
        for unit, h in enumerate(hidden[0].astype(float)):
            traces["age"][unit] += 1
            traces["silent_for"][unit] = 0 if h > 0 else traces["silent_for"][unit] + 1
            traces["activity"][unit] = 0.97 * traces["activity"][unit] + 0.03 * h
            traces["utility"][unit] = 0.9 * traces["utility"][unit] + 0.1 * h * np.abs(outgoing(network, unit)).sum()
    return traces


def outgoing(network: Any, unit: int) -> np.ndarray:
    if isinstance(network, Cascade):
        return network.weight[network.inputs + unit]
    return np.vstack([np.pad(weight, ((0, 0), (0, 18 - weight.shape[1]))) for weight in network.weight[1:]])[unit]


def same(one: dict[str, np.ndarray], other: dict[str, np.ndarray], number: type) -> None:
    assert one.keys() == other.keys()
    for name, values in one.items():
        if TRACES[name] == np.int64:
            np.testing.assert_array_equal(values, other[name])
        else:
            np.testing.assert_allclose(values, other[name], rtol=PRECISION[number])
        assert values.dtype == TRACES[name]


kinds = pytest.mark.parametrize(  # columns are compiled by themselves, for seconds
    "kind",
    [pytest.param(kind, marks=[pytest.mark.thorough] if kind.startswith("columns") else []) for kind in NETWORKS],
)


@pytest.mark.parametrize("number", [np.float64, pytest.param(np.float32, marks=pytest.mark.thorough)])
@kinds
@pytest.mark.parametrize("count", [1, 31, pytest.param(33, marks=pytest.mark.slow)])  # a block is of 32
def test_engines_keep_the_traces_that_a_loop_by_hand_gives(kind: str, count: int, number: type) -> None:
    fused, torch = (traced(NETWORKS[kind](dtype=number)) for _ in range(2))
    samples = stream(small_data(dtype=number)).samples(1)
    for part in (samples[:count], samples[count : 2 * count]):
        expected = by_hand(torch, part, 0.01)
        Reference().learn(torch, part, SGD(0.01))
        Fused().learn(fused, part, SGD(0.01))
        same(torch.traces, expected, number)
        same(fused.traces, expected, number)
        same(fused.traces, torch.traces, number)


@kinds
@pytest.mark.parametrize("names", [("age",), ("silent_for",), ("activity",), ("utility", "age")])
def test_only_traces_asked_for_are_kept_and_learning_stays_the_same(kind: str, names: tuple[str, ...]) -> None:
    some, all_of_them, none = traced(NETWORKS[kind](), names), traced(NETWORKS[kind]()), NETWORKS[kind]()
    start = {name: values.copy() for name, values in some.traces.items()}
    for name, values in start.items():
        all_of_them.traces[name][:] = values
    samples = stream(small_data()).samples(1)[:50]
    for network in (some, all_of_them, none):
        Fused().learn(network, samples, SGD(0.01))
    assert some.traces.keys() == set(names)
    for name in names:
        np.testing.assert_array_equal(some.traces[name], all_of_them.traces[name])
    for one, other, third in zip(some.weights, all_of_them.weights, none.weights, strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(one, third)


@pytest.mark.parametrize("kind", ["cascade", "layers"])
def test_traces_over_many_pieces_of_a_segment(kind: str) -> None:
    whole, parts = traced(NETWORKS[kind]()), traced(NETWORKS[kind]())
    samples = stream(small_data(2500)).samples(0)
    Fused().learn(whole, samples, SGD(0.01))
    for start in range(0, 2500, 32):
        Fused().learn(parts, samples[start : start + 32], SGD(0.01))
    same(whole.traces, parts.traces, np.float64)


@pytest.mark.parametrize("engine", [Fused, Reference])
def test_a_segment_that_diverges_leaves_traces_as_they_were(engine: Any) -> None:
    network, x = traced(cascade(3)), small_data().images[:40].copy()
    x[33], before = np.inf, {name: values.copy() for name, values in network.traces.items()}
    with pytest.raises(Diverged):
        engine().learn(network, Samples.of(x), SGD(0.1))
    same(network.traces, before, np.float64)


@pytest.mark.slow
@kinds
def test_engines_count_the_gaps_between_firings(kind: str) -> None:
    fused, torch, samples = NETWORKS[kind](), NETWORKS[kind](), stream(small_data()).samples(1)
    for network in (fused, torch):
        network.remember((), {"silent_for": None, "gaps": None})
    for part in (slice(0, 1), slice(1, 34), slice(34, 120)):
        for engine, network in ((Fused(), fused), (Reference(), torch)):
            engine.learn(network, samples[part], SGD(1e-30))
    fired = (torch.hidden(samples[:120]) > 0).sum(axis=0)
    np.testing.assert_array_equal(fused.traces["gaps"], torch.traces["gaps"])
    np.testing.assert_array_equal(fused.traces["gaps"].sum(axis=1), fired)


def test_gaps_are_those_of_the_firings() -> None:
    """A unit that fires at samples 2, 3 and 11: gaps 2, 1 and 8, in the bins that begin there."""
    x = np.zeros((11, 20))
    x[[1, 2, 10], 0] = 1
    for engine in (Fused(), Reference()):
        network = layered(1, 1)
        network.weight[0][:], network.bias[0][:] = 1, -0.5
        network.remember((), {"silent_for": None, "gaps": None})
        for part in (slice(0, 5), slice(5, 11)):
            engine.learn(network, Samples.of(x)[part], SGD(1e-30))
        assert np.flatnonzero(network.traces["gaps"][0]).tolist() == [0, 8, 24]
