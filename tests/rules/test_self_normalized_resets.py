"""Self-normalized resets: when a unit loses patience, and how patience is learned."""

import numpy as np
import pytest
from support import hand
from support.small import configured, moment

from plasticity.engines import Engine
from plasticity.engines.fused import Fused
from plasticity.engines.reference import Reference
from plasticity.errors import Mistake
from plasticity.networks import Network
from plasticity.rules import SelfNormalizedResets
from plasticity.rules.self_normalized_resets import GAPS, PATIENCE
from plasticity.runs import build
from plasticity.streams import Samples
from plasticity.updates import SGD

RULE = SelfNormalizedResets(percentile=0.99, start=4, least=2, most=10, tasks=2)


def ask(network: Network, N: int, task: int) -> list[int]:
    change = RULE(network, moment(network, Samples.of(np.zeros((N, 4))), sample=network.sample, task=task))
    network.notes.update(change.note)
    for unit in change.renew:
        network.renew(int(unit), np.random.default_rng(0))
        network.parameters()[0][:, unit] = -1  # silent still
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
    assert network.notes[PATIENCE].tolist() == [2, 8, 2]
    assert not (network.notes[GAPS] + network.traces["gaps"]).any()


def test_engines_agree_and_a_restored_network_goes_on() -> None:
    how = ("method=snr", "model=ffcnn", "model.width=9", "dataset=toy", "N=200", "step_size=0.01")
    more = [f"model.rules.snr.{word}" for word in ("start=20", "least=2", "tasks=2", "percentile=0.97")]
    torch, fused, again = (build.learner(configured(*how, *more, f"engine={e}")) for e in ("torch", "fused", "fused"))
    rows = [[row["renewed"] for row in learner.records(0, 5)] for learner in (torch, fused)]
    assert rows[0] == rows[1]
    assert sum(rows[0]) > 5
    for one, other in zip(torch.network.weights, fused.network.weights, strict=True):
        assert np.linalg.norm(one - other) <= 1e-5 * np.linalg.norm(other)
    np.testing.assert_array_equal(torch.network.notes[PATIENCE], fused.network.notes[PATIENCE])
    assert len(set(fused.network.notes[PATIENCE].tolist())) > 2
    list(again.records(0, 3))
    other = build.learner(configured(*how, *more))
    other.network.restore(again.network.snapshot())
    assert [row["renewed"] for row in other.records(3, 5)] == rows[1][3:]


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("percentile=2", "percentile=2 is not possible; it must be a number, from 0 to 1"),
        ("start=50", "start=50 is not possible; it must be a whole number, 100 or more"),
        ("most=10", "most=10 is not possible"),
        ("tasks=0", "tasks=0 is not possible"),
    ],
)
def test_an_impossible_setting_is_one_sentence(override: str, says: str) -> None:
    with pytest.raises(Mistake, match=says):
        configured("model=ffcnn", "method=snr", f"model.rules.snr.{override}")


def test_it_wants_a_fixed_network() -> None:
    with pytest.raises(Mistake, match="keeps a patience for each unit of a fixed network; use model=ffcnn"):
        configured("model=agn", "method=snr")
