"""ReDo: which units are recycled, and when."""

import numpy as np
import pytest
from support import hand, refused
from support.small import configured, layered, moment, small_data

from plasticity.ground.errors import Mistake
from plasticity.rules import ReDo
from plasticity.runs import build
from plasticity.streams import Samples

TWO = Samples.of(np.array([[1.0, 0, 1, 0], [0, 0, 2, 2]]), np.array([0, 0]))


@pytest.mark.parametrize(("threshold", "renewed"), [(0, [1]), (1.2, [1]), (1.25, [0, 1]), (1.8, [0, 1, 2])])
@pytest.mark.parametrize("make", [hand.layered, hand.flat])
def test_units_up_to_a_share_of_their_layers_mean(make, threshold: float, renewed: list[int]) -> None:
    """By hand, on two samples: (1, 0, 1, 0) gives h = (1, 0, 2), and (0, 0, 2, 2) gives 2·0.5 + 2·0.1 = 1.2, 0.2, 1.2.
    With a bias of −0.2 the second unit gives 0. Means 1.1, 0 and 1.6; of the layer 0.9; that is 1.22, 0 and 1.78 of it.
    """
    network = make()
    (network.bias[0] if isinstance(network.bias, list) else network.bias[2:])[1] = -0.2
    assert np.asarray(ReDo(1, threshold)(network, moment(network, TWO)).renew).tolist() == renewed


@pytest.mark.parametrize(("window", "renewed"), [(1, [0, 1]), (2, [1]), (256, [1])])
def test_a_window_holds_the_latest_samples_and_none_that_is_to_come(window: int, renewed: list[int]) -> None:
    """By hand, after three of five samples: unit 1 fires only on what is to come, unit 0 was last active before the
    latest sample."""
    network = hand.layered()
    x = np.array([[0.0, 0, 0, 0], [1, 0, 1, 0], [0.4, -1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]])
    np.testing.assert_allclose(
        network.hidden(Samples.of(x)), [[0, 0, 0], [1, 0, 2], [0, 0, 0.8], [0.2, 0.4, 0], [0.2, 0.4, 0]]
    )
    now = moment(network, Samples.of(x), sample=3)
    assert np.asarray(ReDo(3, 0, window)(network, now).renew).tolist() == renewed


def test_each_layer_has_a_mean_of_its_own() -> None:
    network, probe = layered(2, 7), Samples.of(small_data().images)
    network.weight[0] *= 1000  # the first layer's outputs would dwarf the second's
    network.weight[1] /= 1000
    network.bias[1][:] = 0.5
    assert (np.asarray(ReDo(1, 0.001)(network, moment(network, probe)).renew) < 7).all()


def test_it_is_asked_after_every_so_many_samples_and_after_the_last() -> None:
    network = layered()
    assert [ReDo(50, 0).due(network, sample, 100) for sample in (0, 1, 50, 51, 100)] == [50, 50, 50, 100, 100]
    assert ReDo(60, 0).due(network, 61, 100) is None


GOOD = {"_target_": "plasticity.rules.ReDo", "every": 1, "threshold": 0, "window": None}
REFUSED = [
    *refused.whole("every", 1),
    *refused.positive("threshold"),
    *refused.whole("window", 1, ", or null for the probe"),
]


@pytest.mark.parametrize("case", REFUSED)
def test_an_impossible_setting_is_one_sentence(case: refused.Refused) -> None:
    refused.refuses(GOOD, case)


@pytest.mark.parametrize("override", ["every=0", "threshold=low", "threshold=nan", "window=0"])
def test_a_configuration_with_an_impossible_setting_is_refused(override: str) -> None:
    with pytest.raises(Mistake, match=f"{override} is not possible"):
        configured("model=ffcnn", "method=redo", f"model.rules.redo.{override}")


def test_it_means_nothing_where_units_are_frozen() -> None:
    with pytest.raises(Mistake, match="ReDo renews units, and this network's are frozen"):
        configured("model=sgn", "method=redo")


@pytest.mark.slow
@pytest.mark.parametrize("model", ["ffcnn", "agn", "aen_two_layer"])
def test_engines_agree(model: str) -> None:
    how = (f"model={model}", "method=redo", "model.rules.redo.threshold=0.5", "dataset=toy", "N=100", "K=15")
    width = ["model.width=9"] if model == "ffcnn" else []
    learners = [build.learner(configured(*how, *width, f"engine={engine}")) for engine in ("torch", "fused")]
    rows = [[row["renewed"] for row in learner.records(0, 3)] for learner in learners]
    assert rows[0] == rows[1]
    assert sum(rows[0]) > 0
    for one, other in zip(learners[0].network.weights, learners[1].network.weights, strict=True):
        assert np.linalg.norm(one - other) <= 1e-5 * np.linalg.norm(other)
