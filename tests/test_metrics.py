"""What is measured of a network."""

import numpy as np
import pytest
from support.small import cascade, layered

from plasticity import metrics
from plasticity.engines import Learned
from plasticity.metrics import Look, silent
from plasticity.networks import Network
from plasticity.streams import Samples

NOTHING = Samples.of(np.zeros((1, 20)))


def effective_rank(hidden: np.ndarray) -> float:
    return metrics.effective_rank(Look(cascade(0), NOTHING, hidden, hidden))


def weight_magnitude(network: Network) -> float:
    return metrics.weight_magnitude(Look(network, NOTHING, np.zeros((1, 0)), np.zeros((1, 0))))


def right(*samples: int, of: int) -> Learned:
    """These were right, the others not."""
    return Learned(np.isin(np.arange(of), samples), np.zeros(of))


@pytest.mark.parametrize(
    ("learned", "first", "last"),
    [
        (right(0, 1, 18, of=20), 2 / 2, 1 / 2),
        (right(0, 24, 23, of=25), 1 / 3, 2 / 3),  # a tenth of 25 is rounded up to 3: samples 0, 1, 2 and 22, 23, 24
        (right(2, of=3), 0, 1),  # a tenth of 3 is one sample
        (right(0, of=1), 1, 1),
    ],
)
def test_accuracy_of_the_first_and_last_tenth(learned: Learned, first: float, last: float) -> None:
    assert metrics.accuracy_first_tenth(learned) == pytest.approx(first)
    assert metrics.accuracy_last_tenth(learned) == pytest.approx(last)


def test_dormancy_is_the_share_of_units_that_never_fire() -> None:
    assert silent(np.array([[0.0, 1, 0, 0], [0, 0, 2, 0]])) == 0.5


def test_dormancy_without_hidden_units_is_0() -> None:
    assert silent(np.zeros((5, 0))) == 0


@pytest.mark.parametrize("shape", [(200, 6), (6, 200)])
def test_effective_rank_of_orthogonal_units_of_one_size_is_their_number(shape: tuple[int, int]) -> None:
    q, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((200, 6)))
    assert effective_rank(q if shape[0] > shape[1] else q.T) == pytest.approx(6)


def test_effective_rank_follows_the_entropy_of_the_singular_values() -> None:
    hidden = np.random.default_rng(0).random((50, 8))
    share = np.linalg.svd(hidden, compute_uv=False)
    share /= share.sum()
    assert effective_rank(hidden) == pytest.approx(np.exp(-(share * np.log(share)).sum()), rel=1e-6)


@pytest.mark.parametrize("hidden", [np.zeros((5, 0)), np.zeros((5, 3))])
def test_effective_rank_where_nothing_fires_is_0(hidden: np.ndarray) -> None:
    assert effective_rank(hidden) == 0


def test_effective_rank_of_copies_of_one_unit_is_1() -> None:
    assert effective_rank(np.outer(np.arange(1, 9.0), np.ones(5))) == pytest.approx(1, abs=1e-3)


def test_effective_rank_in_single_precision_sees_what_is_small() -> None:
    rng = np.random.default_rng(0)
    hidden = np.outer(rng.random(500), rng.random(600)).astype(np.float32)
    assert effective_rank(hidden) == pytest.approx(effective_rank(hidden.astype(np.float64)), abs=1e-9)
    assert effective_rank(hidden) < 1.01


def test_weight_magnitude_counts_only_connections_that_exist() -> None:
    network = cascade(3)
    network.weight[network.connected] = -2
    assert weight_magnitude(network) == pytest.approx(2)


def test_weight_magnitude_of_a_layered_network_spans_all_layers() -> None:
    network = layered(2, 7)
    expected = np.abs(np.concatenate([weight.ravel() for weight in network.weight])).mean()
    assert weight_magnitude(network) == pytest.approx(expected)


def test_dormancy_is_that_after_the_rules_acted_and_the_other_that_before() -> None:
    look = Look(cascade(0), NOTHING, np.array([[1.0, 1]]), np.array([[1.0, 1, 0, 0]]))
    assert (metrics.dormancy(look), metrics.dormancy_before_pruning(look)) == (0, 0.5)


def test_dormancy_at_a_threshold_is_relative_to_each_layers_mean() -> None:
    """By hand, two layers of three: outputs 0, 0.02, 1.98, whose mean is 2/3, so 0, 0.03, 2.97 of it; and 10, 10, 10.
    One of six is at most 0.01 or 0.025 of its layer's mean, two are at most 0.1."""
    hidden = np.array([[0.0, 0.02, 1.98, 10, 10, 10]] * 4)
    look = Look(layered(2, 3), NOTHING, hidden, hidden)
    found = [measure(look) for measure in (metrics.dormancy_010, metrics.dormancy_025, metrics.dormancy_100)]
    assert found == pytest.approx([1 / 6, 1 / 6, 2 / 6])
    assert metrics.dormant(look, 0) == pytest.approx(silent(hidden))


def test_dormancy_at_a_threshold_without_hidden_units_is_0() -> None:
    assert metrics.dormancy_100(Look(cascade(0), NOTHING, np.zeros((5, 0)), np.zeros((5, 0)))) == 0


def test_a_layers_own_dormancy_is_that_of_its_units_alone() -> None:
    """The same units: of the first layer's three one is silent or at 0.03 of the mean, of the second's none."""
    hidden = np.array([[0.0, 0.02, 1.98, 10, 10, 10]] * 4)
    look, layers = Look(layered(2, 3), NOTHING, hidden, hidden), (0, 1)
    for measure, first in ((metrics.dormancy, 1), (metrics.dormancy_025, 1), (metrics.dormancy_100, 2)):
        assert [metrics.of_layer(measure, layer)(look) for layer in layers] == pytest.approx([first / 3, 0])


def test_a_layers_own_effective_rank_is_that_of_its_units_alone() -> None:
    """Two units that fire in turns, of rank 2, and two that are alike, of rank 1."""
    hidden = np.array([[1.0, 0, 3, 3], [0, 1, 3, 3]])
    look = Look(layered(2, 2), NOTHING, hidden, hidden)
    found = [metrics.of_layer(metrics.effective_rank, layer)(look) for layer in (0, 1)]
    assert found == pytest.approx([2, 1], abs=1e-6)
