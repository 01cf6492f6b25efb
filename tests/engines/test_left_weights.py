"""Weights that compiled code left where it learned them: whoever looks finds them, and looking changes no number."""

import copy
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from support.small import cascade, layered, small_data, stream

from plasticity.engines.fused import Fused
from plasticity.updates import L2, SGD

NETWORKS: dict[str, Callable[[], Any]] = {
    "cascade": lambda: cascade(19),
    "flat": lambda: cascade(18, lateral=False),
    "depth without shortcut": lambda: cascade(19, depth=4, shortcut=False),
    "layers": lambda: layered(3, 18),
    "crelu": lambda: layered(2, 18, activation="crelu"),
    "layer norm": lambda: layered(3, 18, normalise=True),
}
GROWING: dict[str, Callable[[], Any]] = {
    **{kind: NETWORKS[kind] for kind in ("cascade", "flat", "depth without shortcut")},
    "freezing": lambda: cascade(2, freezing=True),
    "flat, at the end of a block": lambda: cascade(30, lateral=False),
    "cascade whose outputs reach the end of a block": lambda: cascade(20),
}
networks = pytest.mark.parametrize("kind", NETWORKS)
SAMPLES = stream(small_data()).samples(1)
ENDS = (0, 5, 40, 104, 200)


def learn(network: Any, between: Callable[[Any, int], None]) -> list[np.ndarray]:
    for turn, (begin, end) in enumerate(pairwise(ENDS)):
        Fused().learn(network, SAMPLES[begin:end], SGD(0.05))
        between(network, turn)
    return [values.copy() for values in network.parameters()]


def look(network: Any, turn: int) -> None:
    assert all(np.isfinite(values).all() for values in network.parameters())


def renew(network: Any, turn: int) -> None:
    network.renew(5 * turn + 1, np.random.default_rng(turn))


def look_and_renew(network: Any, turn: int) -> None:
    look(network, turn)
    renew(network, turn)
    look(network, turn)


@networks
def test_looking_in_between_changes_no_bit(kind: str) -> None:
    left, seen = (learn(NETWORKS[kind](), between) for between in (lambda network, turn: None, look))
    for one, other in zip(left, seen, strict=True):
        np.testing.assert_array_equal(one, other)


@networks
def test_a_unit_that_is_renewed_before_anybody_looked_is_renewed_alike(kind: str) -> None:
    left, seen = (learn(NETWORKS[kind](), between) for between in (renew, look_and_renew))
    for one, other in zip(left, seen, strict=True):
        np.testing.assert_array_equal(one, other)


def grow(network: Any, turn: int) -> None:
    for unit in range(turn + 1):
        network.grow(np.random.default_rng((turn, unit)))


def look_and_grow(network: Any, turn: int) -> None:
    look(network, turn)
    grow(network, turn)
    look(network, turn)


@pytest.mark.parametrize("kind", GROWING)
def test_a_unit_that_is_added_before_anybody_looked_is_added_alike(kind: str) -> None:
    left, seen = (learn(GROWING[kind](), between) for between in (grow, look_and_grow))
    for one, other in zip(left, seen, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("kind", GROWING)
def test_a_unit_that_is_added_after_a_look_is_seen_with_what_was_learned(kind: str) -> None:
    network = GROWING[kind]()
    Fused().learn(network, SAMPLES[:40], SGD(0.05))
    network.hidden(SAMPLES[:9])
    grow(network, 0)
    hidden, output = network.hidden(SAMPLES[:50]), network.output(SAMPLES[:50])
    fresh = copy.deepcopy(network)  # has no layout
    np.testing.assert_array_equal(hidden, fresh.hidden(SAMPLES[:50]))
    np.testing.assert_array_equal(output, fresh.output(SAMPLES[:50]))


def test_a_unit_for_which_there_is_room_needs_no_new_layout() -> None:
    network = cascade(19)
    Fused().learn(network, SAMPLES[:40], SGD(0.05))
    layout = network._layout
    grow(network, 0)
    assert layout is not None
    assert network._layout is layout


@pytest.mark.slow  # compiles what lets weights decay; for half of the networks, nothing else in this tier does
@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=[] if kind in ("cascade", "flat", "layers") else pytest.mark.thorough)
        for kind in NETWORKS
    ],
)
def test_the_next_task_and_another_update_begin_where_the_last_ended(kind: str) -> None:
    network, following = NETWORKS[kind](), stream(small_data()).samples(2)
    Fused().learn(network, SAMPLES, SGD(0.05))
    other = copy.deepcopy(network)
    look(other, 0)
    for one in (network, other):
        Fused().learn(one, following[:50], SGD(0.05))
        Fused().learn(one, following[50:90], L2(0.05, 0.1))
    for one, same in zip(network.parameters(), other.parameters(), strict=True):
        np.testing.assert_array_equal(one, same)


def test_what_nobody_looked_at_is_not_stored() -> None:
    """So that a replacement does not have the whole network laid out again."""
    network = layered(2, 7)
    before = [values.copy() for values in network._own.weight]
    Fused().learn(network, SAMPLES[:40], SGD(0.05))
    for own, then in zip(network._own.weight, before, strict=True):
        np.testing.assert_array_equal(own, then)
    assert (network.weight[0] != before[0]).any()


@networks
def test_a_look_at_all_there_is_to_see_changes_no_bit_and_needs_no_new_layout(kind: str) -> None:
    def see(network: Any, turn: int) -> None:
        layout = network._layout
        _ = network.sizes, network.weights, network.snapshot(), network.hidden(SAMPLES[:9])
        assert network._layout is layout

    left, seen = (learn(NETWORKS[kind](), between) for between in (lambda network, turn: None, see))
    for one, other in zip(left, seen, strict=True):
        np.testing.assert_array_equal(one, other)


@networks
def test_a_look_finds_what_was_learned(kind: str) -> None:
    network = NETWORKS[kind]()
    Fused().learn(network, SAMPLES, SGD(0.05))
    seen = [weight.copy() for weight in network.weights]
    for one, other in zip(seen, network.parameters(), strict=False):
        np.testing.assert_array_equal(one, other)


@networks
def test_what_is_changed_after_a_look_is_what_learns(kind: str) -> None:
    """A look keeps the layout; whoever may change weights ends it."""
    network = NETWORKS[kind]()
    Fused().learn(network, SAMPLES[:40], SGD(0.05))
    other = copy.deepcopy(network)  # has no layout
    network.hidden(SAMPLES[:9])
    for one in (network, other):
        for values in one.parameters():
            values *= 0.5
        Fused().learn(one, SAMPLES[40:80], SGD(0.05))
    for one, same in zip(network.parameters(), other.parameters(), strict=True):
        np.testing.assert_array_equal(one, same)


@networks
def test_weights_to_look_at_cannot_be_changed(kind: str) -> None:
    with pytest.raises(ValueError, match="read-only"):
        NETWORKS[kind]().weights[0][:] = 0
