"""Both engines take the same steps where the permutation changes between two samples, wherever that is."""

import copy
from collections.abc import Callable
from itertools import cycle, repeat

import numpy as np
import pytest
from support.agreement import difference, learn, same_predictions
from support.small import cascade, layered, small_data

from plasticity.engines import Learned
from plasticity.engines.fused import Fused
from plasticity.engines.reference import Reference
from plasticity.networks import Network
from plasticity.streams import Gradual, Samples
from plasticity.updates import L2, SGD, L2Init, Update

NETWORKS: dict[str, Callable[[], Network]] = {
    "linear": lambda: cascade(0),
    "cascade": lambda: cascade(19),
    "flat": lambda: cascade(18, lateral=False),
    "frozen": lambda: cascade(18, freezing=True),
    "three layers": lambda: layered(3, 18),
    "layer norm and crelu": lambda: layered(2, normalise=True, activation="crelu"),
}
UPDATES: dict[str, Update] = {"sgd": SGD(0.05), "l2": L2(0.05, 0.1), "l2_init": L2Init(0.05, 0.1)}
networks = pytest.mark.parametrize("kind", NETWORKS)


def drifting(every: int, change: float = 1.0) -> Samples:
    return Gradual(small_data(), 0, "shuffled", change, every).samples(1)


def made(kind: str, update: str = "sgd") -> Network:
    network = NETWORKS[kind]()
    network.remember(tuple(UPDATES[update].memory), {})
    return network


EVERY = (1, 7, 32, 50)
# Every pair of network, update and how often; updates that decay are compiled by themselves, for seconds each.
CASES = [
    *((kind, "sgd", every) for kind in NETWORKS for every in EVERY),
    *(pytest.param(*case, marks=pytest.mark.thorough) for case in zip(NETWORKS, repeat("l2"), cycle(EVERY))),
    *(
        pytest.param(*case, marks=pytest.mark.thorough)
        for case in zip(reversed(NETWORKS), repeat("l2_init"), cycle(EVERY))
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "update", "every"), CASES)
def test_engines_agree_in_double_precision_to_rounding(kind: str, update: str, every: int) -> None:
    pair = made(kind, update), made(kind, update)
    learn(pair, drifting(every)[:105], UPDATES[update])  # three blocks, a piece of a fourth, and two other permutations
    assert difference(*pair) < 1e-12


@pytest.mark.slow
@networks
def test_segments_that_are_no_multiple_of_a_block_or_of_a_view_agree_with_all_at_once(kind: str) -> None:
    samples, (whole, parts) = drifting(20), (made(kind), made(kind))
    right = Reference().learn(whole, samples, SGD(0.05))
    for begin, end in ((0, 5), (5, 38), (38, 39), (39, 211), (211, 300)):
        found = Fused().learn(parts, samples[begin:end], SGD(0.05))
        same_predictions(found, Learned(right.correct[begin:end], right.loss[begin:end]), 1e-12)
    assert difference(whole, parts) < 1e-12


@networks
def test_weights_that_follow_a_permutation_are_those_laid_out_for_it_to_the_bit(kind: str) -> None:
    samples, followed = drifting(20), made(kind)
    anew = copy.deepcopy(followed)
    Fused().learn(followed, samples, SGD(0.05))
    for _, piece in samples.pieces(len(samples)):
        Fused().learn(anew, piece, SGD(0.05))
        anew.parameters()  # whoever looks has the weights written back: for the next piece they are laid out anew
    for one, other in zip(followed.parameters(), anew.parameters(), strict=True):
        np.testing.assert_array_equal(one, other)


@networks
def test_what_units_give_is_seen_through_each_samples_own_permutation(kind: str) -> None:
    network, samples = made(kind), drifting(7).some(0.3, np.random.default_rng(0))
    plain = Samples.of(samples.x)
    np.testing.assert_array_equal(network.hidden(samples), network.hidden(plain))
    np.testing.assert_array_equal(network.output(samples), network.output(plain))
