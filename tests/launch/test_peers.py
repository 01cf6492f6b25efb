"""What the benchmark measures in JAX is the step that the suite takes."""

import numpy as np
import pytest

from plasticity.data import Toy
from plasticity.engines.reference import Reference
from plasticity.networks import Cascade, Layered
from plasticity.streams import Samples
from plasticity.updates import L2, SGD, L2Init, Update

jax = pytest.importorskip("jax", reason="JAX is not installed; pip install -e '.[peers]'")
peers = pytest.importorskip("peers")
pytestmark = pytest.mark.thorough

UPDATES: dict[str, Update] = {
    "l2": L2(peers.STEP, peers.DECAY["l2"]),
    "l2_init": L2Init(peers.STEP, peers.DECAY["l2_init"]),
}


@pytest.fixture
def samples() -> Samples:
    made = Toy().load(200)
    return Samples.of(made.images, made.labels)


def learned(peer, samples: Samples):
    state, learn = peers.made(peer)
    return learn(state, samples.x, samples.y)


@pytest.mark.parametrize("method", ["none", "l2", "l2_init", "crelu"])
def test_a_layered_network_learns_as_with_engine_torch(method: str, samples: Samples) -> None:
    peer = peers.Peer("layered", 2, 8, method)
    how = dict(layers=2, width=8, bias=True, initial_weights="kaiming")
    activation = "crelu" if method == "crelu" else "relu"
    network = Layered(np.random.default_rng(0), 784, 10, activation=activation, **how)  # type: ignore[arg-type]
    for layer, own in enumerate(peers.layered_weights(peer)):
        network.weight[layer][:] = own["w"]
    update = UPDATES.get(method, SGD(peers.STEP))
    network.remember(tuple(update.memory), {})
    right = Reference().learn(network, samples, update).correct
    state, theirs = learned(peer, samples)
    np.testing.assert_array_equal(theirs, right)
    for layer, own in enumerate(state["weights"]):
        np.testing.assert_allclose(own["w"], network.weight[layer], atol=1e-5)


@pytest.mark.parametrize("kind", ["cascade", "flat"])
def test_a_growing_network_learns_as_with_engine_torch(kind: str, samples: Samples) -> None:
    peer = peers.Peer(kind, 0, 6)
    how = dict(lateral=kind == "cascade", freezing=False, bias=True, incoming="kaiming", outgoing="zero", first="zero")
    network = Cascade(np.random.default_rng(0), 784, 10, **how)  # type: ignore[arg-type]
    for unit in range(6):
        network.grow(np.random.default_rng(unit))
    own = {name: np.roll(values, 10, axis=-1) for name, values in peers.cascade_weights(peer).items()}  # outputs first
    network.weight[:] = np.vstack([own["fed"], own["between"]])
    right = Reference().learn(network, samples, SGD(peers.STEP)).correct
    state, theirs = learned(peer, samples)
    np.testing.assert_array_equal(theirs, right)
    np.testing.assert_allclose(np.roll(state["weights"]["fed"], 10, axis=1), network.weight[:784], atol=1e-5)


def test_continual_backprop_replaces_a_unit_of_each_layer_when_one_is_owed(samples: Samples, monkeypatch) -> None:
    monkeypatch.setattr(peers, "RATE", 1.01 / 8 / 100)  # of 8 units that are mature for 100 samples
    state, _ = learned(peers.Peer("layered", 2, 8, "cbp"), samples)
    assert [int((units["age"] < 100).sum()) for units in state["units"]] == [1, 1]


LAYERED = [("layered", 1, 4, method) for method in ("none", "layer_norm", "crelu", "cbp")]


@pytest.mark.parametrize("peer", [*LAYERED, ("cascade", 0, 0), ("flat", 0, 3)])
def test_a_sample_takes_some_time(peer: tuple, samples: Samples) -> None:
    assert peers.measured(peers.Peer(*peer), samples.x, samples.y, 0.01) > 0
