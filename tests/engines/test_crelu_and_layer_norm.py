"""Both engines agree on layers of crelu and on normalised ones, with whatever else is asked for."""

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.agreement import difference, learn
from support.small import configured, layered, small_data, stream

from plasticity.data import Toy
from plasticity.networks import Layered
from plasticity.runs import build
from plasticity.updates import L2, SGD, L2Init, Update

KINDS: dict[str, dict[str, Any]] = {
    "crelu": {"activation": "crelu"},
    "layer norm": {"normalise": True},
    "both": {"activation": "crelu", "normalise": True},
}
UPDATES: dict[str, Update] = {"sgd": SGD(0.01), "l2": L2(0.01, 0.01), "l2_init": L2Init(0.01, 0.01)}
STRONG: dict[str, Update] = {"sgd": SGD(0.05), "l2": L2(0.05, 0.8), "l2_init": L2Init(0.05, 0.8)}
TRACES = {"age": None, "silent_for": None, "utility": 0.9, "activity": 0.9}
# Every pair of a kind and an update is compiled by itself, for seconds: those with SGD answer first.
kinds = pytest.mark.parametrize("kind", ["crelu", "layer norm", pytest.param("both", marks=pytest.mark.thorough)])
updates = pytest.mark.parametrize(
    "update", ["sgd", *(pytest.param(name, marks=pytest.mark.thorough) for name in ("l2", "l2_init"))]
)


def pair(kind: str, update: Update, layers: int = 3, **how: Any) -> list[Layered]:
    network = layered(layers, 18, **KINDS[kind], **how)
    network.remember(tuple(update.memory), TRACES)
    return [network, copy.deepcopy(network)]


@pytest.mark.thorough
@kinds
@updates
def test_in_segments_of_any_length_and_right_after_a_renewal(kind: str, update: str) -> None:
    both, samples = pair(kind, STRONG[update]), stream(small_data()).samples(1)
    for unit, part in enumerate((slice(0, 1), slice(1, 34), slice(34, 65), slice(65, 170))):
        learn(both, samples[part], STRONG[update])
        assert difference(*both) < 1e-12
        for network in both:
            network.renew(17 * unit + 2, np.random.default_rng(unit))


@pytest.mark.thorough
@pytest.mark.parametrize(  # with what the next test leaves out: both at once, and traces
    ("kind", "update", "layers"), [("crelu", "sgd", 1), ("layer norm", "l2", 2), ("both", "l2_init", 3)]
)
def test_over_2000_samples_in_single_precision(kind: str, update: str, layers: int) -> None:
    """With a decay that leaves a layer's variance far above ε: below it, rounding grows from sample to sample."""
    both = pair(kind, UPDATES[update], layers, dtype=np.float32)
    learn(both, stream(small_data(2000, dtype=np.float32)).samples(1), UPDATES[update])
    assert difference(*both) < 1e-5


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["crelu", "layer_norm"])
@pytest.mark.parametrize("more", ["update=sgd", "update=l2", "update=l2_init", "rule=cbp", "rule=redo"])
def test_over_2000_samples_of_the_model_as_it_is_configured(method: str, more: str) -> None:
    kind, _, name = more.partition("=")
    how = ("model=ffcnn", "model.width=50", f"method={method}", RULES[name] if kind == "rule" else more)
    learners = [
        build.learner(configured(*how, "dataset=toy", "N=2000", f"engine={engine}")) for engine in ("torch", "fused")
    ]
    rows = [next(learner.records(0, 1)) for learner in learners]
    assert (rows[0]["accuracy"], rows[0]["renewed"]) == (rows[1]["accuracy"], rows[1]["renewed"])
    assert (rows[0]["renewed"] > 0) == (kind == "rule")
    assert difference(*(learner.network for learner in learners)) < 1e-5


RULES = {
    "cbp": (
        "+model.rules.cbp={_target_:plasticity.rules.ContinualBackprop,rate:0.002,maturity:20,decay:0.9,"
        "utility:contribution}"
    ),
    "redo": "+model.rules.redo={_target_:plasticity.rules.ReDo,every:70,threshold:0.7}",
}


@pytest.mark.thorough
@pytest.mark.parametrize("method", ["crelu", "layer_norm"])
@updates
@pytest.mark.parametrize("rule", RULES)
def test_with_rules_that_renew_many_of_few_units(method: str, update: str, rule: str) -> None:
    """In double precision: where most of a layer has just been renewed, the next one's variance is next to nothing."""
    how = ("model=ffcnn", "model.width=9", f"method={method}", f"update={update}", RULES[rule], "dataset=toy", "N=200")
    data, double = Toy().load(200), "+model.network.dtype=float64"
    data = replace(data, images=data.images.astype(np.float64))
    configs = [configured(*how, double, f"engine={engine}") for engine in ("torch", "fused")]
    learners = [build.learner_on(config, data) for config in configs]
    rows = [[(row["renewed"], row["accuracy"]) for row in learner.records(0, 3)] for learner in learners]
    assert rows[0] == rows[1]
    assert sum(renewed for renewed, _ in rows[0]) > 3
    assert difference(*(learner.network for learner in learners)) < 1e-10
