"""The loop: what a record says, and that it is repeatable."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from support import hand
from support.small import MODELS, configured, moment

from plasticity.engines import Engine
from plasticity.engines.fused import Fused
from plasticity.engines.reference import Reference
from plasticity.ground.errors import Mistake
from plasticity.ground.seeds import Purpose, generator
from plasticity.learner import Learner
from plasticity.metrics import Look, of_whole_task
from plasticity.networks import Cascade, Network
from plasticity.record import Record
from plasticity.rules import AtTaskStart, Change, Dead, Every, EveryK, Moment
from plasticity.runs import build
from plasticity.updates import SGD


def small(*overrides: str) -> Learner:
    return build.learner(configured("dataset=toy", "N=200", "K=80", *overrides))


def rows(learner: Learner, tasks: int = 4) -> list[Record]:
    return [Record({**record, "seconds": 0}) for record in learner.records(0, tasks)]


@dataclass(frozen=True)
class Now(AtTaskStart):
    """A rule that is asked when a task begins, from a function."""

    does: Callable[[Network, Moment], Change]

    def __call__(self, network: Network, now: Moment) -> Change:
        return self.does(network, now)


@pytest.mark.parametrize("engine", [pytest.param("torch", marks=pytest.mark.slow), "fused"])
@pytest.mark.parametrize("model", MODELS)
def test_the_same_seed_gives_the_same_records_to_the_last_bit(model: str, engine: str) -> None:
    settings = (f"model={model}", f"engine={engine}", *(["model.width=20"] if model == "ffcnn" else []))
    assert rows(small(*settings)) == rows(small(*settings))


def test_another_seed_gives_other_records() -> None:
    assert rows(small()) != rows(small("seed=1"))


@pytest.mark.slow
def test_every_model_of_one_seed_meets_the_same_tasks() -> None:
    streams = [small(f"model={model}", "seed=4").stream for model in MODELS]
    first = streams[0].samples(2)
    for stream in streams[1:]:
        np.testing.assert_array_equal(stream.samples(2).permutation, first.permutation)
        np.testing.assert_array_equal(stream.samples(2).rows, first.rows)


def test_agn_adds_two_units_a_task_with_K_80_of_200() -> None:
    assert [(row["units"], row["added"], row["pruned"]) for row in rows(small("model=agn"))] == [
        (0, 2, 0), (2, 2, 0), (4, 2, 0), (6, 2, 0),
    ]  # fmt: skip


def test_units_and_connections_are_those_at_the_start_of_the_task() -> None:
    for row in rows(small("model=agn")):
        assert row["connections"] == 7840 + row["units"] * 794 + row["units"] * (row["units"] - 1) // 2


def test_units_balance_pruned_and_added() -> None:
    found = rows(small("model=aen_random", "K=20"), 8)
    for before, after in pairwise(found):
        assert after["units"] == before["units"] + before["added"] - after["pruned"]
    assert sum(row["pruned"] for row in found) > 0


def test_accuracy_counts_predictions_made_before_each_step() -> None:
    settings = ("model=ffcnn", "model.width=5", "step_size=0.5")  # so large that a sample is right after its step
    slow = small(*settings)
    samples = slow.stream.samples(0)
    right = []
    for place in range(len(samples)):
        sample = samples[place : place + 1]
        right.append(slow.network.output(sample).argmax() == sample.y)
        slow.engine.learn(slow.network, sample, slow.update)
    row = rows(small(*settings), 1)[0]
    assert row["accuracy"] == np.mean(right) < 0.9
    tenths = row["accuracy_first_tenth"], row["accuracy_last_tenth"]
    assert tenths == (np.mean(right[:20]), np.mean(right[-20:]))


@pytest.mark.parametrize("engine", [Reference(), Fused()])
def test_loss_is_the_mean_cross_entropy_before_each_step(engine: Engine) -> None:
    """By hand, on the network of support/hand.py: first both outputs are 0.3, so the loss is log 2 = 0.693147. After a
    step of 0.1 units give 1 + 0.1·0.1·3 = 1.03, nothing, and 2 − 0.1·0.05·3 = 1.985. Their weights to the outputs are
    (0.35, 0.05) and (0.1, 0), the biases (0.05, −0.05): outputs 0.609 and 0.0015, and the loss of label 1 is
    log(1 + e^0.6075) = 1.042337.
    """
    learner = Learner(hand.Once(hand.AGAIN), hand.layered(), engine, SGD(0.1), {}, seed=0, probe=1.0)
    row = next(learner.records(0, 1))
    assert row["loss"] == pytest.approx((0.693147 + 1.042337) / 2, abs=1e-6)


@pytest.mark.parametrize(
    ("gives", "says"),
    [
        (lambda network: Change(drop=np.ones(network.units, bool)), "must give their numbers"),
        (lambda network: Change(drop=np.full(network.units, 0.5)), "must give their numbers"),  # pyright: ignore
        (lambda network: Change(drop=[network.units]), "chose unit 0 of 0"),
        (lambda network: Change(renew=[-1]), "chose unit -1"),
        (lambda network: Change(add=-1), "wants -1 new units"),
        (lambda network: Change(add=1.5), "wants 1.5 new units"),  # pyright: ignore[reportArgumentType]
        (lambda network: Change(add=True), "wants True new units"),
        (lambda network: Change(scale="half"), "wants scale='half'; it must be a finite number"),  # pyright: ignore
        (lambda network: Change(scale=float("nan")), "wants scale=nan; it must be a finite number"),
        (lambda network: Change(noise=None), "wants noise=None; it must be a finite number"),  # pyright: ignore
        (lambda network: Change(note={"mine": 3}), "notes mine=3; it must be a numpy array"),  # pyright: ignore
        (lambda network: None, "gave None; it must give a Change"),
        (lambda network: np.arange(0), "it must give a Change"),
    ],
)
def test_a_rule_that_gives_something_impossible_is_told_what_to_give(gives, says: str) -> None:
    learner = small("model=agn")
    wrong = Now(lambda network, now: gives(network))
    with pytest.raises(Mistake, match=says):
        rows(replace(learner, rules={"prune": wrong, **learner.rules}))


def test_a_unit_that_a_rule_names_twice_is_pruned_once() -> None:
    learner = small("model=agn")
    twice = Now(lambda network, now: Change(drop=[0, 0] * bool(network.units)))
    found = rows(replace(learner, rules={"prune": twice, **learner.rules}))
    assert [(row["units"], row["pruned"]) for row in found] == [(0, 0), (1, 1), (2, 1), (3, 1)]


def test_dormancy_is_measured_after_pruning_and_before() -> None:
    learner = small("model=aen", "K=40")
    assert isinstance(learner.network, Cascade)
    for unit in range(10):
        learner.network.grow(np.random.default_rng(unit))
    learner.network.bias[10:14] = -1e6
    row = next(learner.records(0, 1))
    assert row["pruned"] >= 4
    assert row["dormancy_before_pruning"] >= 0.4 > row["dormancy"]


def test_pruning_looks_at_the_probe_not_at_the_gauge() -> None:
    learner = small("model=aen", "probe=0.005")
    assert isinstance(learner.network, Cascade)
    for unit in range(30):
        learner.network.grow(np.random.default_rng(unit))
    probe = learner.stream.samples(0).some(0.005, generator(0, Purpose.PROBE, 0))
    dead = Dead()(learner.network, moment(learner.network, probe)).drop
    row = next(learner.records(0, 1))
    assert row["pruned"] == len(dead) > 0


def test_what_is_measured_after_pruning_is_what_a_look_at_all_would_find_bit_for_bit() -> None:
    """Though units that are dropped fire on some samples of the gauge, and only there is looked again."""

    def differs(look: Look) -> float:
        looked_again.append(look.before.shape[1] > look.hidden.shape[1] and bool(look.before[:, 2].any()))
        return float((look.hidden != look.network.hidden(look.samples)).sum())

    third = Now(lambda network, now: Change(drop=[2] if network.units > 2 else []))
    looked_again: list[bool] = []
    learner = small("model=agn", "K=40")
    learner = replace(learner, rules={"prune": third, **learner.rules}, measures={"differs": differs})
    assert not any(record["differs"] for record in rows(learner))
    assert any(looked_again)


def test_a_unit_is_wrongly_pruned_if_it_fires_anywhere_in_the_task() -> None:
    """By hand: of 6 units the rule drops 1 and 4, then, of those left, number 2, which was 3. Units 4 and 5 never fire:
    of the four that do, two are dropped."""
    learner = small("model=agn", "measures=pruning", "K=1000")
    assert isinstance(learner.network, Cascade)
    for unit in range(6):
        learner.network.grow(np.random.default_rng(unit))
    learner.network.bias[10:14], learner.network.bias[14:] = 1e3, -1e6
    learner.network.weight[784:, 10:] = 0
    first, second = (Now(lambda network, now, units=units: Change(drop=units)) for units in ([1, 4], [2]))
    row = next(replace(learner, rules={"first": first, "second": second}).records(0, 1))
    assert (row["wrongly_pruned"], row["pruned"], row["units"]) == (0.5, 3, 3)


def test_where_units_are_dropped_later_in_a_task_nobody_says_that_none_was_living() -> None:
    found = rows(small("model=aen", "timing=often", "model.rules.prune.every=100", "K=20", "measures=pruning"))
    assert [bool(np.isnan(row["wrongly_pruned"])) for row in found] == [row["pruned"] > 0 for row in found]
    assert any(row["pruned"] for row in found)


def test_a_measure_of_the_whole_task_that_is_not_of_dropped_units_is_known_all_the_same() -> None:
    learner = small("model=aen", "timing=often", "model.rules.prune.every=100", "K=20")

    @of_whole_task
    def firing(look: Look) -> float:
        assert look.fires is not None
        return float(look.fires.sum())

    found = rows(replace(learner, measures={"firing": firing}))
    assert any(row["pruned"] for row in found)
    assert all(np.isfinite(row["firing"]) for row in found)


def test_a_probe_of_the_whole_task_prunes_nobody_wrongly_and_a_tiny_one_does() -> None:
    for share, wrong in ((1, False), (0.005, True)):
        learner = small("model=aen", f"probe={share}", "measures=pruning")
        for unit in range(30):
            learner.network.grow(np.random.default_rng(unit))
        assert (next(learner.records(0, 1))["wrongly_pruned"] > 0) == wrong


def test_measuring_does_not_disturb_learning() -> None:
    small_probe, large_probe = rows(small("model=agn")), rows(small("model=agn", "probe=0.5"))
    assert [row["accuracy"] for row in small_probe] == [row["accuracy"] for row in large_probe]
    plain, looked = rows(small("model=aen")), rows(small("model=aen", "measures=pruning"))
    assert plain == [Record({name: row[name] for name in row if name != "wrongly_pruned"}) for row in looked]


def test_toy_data_are_learned_within_a_few_tasks() -> None:
    learner = build.learner(configured("dataset=toy", "N=1000", "model=agn"))
    assert rows(learner, 3)[-1]["accuracy"] > 0.8


@dataclass(frozen=True)
class Asked:
    """Is asked before the samples it names, and remembers what it was shown."""

    at: tuple[int, ...]
    seen: list[tuple[int, int, int]]
    traces = MappingProxyType({})

    def due(self, network: Network, sample: int, N: int) -> int | None:
        return next((place for place in self.at if place >= sample), None)

    def __call__(self, network: Network, now: Moment) -> Change:
        self.seen.append((now.task, now.sample, len(now.correct)))
        return Change()


def test_a_rule_may_be_due_at_any_sample_the_first_and_the_last_included() -> None:
    rule = Asked((0, 1, 33, 199, 200), [])
    rows(replace(small("model=agn"), rules={"own": rule}), 2)
    assert rule.seen == [(task, at, at) for task in range(2) for at in rule.at]


@pytest.mark.parametrize("engine", ["torch", "fused"])
def test_asking_rules_in_between_changes_no_number_when_they_ask_at_whole_blocks(engine: str) -> None:
    learner, other = (small("model=agn", f"engine={engine}") for _ in range(2))
    asked = replace(other, rules={**other.rules, "own": Asked((32, 64, 96, 112), [])})
    for a, b in zip(rows(learner, 2), rows(asked, 2), strict=True):
        assert a == pytest.approx(b, rel=1e-5)


@pytest.mark.parametrize("when", [201, -1, 0.5, 3.0, True, "soon", [1], np.array([1, 2]), float("nan")])
def test_a_rule_that_is_due_at_no_sample_of_the_task_is_refused(when: Any) -> None:
    class Odd(Every):
        def due(self, network: Network, sample: int, N: int) -> int | None:
            return when

    with pytest.raises(Mistake, match=r"due gave .*; it must be a whole number from 0 to 200, or None"):
        rows(replace(small("model=agn"), rules={"grow": Odd(5)}))


def test_renewed_units_are_counted_and_get_births_of_their_own() -> None:
    learner = small("model=agn")
    renew = Now(lambda network, now: Change(renew=[0] if network.units else []))
    learner = replace(learner, rules={"renew": renew, **learner.rules})
    assert [row["renewed"] for row in rows(learner)] == [0, 1, 1, 1]
    assert learner.network.born == 8 + 3


def test_a_layered_network_can_be_renewed_in_the_middle_of_a_task() -> None:
    @dataclass(frozen=True)
    class Renew(EveryK):
        K: int

        def __call__(self, network: Network, now: Moment) -> Change:
            return Change(renew=[3, 25])

    learner = replace(small("model=ffcnn", "model.width=20"), rules={"renew": Renew(70)})
    assert [(row["units"], row["renewed"]) for row in rows(learner, 2)] == [(60, 4), (60, 4)]


def test_rules_that_are_due_at_once_are_asked_in_the_order_of_the_mapping() -> None:
    learner = small("model=agn")
    first = Now(lambda network, now: Change(add=1 if network.units == 0 else 0))
    second = Now(lambda network, now: Change(drop=range(network.units)))
    assert rows(replace(learner, rules={"a": first, "b": second}), 1)[0]["units"] == 0
    assert rows(replace(small("model=agn"), rules={"b": second, "a": first}), 1)[0]["units"] == 1


@pytest.mark.parametrize("engine", ["torch", "fused"])
def test_a_rule_reads_the_traces_that_it_names(engine: str) -> None:
    ages = []

    @dataclass(frozen=True)
    class Oldest(EveryK):
        K: int = 50

        @property
        def traces(self) -> dict[str, float | None]:
            return {"age": None, "silent_for": None, "utility": 0.99}

        def __call__(self, network: Network, now: Moment) -> Change:
            ages.append(network.traces["age"].tolist())
            assert (network.traces["silent_for"] <= network.traces["age"]).all()
            return Change()

    learner = small("model=agn", f"engine={engine}")
    rules = {**learner.rules, "own": Oldest()}
    learner.network.remember((), Oldest().traces)
    rows(replace(learner, rules=rules), 2)
    # Asked after 50, 100, 150 samples of each of two tasks of 200; units are born after 80 and 160 of each.
    assert ages == [[], [20], [70], [170, 90], [220, 140, 20], [270, 190, 70]]


def test_two_rules_that_want_one_trace_with_other_decays_are_refused() -> None:
    from plasticity.rules import traces_of

    @dataclass(frozen=True)
    class Reads(AtTaskStart):
        decay: float

        @property
        def traces(self) -> dict[str, float | None]:
            return {"activity": self.decay}

        def __call__(self, network: Network, now: Moment) -> Change:
            return Change()

    assert traces_of({"a": Reads(0.9), "b": Reads(0.9)}) == {"activity": 0.9}
    with pytest.raises(Mistake, match=r"rules.b wants the trace activity with decay 0.5, another with 0.9"):
        traces_of({"a": Reads(0.9), "b": Reads(0.5)})


def test_a_trace_that_is_not_known_is_refused() -> None:
    with pytest.raises(Mistake, match="reads the trace mood, which is not known"):
        small().network.remember((), {"mood": None})


def test_a_measure_of_ones_own_is_a_column_before_seconds() -> None:
    def inputs(look: Look) -> float:
        return float(look.samples.x.shape[1])

    learner = replace(small("model=agn"), measures={"inputs": inputs})
    row = next(learner.records(0, 1))
    assert list(row)[-2:] == ["inputs", "seconds"]
    assert row["inputs"] == 784


@pytest.mark.parametrize("value", [None, True, np.zeros(2), "much"])
def test_a_measure_that_gives_no_number_is_refused(value: object) -> None:
    learner = replace(small("model=agn"), measures={"odd": lambda look: value})
    with pytest.raises(Mistake, match=r"the measure odd gave .*; it must give a number"):
        next(learner.records(0, 1))
