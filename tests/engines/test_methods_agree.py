"""Engines take the same steps with every method of the field, on every kind of network, while units come and go."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from support.small import configured, small_data

from plasticity.engines import Engine
from plasticity.engines.engine import Learned
from plasticity.ground.arrays import Bools
from plasticity.networks import Network
from plasticity.runs import build
from plasticity.streams import Samples
from plasticity.updates import Update

DROPPING = "model.rules.prune={_target_: plasticity.rules.RandomUnits}"
NETWORKS = {
    "layers": ("model=ffcnn", "model.layers=2", "model.width=11"),
    "cascade": ("model=agn", "K=43", DROPPING),
    "two-layer": ("model=agn_two_layer", "K=43", DROPPING),
}
# Settings under which much happens in 2,000 samples, at samples that are no multiples of a block of 32.
METHODS = {
    "l2": ("update.decay=0.5",),
    "l2_init": ("update.decay=0.5",),
    "scratch": (),
    "head_reset": (),
    "shrink_perturb": ("every=77", "scale=0.9", "kind=gaussian", "noise=0.01"),
    "cbp": ("rate=0.003", "maturity=20"),
    "redo": ("every=77", "threshold=0.4", "window=50"),
    "snr": ("start=20", "least=3", "most=100", "tasks=2"),
}
RENEWING = ("cbp", "redo", "snr")


@dataclass(frozen=True)
class Watched:
    """An engine, and what it did: which predictions were right, and the parameters before each segment."""

    engine: Engine
    right: list[Bools] = field(default_factory=list)
    before: list[list[np.ndarray]] = field(default_factory=list)

    def learn(self, network: Network, samples: Samples, update: Update) -> Learned:
        self.before.append([values.copy() for values in network.parameters()])
        found = self.engine.learn(network, samples, update)
        self.right.append(found.correct)
        return found

    def refuses(self, *what: object) -> None:
        return None


def learned(method: str, kind: str, engine: str) -> tuple[Watched, Network, dict[str, int]]:
    """Four tasks of 500 samples, in double precision."""
    settings = [each if each.startswith("update.") else f"model.rules.{method}.{each}" for each in METHODS[method]]
    how = (*NETWORKS[kind], f"method={method}", *settings, f"engine={engine}", "N=500", "step_size=0.02")
    config = configured(*how, "dataset=toy")
    config.model["network"]["dtype"] = np.float64
    learner = build.learner_on(config, small_data(500))
    watched = Watched(learner.engine)
    rows = list(replace(learner, engine=watched).records(0, 4))
    counts = {name: int(sum(row[name] for row in rows)) for name in ("renewed", "added", "pruned")}
    return watched, learner.network, counts


@pytest.mark.thorough
@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize("method", METHODS)
def test_engines_agree_over_2000_samples(method: str, kind: str) -> None:
    (torch, one, _), (fused, other, counts) = (learned(method, kind, engine) for engine in ("torch", "fused"))
    assert [len(right) for right in torch.right] == [len(right) for right in fused.right]
    np.testing.assert_array_equal(np.concatenate(torch.right), np.concatenate(fused.right))
    states = [*torch.before, list(one.snapshot().values())], [*fused.before, list(other.snapshot().values())]
    for ours, theirs in zip(*states, strict=True):
        for a, b in zip(ours, theirs, strict=True):
            assert np.linalg.norm(a - b) <= 1e-9 * max(np.linalg.norm(b), 1e-12)
    lengths = [len(right) for right in fused.right]
    assert sum(lengths) == 2000
    assert kind == "layers" or min(counts["added"], counts["pruned"]) > 5
    assert method not in RENEWING or counts["renewed"] > 5
    assert any(length % 32 for length in lengths)
