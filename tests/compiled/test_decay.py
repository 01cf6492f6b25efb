"""Weights that decay: the compiled engine is exact inside blocks, wherever a segment begins and ends."""

import copy
from collections.abc import Callable
from itertools import cycle
from typing import Any

import numpy as np
import pytest
from support.agreement import difference, learn
from support.small import cascade, layered, small_data, stream

from plasticity.engines.fused import Fused
from plasticity.networks import Cascade, Network
from plasticity.updates import L2, SGD, L2Init, Update

pytestmark = pytest.mark.slow  # kernels that let weights decay are compiled for nothing else

NETWORKS: dict[str, Callable[..., Network]] = {
    "linear": lambda **how: cascade(0, **how),
    "cascade": lambda **how: cascade(19, **how),
    "cascade of three blocks": lambda **how: cascade(40, **how),
    "cascade without bias": lambda **how: cascade(5, bias=False, **how),
    "flat": lambda **how: cascade(18, lateral=False, **how),
    "columns without shortcut": lambda **how: cascade(19, column=3, shortcut=False, **how),
    "frozen": lambda **how: cascade(40, freezing=True, **how),
    "frozen flat": lambda **how: cascade(6, freezing=True, lateral=False, **how),
    "layers": lambda **how: layered(3, 18, **how),
    "one layer": lambda **how: layered(1, 7, **how),
    "layers without bias": lambda **how: layered(2, 7, bias=False, **how),
}
UPDATES: dict[str, Update] = {"l2": L2(0.01, 0.1), "l2_init": L2Init(0.01, 0.1), "strong": L2(0.05, 8.0)}
PRECISION = {np.float64: 1e-12, np.float32: 1e-5}
STRONG = ("cascade of three blocks", "frozen", "layers")
ALTERNATING = dict(zip(NETWORKS, cycle(("l2", "l2_init"))))


def case(kind: str, update: str, number: type = np.float64, traced: bool = False) -> Any:
    """Compiling takes seconds for each kind of network, update and precision, and for traces."""
    kept = (kind, update) == ("layers", "l2") or (update == "l2_init" and kind != "columns without shortcut")
    thorough = number is np.float32 or traced or not kept
    return pytest.param(kind, update, number, traced, marks=pytest.mark.thorough if thorough else [])


# Every pair of network, update, precision and whether there are traces.
CASES = [
    *(case(kind, update) for kind in NETWORKS for update in ("l2", "l2_init")),
    *(case(kind, "strong", number) for kind in STRONG for number in PRECISION),
    *(case(kind, update, np.float32) for kind, update in ALTERNATING.items()),
    *(case(kind, update, traced=True) for kind, update in ALTERNATING.items()),
    case("layers", "strong", traced=True),
    case("cascade", "l2_init", np.float32, traced=True),
]


traces = pytest.mark.parametrize("traced", [False, pytest.param(True, marks=pytest.mark.thorough)])


def pair(kind: str, update: Update, traced: bool = False, **how: object) -> list[Network]:
    network = NETWORKS[kind](**how)
    network.remember(tuple(update.memory), {"age": None, "utility": 0.9, "activity": 0.9} if traced else {})
    return [network, copy.deepcopy(network)]


@pytest.mark.parametrize(("kind", "update", "number", "traced"), CASES)
def test_engines_agree_in_segments_of_any_length(kind: str, update: str, number: type, traced: bool) -> None:
    both, samples = pair(kind, UPDATES[update], traced, dtype=number), stream(small_data(dtype=number)).samples(1)
    for part in (slice(0, 1), slice(1, 34), slice(34, 65), slice(65, 102)):  # a block is of 32
        learn(both, samples[part], UPDATES[update])
    assert difference(*both) < PRECISION[number]


@pytest.mark.thorough
@pytest.mark.parametrize("update", ["l2", "l2_init"])
@pytest.mark.parametrize("kind", ["cascade", "layers"])
@pytest.mark.parametrize("number", PRECISION)
def test_engines_agree_over_2000_samples(kind: str, update: str, number: type) -> None:
    both, samples = pair(kind, UPDATES[update], dtype=number), stream(small_data(2000, dtype=number)).samples(1)
    learn(both, samples, UPDATES[update])
    assert difference(*both) < PRECISION[number]


@traces
@pytest.mark.parametrize("update", [pytest.param("l2", marks=pytest.mark.thorough), "l2_init"])
@pytest.mark.parametrize(
    "kind",
    ["cascade", "flat", pytest.param("columns without shortcut", marks=pytest.mark.thorough), "frozen", "layers"],
)
def test_engines_agree_right_after_growth_pruning_and_renewal(kind: str, update: str, traced: bool) -> None:
    both, samples = pair(kind, UPDATES[update], traced), stream(small_data()).samples(0)
    changes: list[Callable[[Network], None]] = [lambda n: n.renew(3, np.random.default_rng(7))]
    if isinstance(both[0], Cascade):
        changes += [lambda n: n.grow(np.random.default_rng(9)), lambda n: n.prune(np.array([0, 3, 17]))]
    for change in changes:
        for network in both:
            change(network)
        learn(both, samples[:77], UPDATES[update])
        assert difference(*both) < 1e-12


@pytest.mark.thorough
def test_what_is_frozen_or_does_not_exist_does_not_decay() -> None:
    network = cascade(20, freezing=True)
    before = network.weight.copy()
    Fused().learn(network, stream(small_data()).samples(0), UPDATES["l2"])
    still = ~(network.connected & network.learning)
    np.testing.assert_array_equal(network.weight[still], before[still])


@pytest.mark.parametrize("update", [pytest.param(L2(0.01, 0.0), marks=pytest.mark.thorough), L2Init(0.01, 0.0)])
@pytest.mark.parametrize("kind", ["cascade", "flat", "layers"])
def test_no_decay_is_plain_descent_bit_for_bit(kind: str, update: Update) -> None:
    (plain, other), samples = pair(kind, update), stream(small_data()).samples(0)
    Fused().learn(plain, samples, SGD(0.01))
    Fused().learn(other, samples, update)
    for one, two in zip(plain.parameters(), other.parameters(), strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.thorough
def test_a_decay_that_single_precision_would_round_away_is_kept() -> None:
    network, samples = layered(2, 7, dtype=np.float32), stream(small_data(2000, dtype=np.float32)).samples(0)
    network.bias[0][:] = -1e6  # nothing fires, so nothing learns but the outputs' bias
    before = network.weight[0].astype(float)
    Fused().learn(network, samples, L2(0.001, 1e-4))
    kept = (1 - 1e-7) ** 2000
    assert np.linalg.norm(network.weight[0] - kept * before) < 0.01 * np.linalg.norm(before - kept * before)
