"""What makes a run another run, and what does not."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from support.small import MODELS, ROOT, configured

import plasticity.rules
from plasticity.networks import Network
from plasticity.rules import AtTaskStart, Change, Moment
from plasticity.runs import identity
from plasticity.runs.config import Config
from plasticity.runs.run import Run

Make = Callable[..., Config]
# Written down, never computed. A change here makes every run that anybody has done another run: nobody's results would
# be found again. Add keys with a neutral default instead.
PINNED = {
    ("model=aen", "dataset=mnist"): "b72645f6",
    ("model=agn", "dataset=fmnist", "samples=40k", "growth=three", "seed=4"): "8b04c265",
    ("model=ffcnn", "dataset=mnist", "model.layers=2", "model.width=500"): "c5208445",
    ("model=sgn", "dataset=mnist", "engine=torch"): "f5127e5f",
}


def what(*overrides: str) -> dict[str, object]:
    return identity.identity(configured(*overrides))


@pytest.mark.parametrize("overrides", PINNED)
def test_the_digest_of_a_configuration_is_what_it_was(overrides: tuple[str, ...]) -> None:
    assert identity.digest(what(*overrides)) == PINNED[overrides]


def test_the_committed_curves_are_those_of_the_presets() -> None:
    """The curves of the repository's results are found under the keys of today's configuration."""
    kept = json.loads((ROOT / "outputs" / "paper" / "records" / "curves.json").read_text())
    keys = {identity.curve_key(curve) for curve in _whats(kept)}
    assert identity.curve_key(what("model=aen", "dataset=mnist")) in keys
    assert identity.curve_key(what("model=ffcnn", "dataset=fmnist", "samples=40k")) in keys


def _whats(kept: object) -> list[dict[str, object]]:
    """Wherever in the file they are: what has a model and a data set."""
    if isinstance(kept, dict):
        return [kept] if {"model", "dataset"} <= kept.keys() else [w for v in kept.values() for w in _whats(v)]
    return [found for value in kept for found in _whats(value)] if isinstance(kept, list) else []


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_no_import_path_is_in_it(model: str) -> None:
    said = json.dumps(what(f"model={model}"))
    assert "plasticity" not in said
    assert "_target_" not in said


@pytest.mark.parametrize(
    "moved",
    [
        "model.rules.prune._target_=plasticity.rules.dead.Dead",
        "model.rules.grow._target_=plasticity.rules.every.Every",
        "model.network._target_=plasticity.networks.cascade.Cascade",
        "dataset._target_=plasticity.data.toy.Toy",
        "stream._target_=plasticity.streams.permuted.Permuted",
        "update._target_=plasticity.updates.sgd.SGD",
    ],
)
def test_a_class_that_is_reached_by_another_path_is_the_same_run(run_config: Make, moved: str) -> None:
    assert Run(run_config(moved)).digest == Run(run_config()).digest


def test_a_key_at_the_default_of_its_class_stays_out(run_config: Make) -> None:
    plain = Run(run_config())
    assert "inputs" not in plain.what["dataset"]
    assert Run(run_config("dataset.inputs=783")).digest != plain.digest
    without = run_config()
    del without.dataset["inputs"]
    assert Run(without).digest == plain.digest


@dataclass(frozen=True)
class Dead(AtTaskStart):
    """The suite's rule, had it been given another parameter."""

    every: int | str = "task"
    patience: int = 1

    def __call__(self, network: Network, now: Moment) -> Change:
        return Change()


