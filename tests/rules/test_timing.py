"""When units are added and dropped, other than as in the paper: calculated by hand, and alike in both engines."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.small import cascade, configured, moment, small_data

from plasticity.ground.errors import Mistake
from plasticity.lives import Lives
from plasticity.networks import Cascade
from plasticity.rules import At, Rule, Silent, Stall, Steady
from plasticity.runs import build, identity
from plasticity.runs.config import Config
from plasticity.runs.execution import execute
from plasticity.runs.keys import apart
from plasticity.runs.progress import Quiet
from plasticity.runs.resolve import warnings
from plasticity.runs.run import Run
from plasticity.streams import Samples

SAMPLES = Samples.of(small_data().images)  # 300


def moments(rule: Rule, N: int, network: Any = None) -> list[int]:
    """Before which samples the rule is asked, as the learner finds out."""
    network, found, sample = network or cascade(0), [], 0
    while (due := rule.due(network, sample, N)) is not None and sample <= N:
        found.append(due)
        sample = due + 1
    return found


def added(rule: Rule, sample: int, correct: Any = ()) -> int:
    network = cascade(0)
    return rule(network, moment(network, SAMPLES, sample=sample, correct=np.array(correct, bool))).add


def born(*overrides: str, tasks: int = 4) -> list[tuple[int, int]]:
    """The task and sample of each birth."""
    return [(task, event.sample) for task, event in events(*overrides, tasks=tasks) if event.born is not None]


def events(*overrides: str, tasks: int) -> list[Any]:
    learner = replace(build.learner(configured("dataset=toy", "N=200", *overrides)), lives=Lives())
    found = []
    for record in learner.records(0, tasks):
        assert learner.lives
        found += [(record["task"], event) for event in learner.lives.page.events]
    return found


def test_growth_at_shares_of_a_task_from_before_the_first_sample_to_after_the_last() -> None:
    assert moments(At([0.5, 0.1, 1, 0]), 300) == [0, 30, 150, 300]
    assert [added(At([0.1, 0.5, 0.5]), sample) for sample in (30, 150, 151)] == [1, 2, 0]


@pytest.mark.parametrize("engine", ["fused", pytest.param("torch", marks=pytest.mark.slow)])
def test_a_run_grows_at_the_shares(engine: str) -> None:
    settings = ("model=agn", "timing=at", "model.rules.grow_at.at=[0.1,0.5]", f"engine={engine}")
    assert born(*settings, tasks=2) == [(0, 20), (0, 100), (1, 20), (1, 100)]


@pytest.mark.parametrize("K", [70, 150, 200, 450])
def test_steady_growth_counts_on_from_task_to_task(K: int) -> None:
    whole = [divmod(count - 1, 200) for count in range(K, 801, K)]  # a unit after the last sample is of that task
    assert born("model=agn", "timing=steady", f"K={K}") == [(task, sample + 1) for task, sample in whole]


def test_K_of_more_than_a_task_grows_steadily_and_is_no_mistake() -> None:
    paper, steady = (configured("dataset=toy", "N=200", "K=300", f"timing={name}") for name in ("paper", "steady"))
    assert warnings(paper) == ["K=300 is not below N=200: the network will not grow"]
    assert warnings(steady) == []


def test_steady_growth_goes_on_where_a_checkpoint_left_it(tmp_path: Any) -> None:
    def run(tasks: int, name: str) -> Config:
        words = ("model=agn", "timing=steady", "K=70", f"tasks={tasks}", f"outputs={tmp_path}/{name}")
        return configured("dataset=toy", "N=200", "tracker=none", *words)

    execute(run(2, "parts"), Quiet())
    parts, whole = execute(run(5, "parts"), Quiet()), execute(run(5, "whole"), Quiet())
    assert [row["units"] for row in parts.rows] == [row["units"] for row in whole.rows] == [0, 2, 5, 8, 11]


@pytest.mark.parametrize(
    ("before", "latest", "gain", "add"),
    [(4, 5, 0.1, 0), (4, 4, 0.1, 1), (4, 4, 0.0, 0), (4, 3, 0.0, 1), (0, 9, 1.0, 1), (0, 10, 1.0, 0)],
)
def test_a_unit_comes_when_accuracy_has_not_risen_by_the_gain(before: int, latest: int, gain: float, add: int) -> None:
    correct = [True] * 7 + [False] * 3  # of no account: an earlier window
    for right in (before, latest):
        correct += [True] * right + [False] * (10 - right)
    assert added(Stall(10, gain), 30, correct) == add


def test_stalling_is_looked_for_from_the_second_window_on() -> None:
    assert moments(Stall(100, 0.1), 300) == [200, 300]


def test_a_unit_is_dropped_when_it_has_been_silent_for_so_many_samples() -> None:
    network, rule = cascade(3), Silent(50)
    network.remember((), rule.traces)
    network.traces["silent_for"][:] = [49, 50, 10]
    assert np.asarray(rule(network, moment(network, SAMPLES)).drop).tolist() == [1]
    network.traces["silent_for"][:] = [5, 20, 0]
    network.sample = 100
    assert rule.due(network, 101, 300) == 130
    assert rule.due(network, 101, 120) is None
    empty = cascade(0)
    empty.remember((), rule.traces)
    assert rule.due(empty, 0, 300) is None


@pytest.mark.parametrize("engine", ["fused", pytest.param("torch", marks=pytest.mark.slow)])
def test_a_dead_unit_goes_at_the_very_sample_across_tasks(engine: str) -> None:
    """Of a unit that never fires: after the 200 samples of a task, and 50 of the next."""
    settings = ("model=agn", "timing=silent", "model.rules.prune_silent.samples=250", f"engine={engine}", "K=500")
    learner = replace(build.learner(configured("dataset=toy", "N=200", *settings)), lives=Lives())
    assert learner.lives
    assert isinstance(learner.network, Cascade)
    learner.network.grow(np.random.default_rng(0))
    learner.network.bias[10] = -1e6
    assert [row["pruned"] for row in learner.records(0, 2)] == [0, 1]
    assert [(event.sample, event.why) for event in learner.lives.page.events] == [(50, "silent")]


def test_boundary_free_elastic_networks_need_no_boundaries() -> None:
    gradual = ("stream=gradual", "stream.every=10", "dataset=toy", "N=200", "K=80")
    configured(*gradual, "model=aen", "timing=boundary_free")
    with pytest.raises(Mistake, match="no boundaries between tasks"):
        configured(*gradual, "model=aen", "timing=at")


def test_timing_is_said_by_name_and_the_default_is_the_run_that_it_always_was() -> None:
    usual, other = (Run(configured("dataset=toy", "N=200", f"timing={name}")) for name in ("paper", "at"))
    assert "timing" not in usual.what
    assert apart([usual.what, other.what])[1]["timing"] == "at"
    assert usual.digest == identity.digest({**usual.what, "timing": "anything"})  # what it does is in the rules


@pytest.mark.slow
@pytest.mark.parametrize("timing", ["at", "steady", "stall", "silent", "boundary_free", "end"])
def test_both_engines_do_the_same_to_units(timing: str) -> None:
    window, silent = "model.rules.grow_stall.window=50", "model.rules.prune_silent.samples=60"
    more = {"stall": [window], "silent": [silent], "boundary_free": [silent]}.get(timing, [])
    settings = ("model=aen", f"timing={timing}", "K=30", "init.outgoing=kaiming", "step_size=0.01", *more)
    torch, fused = (events(*settings, f"engine={engine}", tasks=4) for engine in ("torch", "fused"))
    assert torch == fused
    assert any(event.born is not None for _, event in fused)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: At([]), "at=\\[\\] is not possible"),
        (lambda: At([1.5]), "at=1.5 is not possible"),
        (lambda: At("0.5"), "at=0.5 is not possible"),  # pyright: ignore[reportArgumentType]
        (lambda: Steady(0), "K=0 is not possible"),
        (lambda: Stall(0, 0.1), "window=0 is not possible"),
        (lambda: Stall(5, 2), "gain=2 is not possible"),
        (lambda: Silent(0), "samples=0 is not possible"),
    ],
)
def test_an_impossible_setting_is_refused(make: Any, message: str) -> None:
    with pytest.raises(Mistake, match=message):
        make()
