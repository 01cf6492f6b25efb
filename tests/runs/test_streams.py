"""Runs on every kind of stream: what is refused, what identifies them, and that they resume exactly."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from support.small import ROOT, configured, small_data

from plasticity.ground.errors import Mistake
from plasticity.record import Record
from plasticity.runs import build, identity, keys
from plasticity.runs.config import Config
from plasticity.runs.execution import execute
from plasticity.runs.progress import Quiet
from plasticity.runs.resolve import warnings
from plasticity.runs.run import Run
from plasticity.streams import Mixed

Make = Callable[..., Config]
WITHIN = ("stream=gradual", "stream.change=0.5", "stream.every=9")
STREAMS = {
    **{path.stem: (f"stream={path.stem}",) for path in sorted((ROOT / "conf" / "stream").glob("*.yaml"))},
    "gradual within tasks": (*WITHIN, "model.rules.prune.every=50"),
}
streams = pytest.mark.parametrize("stream", STREAMS)


def toy(*overrides: str) -> Config:
    return configured("dataset=toy", "N=200", "K=80", *overrides)


def rows(*overrides: str) -> list[Record]:
    return [Record({**row, "seconds": 0}) for row in build.learner(toy(*overrides)).records(0, 4)]


COUNTED = ("accuracy", "units", "pruned", "added", "renewed")


@streams
@pytest.mark.parametrize("network", ["cascade", "layers"])
@pytest.mark.slow
def test_engines_learn_every_stream_alike(stream: str, network: str) -> None:
    """In double precision, with units that come and go, or are renewed."""
    layers = ("model=ffcnn", "model.width=9", "method=cbp", "model.rules.cbp.rate=0.01")
    words = [word for word in STREAMS[stream] if network == "cascade" or not word.startswith("model.rules.prune")]
    words += layers if network == "layers" else ()

    def learned(engine: str) -> list[Record]:
        config = toy(*words, f"engine={engine}", "step_size=0.02")
        config.model["network"]["dtype"] = np.float64
        return list(build.learner_on(config, small_data(200, 23)).records(0, 6))

    for one, other in zip(learned("torch"), learned("fused"), strict=True):
        assert [one[name] for name in COUNTED] == [other[name] for name in COUNTED]
        assert one["loss"] == pytest.approx(other["loss"], rel=1e-9)


@pytest.mark.slow
@streams
def test_a_run_that_is_extended_has_the_rows_of_one_that_was_not(stream: str, run_config: Make) -> None:
    def csv(run: Run) -> list[str]:
        return [line.rpartition(",")[0] for line in (run.folder / "tasks.csv").read_text().splitlines()]

    config = run_config(*STREAMS[stream], "tasks=3")
    execute(config, Quiet())
    extended = csv(execute(replace(config, tasks=6), Quiet()))
    assert extended == csv(execute(replace(config, tasks=6, force=True), Quiet()))
    assert len(extended) == 7


def test_gradual_with_a_change_of_1_gives_the_papers_records_to_the_bit() -> None:
    assert rows("stream=gradual", "stream.change=1") == rows("stream=permuted")


def test_streams_differ_in_identity_and_the_papers_has_no_new_key() -> None:
    assert len({Run(toy(*overrides)).digest for overrides in STREAMS.values()}) == len(STREAMS)
    assert identity.identity(toy())["stream"] == {"kind": "Permuted", "order": "shuffled"}


def test_a_change_of_1_is_one_of_1_point_0() -> None:
    one, other = (Run(toy("stream=gradual", f"stream.change={change}")).digest for change in ("1", "1.0"))
    assert one == other


def test_a_mixed_stream_is_made_of_the_groups_choices_and_told_apart_by_their_keys() -> None:
    plain, other = toy("stream=mixed"), toy("stream=mixed", "stream.turns.gradual.change=0.5")
    stream = build.learner(plain).stream
    assert isinstance(stream, Mixed)
    assert [*stream.turns] == ["permuted", "gradual", "relabelled", "random_labels", "rotating_classes"]
    assert keys.apart([Run(plain).what, Run(other).what])[1] == {"stream.turns.gradual.change": "0.5"}
    assert "_target_" not in str(Run(plain).what)


def test_a_stream_left_out_of_a_mixed_one_is_as_if_it_had_never_been_there() -> None:
    config = toy("stream=mixed", "stream.turns.gradual=null")
    without = toy("stream=mixed", "stream.turns.gradual=null")
    del without.stream["turns"]["gradual"]
    assert Run(config).digest == Run(without).digest


@pytest.mark.parametrize(
    ("rule", "overrides"),
    [
        ("prune", ("model=aen",)),
        ("prune", ("model=aen_random",)),
        ("scratch", ("model=ffcnn", "method=scratch")),
        ("head_reset", ("model=agn", "method=head_reset")),
        ("shrink_perturb", ("model=ffcnn", "method=shrink_perturb")),
    ],
)
def test_a_rule_that_needs_a_boundary_is_refused_without_one_or_acts_every_so_many_samples(
    rule: str, overrides: tuple[str, ...]
) -> None:
    says = (
        f"model.rules.{rule} acts when a task begins, and stream=gradual has no boundaries between tasks; set .*every"
    )
    with pytest.raises(Mistake, match=says):
        toy(*WITHIN, *overrides)
    toy(*WITHIN, *overrides, f"model.rules.{rule}.every=50")


def test_a_rule_of_ones_own_that_needs_a_boundary_is_refused_too() -> None:
    own = "+model.rules.own={_target_: support.lean.Smallest, most: 3}"
    with pytest.raises(Mistake, match=r"model.rules.own acts when a task begins, .*; use another rule or stream"):
        toy(*WITHIN, "model=agn", own)


def test_redo_that_looks_at_a_part_of_the_task_is_refused_where_tasks_have_no_boundaries() -> None:
    says = "model.rules.redo looks at a random part of the task, .*; set model.rules.redo.window to a number"
    with pytest.raises(Mistake, match=says):
        toy(*WITHIN, "model=ffcnn", "method=redo", "model.rules.redo.window=null")


@pytest.mark.parametrize(("model", "method"), [("agn", "none"), ("sgn", "none"), ("ffcnn", "cbp"), ("ffcnn", "redo")])
def test_what_needs_no_boundary_runs_without_one(model: str, method: str) -> None:
    toy(*WITHIN, f"model={model}", f"method={method}")


def test_a_rule_that_would_never_act_is_warned_of() -> None:
    said = warnings(toy("model.rules.prune.every=201"))
    assert said == ["model.rules.prune.every=201 is more than N=200: it will never act"]
    said = warnings(toy("timing=stall", "model.rules.grow_stall.window=101"))
    assert said == ["model.rules.grow_stall.window=101 is more than half of N=200: it will never act"]
    assert warnings(toy("timing=stall", "model.rules.grow_stall.window=100")) == []


@pytest.mark.parametrize("every", ["0", "2.5", "abc", "null"])
def test_an_impossible_every_of_a_rule_is_one_sentence_that_names_the_rule(every: str) -> None:
    says = r"model.rules.prune: every=.* is not possible; it must be a whole number, 1 or more, or task"
    with pytest.raises(Mistake, match=says):
        toy(*WITHIN, f"model.rules.prune.every={every}")


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        (("stream=gradual", "stream.change=0"), "stream.change=0 is not possible"),
        (("stream=gradual", "stream.every=201"), "from 1 to 200"),
        (("stream=rotating_classes", "stream.classes=11"), "stream.classes=11 is not possible; .* from 1 to 10"),
        (("stream=rotating_classes", "stream.classes=4", "dataset.classes=3", "N=300"), "from 1 to 3"),
        (("stream=mixed", "stream.turns.random_labels.passes=0"), "stream.turns.random_labels.passes=0"),
        (("stream=mixed", "stream.turns=null"), "stream.turns=None is not possible"),
        (("stream=mixed", "stream.turns.permuted=abc"), "stream.turns.permuted=abc is no stream"),
    ],
)
def test_impossible_streams_are_refused_before_data_are_loaded(overrides: tuple[str, ...], says: str) -> None:
    with pytest.raises(Mistake, match=says):
        toy(*overrides)