def test_a_parameter_that_is_added_with_a_default_changes_no_digest(
    run_config: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Run(run_config())
    monkeypatch.setattr(plasticity.rules, "Dead", Dead)
    for same in (run_config(), run_config("+model.rules.prune.patience=1")):
        assert Run(same).digest == before.digest
        assert identity.curve_key(Run(same).what) == identity.curve_key(before.what)
    other = Run(run_config("+model.rules.prune.patience=2"))
    assert other.digest != before.digest
    assert identity.curve_key(other.what) != identity.curve_key(before.what)


def edited(run_config: Make, folder: Path, override: str, name: str, *sources: str) -> list[Run]:
    """The run under each state of a file of one's own."""
    runs = []
    for source in sources:
        (folder / f"{name}.py").write_text(source)
        runs.append(Run(run_config(override)))
        _ = runs[-1].what  # which reads the file
    return runs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "base"),
    [
        ("model.rules.prune", "plasticity.rules.Dead"),
        ("model.network", "plasticity.networks.Cascade"),
        ("dataset", "plasticity.data.Toy"),
        ("stream", "plasticity.streams.Permuted"),
        ("update", "plasticity.updates.SGD"),
        ("engine", "plasticity.engines.fused.Fused"),
    ],
)
def test_an_edited_part_of_ones_own_is_another_run_and_another_curve(
    run_config: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, base: str
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    module, _, name = base.rpartition(".")
    source = f"from {module} import {name}\nclass Mine({name}):\n    x = "
    file = f"my_{part.replace('.', '_')}"
    first, second, again = edited(
        run_config, tmp_path, f"{part}._target_={file}.Mine", file, f"{source}1\n", f"{source}2\n", f"{source}1\n"
    )
    assert first.digest != second.digest
    assert identity.curve_key(first.what) != identity.curve_key(second.what)
    assert again.digest == first.digest
    assert identity.curve_key(again.what) == identity.curve_key(first.what)
    assert Run(run_config()).digest not in (first.digest, second.digest)


def test_the_suites_engines_share_a_curve_and_are_two_runs(run_config: Make) -> None:
    fused, torch = Run(run_config("engine=fused")), Run(run_config("engine=torch"))
    assert fused.digest != torch.digest
    assert identity.curve_key(fused.what) == identity.curve_key(torch.what)
    assert identity.curve(fused.what) == identity.curve(torch.what)


def test_an_engine_of_ones_own_has_its_own_curve(
    run_config: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "an_engine.py").write_text("from plasticity.engines.fused import Fused\nclass Mine(Fused): pass\n")
    own = Run(run_config("engine._target_=an_engine.Mine"))
    assert identity.curve_key(own.what) != identity.curve_key(Run(run_config()).what)
    assert identity.curve_key(own.what) == identity.curve_key(
        Run(run_config("engine._target_=an_engine.Mine", "seed=1")).what
    )


def test_seeds_share_a_curve_and_are_runs_of_their_own(run_config: Make) -> None:
    first, second = Run(run_config("seed=0")), Run(run_config("seed=1"))
    assert first.digest != second.digest
    assert identity.curve_key(first.what) == identity.curve_key(second.what)


def test_a_label_changes_no_digest_and_no_curve(run_config: Make) -> None:
    plain, labelled = Run(run_config()), Run(run_config("model.label=mine"))
    assert labelled.what["label"] == "mine"
    assert labelled.digest == plain.digest
    assert identity.curve_key(labelled.what) == identity.curve_key(plain.what)
    assert labelled.folder.parent.name == "mine"


@pytest.mark.parametrize("override", ["measures.x={_target_: plasticity.metrics.dormancy}", "tracker.x=1"])
def test_what_only_looks_is_not_in_it(run_config: Make, override: str) -> None:
    assert Run(run_config(f"+{override}")).digest == Run(run_config()).digest


def test_what_is_in_the_files_of_ones_own_data_is_in_it_and_where_they_lie_is_not(tmp_path: Path) -> None:
    images, labels = np.random.default_rng(0).random((20, 6)), np.arange(20) % 2
    for name, pixels in (("a", images), ("b", images), ("c", images + 1)):
        np.savez(tmp_path / f"{name}.npz", images=pixels, labels=labels)

    def digest(name: str) -> str:
        config = configured("dataset=toy", "N=10")
        config.dataset = {"name": "own", "_target_": "plasticity.data.Own", "path": str(tmp_path / f"{name}.npz")}
        return Run(config).digest

    assert digest("a") == digest("b") != digest("c")


def test_rules_in_another_order_are_another_run(run_config: Make) -> None:
    """Where two are due at once, the first is asked first."""
    turned = run_config()
    turned.model["rules"] = dict(reversed(turned.model["rules"].items()))
    assert Run(turned).digest != Run(run_config()).digest


def test_a_rule_that_is_null_is_as_none_at_all(run_config: Make) -> None:
    assert Run(run_config("+model.rules.more=null")).digest == Run(run_config()).digest
