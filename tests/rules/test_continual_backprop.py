"""Continual backprop: which unit is replaced, and at which sample."""

import numpy as np
import pytest
from support import hand
from support.small import configured, moment

from plasticity.engines import Engine
from plasticity.engines.fused import Fused
from plasticity.engines.reference import Reference
from plasticity.errors import Mistake
from plasticity.learner import Learner
from plasticity.networks import Network
from plasticity.rules import ContinualBackprop
from plasticity.rules.continual_backprop import NOTE
from plasticity.runs import build
from plasticity.seeds import Purpose, generator
from plasticity.streams import Samples
from plasticity.updates import SGD

RULE = ContinualBackprop(rate=0.25, maturity=1, decay=0.5, utility="contribution")


def ask(network: Network) -> list[int]:
    """As the learner does: what is renewed now."""
    change = RULE(network, moment(network, Samples.of(np.zeros((100, 4))), sample=network.sample))
    network.notes.update(change.note)
    for unit in change.renew:
        network.renew(int(unit), np.random.default_rng(0))
    return np.asarray(change.renew).tolist()


@pytest.mark.parametrize("engine", [Reference(), Fused()])
@pytest.mark.parametrize("make", [hand.layered, hand.flat])
def test_three_units_by_hand(make, engine: Engine) -> None:
    """With steps so small that weights stay. Each sample a unit adds |h|·Σ|w|: 1·(0.3 + 0.1) = 0.4, 0 and 2·0.1 = 0.2.

    sample 1: ages 1, 1, 1; none above 1; owed 0
    sample 2: ages 2, 2, 2; all above 1; owed 3·0.25 = 0.75
    sample 3: ages 3, 3, 3; owed 1.5; utilities (1 − 0.5³)·(0.4, 0, 0.2) = (0.35, 0, 0.175), over 1 − 0.5³: 0.4, 0, 0.2.
        Unit 1 is replaced: age 0; owed 0.5
    sample 4: ages 4, 1, 4; two above 1; owed 0.5 + 2·0.25 = 1. Unit 2, with 0.2, is replaced; owed 0
    sample 5: ages 5, 2, 1; owed 0.5
    sample 6: ages 6, 3, 2; owed 1.25
    """
    network = make()
    network.remember((), RULE.traces)
    dues, renewed = [], []
    for sample in range(6):
        dues.append(RULE.due(network, sample, 100))
        engine.learn(network, hand.SAMPLE, SGD(1e-30))
        network.sample += 1
        if RULE.due(network, network.sample, 100) == network.sample:
            if network.sample == 3:
                np.testing.assert_allclose(network.traces["utility"], [0.35, 0, 0.175], rtol=1e-12)
            renewed.append((network.sample, ask(network)))
    assert dues == [3, 3, 3, 4, 6, 6]
    assert renewed[:2] == [(3, [1]), (4, [2])]
    assert renewed[2][0] == 6
    assert network.traces["age"][0] == 6
    np.testing.assert_allclose(network.outgoing[0], [0.3, 0.1])
    assert not network.outgoing[2].any()


def by_the_definition(learner: Learner, rule: ContinualBackprop, tasks: int) -> list[tuple[int, int, int]]:
    """Sample by sample, layer by layer, as its authors write it: (task, samples learned, unit) of each replacement."""
    network, replaced, engine = learner.network, [], Reference()
    acc = np.zeros(len(network.layers))
    for task in range(tasks):
        samples = learner.stream.samples(task)
        for sample in range(len(samples)):
            engine.learn(network, samples[sample : sample + 1], learner.update)
            age, utility = network.traces["age"], network.traces["utility"]
            for layer, units in enumerate(network.layers):
                mature = [unit for unit in range(units.start, units.stop) if age[unit] > rule.maturity]
                acc[layer] += rule.rate * len(mature)
                while acc[layer] >= 1 - 1e-9 and mature:
                    worst = min(mature, key=lambda unit: utility[unit] / (1 - rule.decay ** age[unit]))
                    replaced.append((task, sample + 1, worst))
                    mature.remove(worst)
                    acc[layer] -= 1
            for _, _, unit in [each for each in replaced if each[:2] == (task, sample + 1)]:
                network.renew(unit, generator(0, Purpose.NEW_UNIT, network.born))
    return replaced


SETTINGS = ("method=cbp", "model.rules.cbp.rate=0.002", "model.rules.cbp.maturity=20", "dataset=toy", "N=200")


@pytest.mark.parametrize("engine", ["torch", "fused"])
def test_replacements_come_at_the_samples_that_the_definition_says(engine: str) -> None:
    how = (*SETTINGS, "model=ffcnn", "model.width=9", "step_size=0.01")
    learner, other = (build.learner(configured(*how, f"engine={name}")) for name in (engine, "torch"))
    rows = list(learner.records(0, 3))
    rule = other.rules["cbp"]
    assert isinstance(rule, ContinualBackprop)
    replaced = by_the_definition(other, rule, 3)
    assert [row["renewed"] for row in rows] == [sum(task == n for task, _, _ in replaced) for n in range(3)]
    assert len(replaced) > 20
    for one, two in zip(learner.network.weights, other.network.weights, strict=True):
        assert np.linalg.norm(one - two) <= 1e-5 * np.linalg.norm(two)
    np.testing.assert_array_equal(learner.network.traces["age"], other.network.traces["age"])


@pytest.mark.parametrize("model", ["agn", "agn_two_layer", "aen"])
def test_engines_agree_on_networks_that_grow(model: str) -> None:
    how = (*SETTINGS, f"model={model}", "K=15")
    learners = [build.learner(configured(*how, f"engine={engine}")) for engine in ("torch", "fused")]
    rows = [[row["renewed"] for row in learner.records(0, 3)] for learner in learners]
    assert rows[0] == rows[1]
    assert sum(rows[0]) > 3
    for one, other in zip(learners[0].network.weights, learners[1].network.weights, strict=True):
        assert np.linalg.norm(one - other) <= 1e-5 * np.linalg.norm(other)


def test_a_restored_network_owes_what_it_owed() -> None:
    how = configured(*SETTINGS, "model=agn", "K=30")
    whole, first, second = (build.learner(how) for _ in range(3))
    rows = list(whole.records(0, 4))
    list(first.records(0, 2))
    second.network.restore(first.network.snapshot())
    assert [row["renewed"] for row in second.records(2, 4)] == [row["renewed"] for row in rows[2:]]
    np.testing.assert_array_equal(whole.network.notes[NOTE], second.network.notes[NOTE])
    np.testing.assert_array_equal(whole.network.weights[0], second.network.weights[0])


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("rate=1.5", "rate=1.5 is not possible; it must be a number, from 0 to 1"),
        ("rate=-0.1", "rate=-0.1 is not possible"),
        ("maturity=-1", "maturity=-1 is not possible; it must be a whole number, 0 or more"),
        ("decay=1", "decay=1 is not possible"),
        ("utility=charm", "utility=charm is not known; choose contribution"),
    ],
)
def test_an_impossible_setting_is_one_sentence(override: str, says: str) -> None:
    with pytest.raises(Mistake, match=says):
        configured("model=ffcnn", "method=cbp", f"model.rules.cbp.{override}")
