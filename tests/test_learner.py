"""The loop: what a record says, and that it is repeatable."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from support.small import MODELS, configured

from plasticity.errors import Mistake
from plasticity.learner import Learner
from plasticity.networks import Cascade
from plasticity.rules.pruning import Dead
from plasticity.runs import build
from plasticity.runs.records import Record


def small(*overrides: str) -> Learner:
    return build.learner(configured("dataset=toy", "N=200", "K=80", *overrides))


def rows(learner: Learner, tasks: int = 4) -> list[Record]:
    return [replace(record, seconds=0) for record in learner.records(0, tasks)]


@pytest.mark.parametrize("engine", ["torch", "fused"])
@pytest.mark.parametrize("model", MODELS)
def test_the_same_seed_gives_the_same_records_to_the_last_bit(model: str, engine: str) -> None:
    settings = (f"model={model}", f"engine={engine}", *(["model.width=20"] if model == "ffcnn" else []))
    assert rows(small(*settings)) == rows(small(*settings))


def test_another_seed_gives_other_records() -> None:
    assert rows(small()) != rows(small("seed=1"))


def test_every_model_of_one_seed_meets_the_same_tasks() -> None:
    streams = [small(f"model={model}", "seed=4").stream for model in MODELS]
    first = streams[0].task(2)
    for stream in streams[1:]:
        task = stream.task(2)
        np.testing.assert_array_equal(task.samples.permutation, first.samples.permutation)
        np.testing.assert_array_equal(task.samples.rows, first.samples.rows)
        np.testing.assert_array_equal(task.probe.rows, first.probe.rows)


def test_agn_adds_two_units_a_task_with_K_80_of_200() -> None:
    assert [(row.units, row.added, row.pruned) for row in rows(small("model=agn"))] == [
        (0, 2, 0), (2, 2, 0), (4, 2, 0), (6, 2, 0),
    ]  # fmt: skip


def test_units_and_connections_are_those_at_the_start_of_the_task() -> None:
    for row in rows(small("model=agn")):
        assert row.connections == 7840 + row.units * 794 + row.units * (row.units - 1) // 2


def test_units_balance_pruned_and_added() -> None:
    found = rows(small("model=aen_random", "K=20"), 8)
    for before, after in pairwise(found):
        assert after.units == before.units + before.added - after.pruned
    assert sum(row.pruned for row in found) > 0


def test_accuracy_counts_predictions_made_before_each_step() -> None:
    settings = ("model=ffcnn", "model.width=5", "step_size=0.5")  # so large that a sample is right after its step
    slow = small(*settings)
    samples = slow.stream.task(0).samples
    right = []
    for place in range(len(samples)):
        sample = samples[place : place + 1]
        right.append(slow.network.output(sample).argmax() == sample.y)
        slow.engine.learn(slow.network, sample)
    assert rows(small(*settings), 1)[0].accuracy == np.mean(right) < 0.9


def test_a_pruning_rule_that_gives_a_mask_is_told_what_to_give() -> None:
    learner = replace(small("model=agn"), prune=lambda network, probe, rng: np.ones(network.units, bool))
    with pytest.raises(Mistake, match="must give the numbers of the units"):
        rows(learner)


def test_a_unit_that_a_rule_names_twice_is_pruned_once() -> None:
    learner = replace(small("model=agn"), prune=lambda network, probe, rng: np.zeros(2 * bool(network.units), int))
    assert [(row.units, row.pruned) for row in rows(learner)] == [(0, 0), (1, 1), (2, 1), (3, 1)]


def test_dormancy_is_measured_after_pruning_and_before() -> None:
    learner = small("model=aen", "K=40")
    assert isinstance(learner.network, Cascade)
    for unit in range(10):
        learner.network.grow(np.random.default_rng(unit))
    learner.network.bias[10:14] = -1e6
    row = next(learner.records(0, 1))
    assert row.pruned >= 4
    assert row.dormancy_before_pruning >= 0.4 > row.dormancy


def test_pruning_looks_at_the_probe_not_at_the_gauge() -> None:
    learner = small("model=aen", "probe=0.005")
    assert isinstance(learner.network, Cascade)
    for unit in range(30):
        learner.network.grow(np.random.default_rng(unit))
    task = learner.stream.task(0)
    dead = Dead()(learner.network, task.probe, np.random.default_rng(0))
    row = next(learner.records(0, 1))
    assert row.pruned == len(dead) > 0


def test_measuring_does_not_disturb_learning() -> None:
    small_probe, large_probe = rows(small("model=agn")), rows(small("model=agn", "probe=0.5"))
    assert [row.accuracy for row in small_probe] == [row.accuracy for row in large_probe]


def test_toy_data_are_learnt_within_a_few_tasks() -> None:
    learner = build.learner(configured("dataset=toy", "N=1000", "model=agn"))
    assert rows(learner, 3)[-1].accuracy > 0.8
