"""Continual backprop: which unit is replaced, and at which sample."""

import numpy as np
import pytest
from support import hand, refused
from support.small import cascade, configured, moment, small_data

from plasticity.engines import Engine
from plasticity.engines.fused import Fused
from plasticity.engines.reference import Reference
from plasticity.ground.errors import Mistake
from plasticity.ground.seeds import Purpose, generator
from plasticity.learner import Learner
from plasticity.networks import Network
from plasticity.rules import ContinualBackprop
from plasticity.rules.continual_backprop import NOTE, first_time
from plasticity.runs import build
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


ADAPTABLE = ContinualBackprop(rate=0.25, maturity=1, decay=0.5, utility="adaptable")
OTHER = Samples.of(np.array([[0.0, 0.0, 1.0, 1.0]]), np.array([0]))


@pytest.mark.parametrize("make", [hand.layered, hand.flat])
def test_the_adaptable_utility_of_three_units_by_hand(make) -> None:
    """With steps so small that weights stay. Mean |w| out: 0.2, 0.7, 0.05; in: 0.325, 0.375, 0.575.

    sample 1: h = (1, 0, 2), which is also the corrected running mean: nothing is added
    sample 2: h = (0.6, 0.1, 0.6); the mean is 1/4 of the first and 1/2 of the second, over 3/4: a third of the way back
        to the first. So |h − mean| = (0.4, 0.1, 1.4)/3, and times out/in: 0.082051, 0.062222, 0.040580; half of it.
    Contributions: 0.4·(1/4 + 0.6/2) = 0.22, 1.4·0.1/2 = 0.07, 0.1·(2/4 + 0.6/2) = 0.08, the least of unit 1.
    """
    network = make()
    network.remember((), {**ADAPTABLE.traces, **RULE.traces})
    Reference().learn(network, hand.SAMPLE, SGD(1e-30))
    np.testing.assert_array_equal(network.traces["adaptable_utility"], [0, 0, 0])
    Reference().learn(network, OTHER, SGD(1e-30))
    np.testing.assert_allclose(network.traces["adaptable_utility"], [0.041026, 0.031111, 0.020290], rtol=1e-4)
    network.sample, now = 3, moment(network, Samples.of(np.zeros((100, 4))), sample=3)
    network.traces["age"][:] = 3  # so 0.25 · 3 units · 2 samples when mature = 1.5 are owed
    assert np.asarray(ADAPTABLE(network, now).renew).tolist() == [2]
    assert np.asarray(RULE(network, now).renew).tolist() == [1]


def test_means_of_weights_count_the_connections_that_a_unit_of_a_cascade_has() -> None:
    """Unit 1 of 3 on 20 inputs and 10 outputs: it sees 20 + 1 sources and feeds 10 + 1 targets."""
    network = cascade(3)
    network.remember((), {"age": None, "activity": 0.5, "adaptable_utility": 0.5})
    network.traces["age"][:], network.traces["activity"][:] = 10**6, 7
    hidden = network.hidden(Samples.of(small_data().images[:1]))[0, 1]
    Reference().learn(network, Samples.of(small_data().images[:1]), SGD(1e-30))
    outgoing = (np.abs(network.weight[21, :10]).sum() + abs(network.weight[21, 12])) / 11
    incoming = np.abs(network.weight[:21, 11]).sum() / 21
    away = abs(hidden - (0.5 * 7 + 0.5 * hidden))
    assert network.traces["adaptable_utility"][1] == pytest.approx(0.5 * outgoing / incoming * away, rel=1e-9)


def test_the_compiled_engine_refuses_the_adaptable_utility_before_anything_runs() -> None:
    adaptable = ("method=cbp", "model.rules.cbp.utility=adaptable", "model=ffcnn")
    configured(*adaptable, "engine=torch")
    with pytest.raises(Mistake, match=r"^engine=fused keeps no adaptable_utility, .*; use engine=torch$"):
        configured(*adaptable)


@pytest.mark.parametrize("seed", range(20))
def test_the_time_until_so_many_samples_of_mature_units_is_that_of_counting(seed: int) -> None:
    rng = np.random.default_rng(seed)
    waits, count = rng.integers(0, 30, rng.integers(1, 9)), int(rng.integers(-3, 60))
    counted = next(t for t in range(200) if np.maximum(t - waits, 0).sum() >= count)
    assert first_time(waits, count) == counted


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


@pytest.mark.slow
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


@pytest.mark.slow
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


GOOD = {"_target_": "plasticity.rules.ContinualBackprop", "rate": 0, "maturity": 0, "decay": 0, "utility": "adaptable"}
REFUSED = [
    *refused.share("rate"),
    *refused.whole("maturity", 0),
    *refused.share("decay"),
    ("decay", 1, "decay=1 is not possible; a mean that never changes has no decay of 1"),
    *refused.known("utility", "contribution", "adaptable"),
]


@pytest.mark.parametrize("case", REFUSED)
def test_an_impossible_setting_is_one_sentence(case: refused.Refused) -> None:
    refused.refuses(GOOD, case)


def test_a_configuration_with_an_impossible_setting_is_refused() -> None:
    with pytest.raises(Mistake, match=r"rate=1\.5 is not possible"):
        configured("model=ffcnn", "method=cbp", "model.rules.cbp.rate=1.5")
