"""Self-normalized resets: when a unit loses patience, and how patience is learned."""

import numpy as np
import pytest
from support import hand, refused
from support.small import configured, moment

from plasticity.compiled.traces import BIN_OF
from plasticity.engines import Engine
from plasticity.engines.fused import Fused
from plasticity.engines.reference import Reference
from plasticity.ground.errors import Mistake
from plasticity.networks import Layered, Network
from plasticity.rules import SelfNormalizedResets
from plasticity.runs import build
from plasticity.streams import Samples
from plasticity.updates import SGD

RULE = SelfNormalizedResets(percentile=0.99, start=4, least=2, most=10, tasks=2)


def ask(network: Network, N: int, task: int) -> list[int]:
    change = RULE(network, moment(network, Samples.of(np.zeros((N, 4))), sample=network.sample, task=task))
    for unit in change.renew:
        network.renew(int(unit), np.random.default_rng(0))
        network.parameters()[0][:, unit] = -1  # silent still
    network.traces.update(change.note)
    return np.asarray(change.renew).tolist()


@pytest.mark.parametrize("engine", [Reference(), Fused()])
def test_three_units_by_hand(engine: Engine) -> None:
    """Units 0 and 2 fire on every sample, unit 1 never. Two tasks of six samples, patience 4.

    Unit 1 is renewed after sample 4, and after 8: the second of the next task. At the end, after 12, once more. Its
    gaps: 4, 4, 4; so 4 is not below its patience of 4, which doubles to 8. Units 0 and 2 have twelve gaps of 1,
    which is below 4; and the least patience is 2.
    """
    network = hand.layered()
    network.remember((), RULE.traces)
    renewed = []
    for task in range(2):
        network.sample = 0
        while network.sample < 6:
            due = RULE.due(network, network.sample + 1, 6)
            assert due is not None
            for _ in range(due - network.sample):
                engine.learn(network, hand.SAMPLE, SGD(1e-30))
            network.sample = due
            renewed += [(task, network.sample, unit) for unit in ask(network, 6, task)]
    assert renewed == [(0, 4, 1), (1, 2, 1), (1, 6, 1)]
    assert network.traces["patience"].tolist() == [2, 8, 2]
    assert not network.traces["gaps"].any()


@pytest.mark.slow
def test_engines_agree_and_a_restored_network_goes_on() -> None:
    how = ("method=snr", "model=ffcnn", "model.width=9", "dataset=toy", "N=200", "step_size=0.01")
    more = [f"model.rules.snr.{word}" for word in ("start=20", "least=2", "tasks=2", "percentile=0.97")]
    torch, fused, again = (build.learner(configured(*how, *more, f"engine={e}")) for e in ("torch", "fused", "fused"))
    rows = [[row["renewed"] for row in learner.records(0, 5)] for learner in (torch, fused)]
    assert rows[0] == rows[1]
    assert sum(rows[0]) > 5
    for one, other in zip(torch.network.weights, fused.network.weights, strict=True):
        assert np.linalg.norm(one - other) <= 1e-5 * np.linalg.norm(other)
    np.testing.assert_array_equal(torch.network.traces["patience"], fused.network.traces["patience"])
    assert len(set(fused.network.traces["patience"].tolist())) > 2
    list(again.records(0, 3))
    other = build.learner(configured(*how, *more))
    other.network.restore(again.network.snapshot())
    assert [row["renewed"] for row in other.records(3, 5)] == rows[1][3:]


@pytest.mark.slow
@pytest.mark.parametrize("model", ["agn", "aen_two_layer"])
def test_networks_that_grow_keep_each_units_patience_and_go_on_when_restored(model: str) -> None:
    how = (f"model={model}", "method=snr", "dataset=toy", "N=100", "K=15", "step_size=0.01")
    how += tuple(f"model.rules.snr.{word}" for word in ("start=20", "least=2", "tasks=2", "percentile=0.9"))
    whole, first, second = (build.learner(configured(*how)) for _ in range(3))
    rows = list(whole.records(0, 6))
    list(first.records(0, 3))
    second.network.restore(first.network.snapshot())
    assert [row["renewed"] for row in second.records(3, 6)] == [row["renewed"] for row in rows[3:]]
    assert sum(row["renewed"] for row in rows) > 10
    assert whole.network.traces["patience"].shape == (whole.network.units,)
    assert len(set(whole.network.traces["patience"].tolist())) > 3
    for name in ("patience", "gaps"):
        np.testing.assert_array_equal(whole.network.traces[name], second.network.traces[name])


def test_patience_and_gaps_go_with_their_unit() -> None:
    """Unit 0 of three is dropped, unit 2 renewed by another rule, and one is added: they begin with the first patience
    and no gaps; unit 1, now unit 0, keeps its own."""
    network = hand.flat()
    network.remember((), RULE.traces)
    network.traces["patience"][:], network.traces["gaps"][:, 5] = [3, 8, 9], [1, 2, 3]
    network.traces["silent_for"][:] = [0, 3, 0]
    network.renew(2, np.random.default_rng(0))
    network.prune(np.array([0]))
    network.grow(np.random.default_rng(0))
    assert RULE.due(network, 0, 100) == 4  # unit 0 has 5 samples left
    change = RULE(network, moment(network, Samples.of(np.zeros((6, 4))), sample=3))
    assert change.note["patience"].tolist() == [8, 4, 4]
    assert change.note["gaps"].sum(axis=1).tolist() == [2, 0, 0]


def test_a_unit_that_it_renews_keeps_its_patience_and_gaps() -> None:
    config = configured("model=ffcnn", "model.layers=1", "model.width=5", "method=snr", "dataset=toy", "N=300")
    learner = build.learner(config)
    assert isinstance(learner.network, Layered)
    learner.network.bias[0][2] = -1e6  # it never fires
    learner.network.traces["patience"][:], learner.network.traces["gaps"][2, 60] = 250, 7
    (row,) = learner.records(0, 1)
    assert row["renewed"] == 1
    assert learner.network.traces["patience"].tolist() == [250] * 5
    assert learner.network.traces["gaps"][2, 60] == 7
    assert learner.network.traces["gaps"][2, BIN_OF[250]] == 1


GOOD = {
    "_target_": "plasticity.rules.SelfNormalizedResets",
    "percentile": 0,
    "start": 4,
    "least": 3,
    "most": 5,
    "tasks": 1,
}
REFUSED = [
    *refused.share("percentile"),
    *refused.whole("start", 3),
    *refused.whole("least", 1),
    *refused.whole("most", 3),
    *refused.whole("tasks", 1),
]


@pytest.mark.parametrize("case", REFUSED)
def test_an_impossible_setting_is_one_sentence(case: refused.Refused) -> None:
    refused.refuses(GOOD, case)


def test_a_configuration_with_an_impossible_setting_is_refused() -> None:
    with pytest.raises(Mistake, match="start=50 is not possible; it must be a whole number, 100 or more"):
        configured("model=ffcnn", "method=snr", "model.rules.snr.start=50")
