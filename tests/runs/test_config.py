"""Configurations: what composes, what is refused, and in which words."""

import sys
from pathlib import Path

import pytest
from support.small import MODELS, ROOT, configured

from plasticity.ground.errors import Mistake
from plasticity.networks import Cascade, Layered
from plasticity.networks.initial import CHOICES
from plasticity.runs import build
from plasticity.runs.resolve import warnings

GROUPS = (
    "model",
    "dataset",
    "stream",
    "samples",
    "growth",
    "seeds",
    "update",
    "timing",
    "method",
    "engine",
    "measures",
    "tracker",
)
# The fused engine refuses adam, a method may refuse a model, and a data set may not have the default N, in a sentence.
ALSO = {"adam": ["engine=torch"], "crelu": ["model=ffcnn"], "layer_norm": ["model=ffcnn"]}
ALSO |= {dataset: ["N=all"] for dataset in ("emnist_balanced", "emnist_letters", "usps")}
YAMLS = [(group, path.stem) for group in GROUPS for path in sorted((ROOT / "conf" / group).glob("*.yaml"))]


@pytest.mark.slow
@pytest.mark.parametrize(("group", "choice"), YAMLS)
def test_every_yaml_composes(group: str, choice: str) -> None:
    configured(f"{group}={choice}", *ALSO.get(choice, ()))


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_every_model_builds(model: str) -> None:
    assert build.learner(configured(f"model={model}", "dataset=toy", "N=10")).network.connections > 0


def test_f_fcnn_takes_any_number_of_layers_and_width() -> None:
    network = build.learner(
        configured("model=ffcnn", "model.layers=2", "model.width=30", "dataset=toy", "N=10")
    ).network
    assert isinstance(network, Layered)
    assert [weight.shape for weight in network.weight] == [(784, 30), (30, 30), (30, 10)]


def test_samples_sets_N_and_N_wins_over_samples() -> None:
    assert configured("samples=40k").N == 40_000
    assert configured("samples=40k", "N=500").N == 500


@pytest.mark.parametrize(("seeds", "count"), [("five", 5), ("ten", 10), ("thirty", 30)])
def test_seeds_set_the_sweep(seeds: str, count: int) -> None:
    assert f"seed: range(0,{count})" in (ROOT / "conf" / "seeds" / f"{seeds}.yaml").read_text()
    assert configured(f"seeds={seeds}", "seed=7").seed == 7


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("N=10005", "N=10005 is not a positive multiple of the 10 classes"),
        ("N=54220", "N=54220 is more than MNIST has: at most 54210"),
        ("N=abc", "N=abc is not possible; it must be a whole number, or all for every image"),
        ("N=1.5", "N=1.5 is not possible; it must be a whole number, or all for every image"),
        ("N=true", "N=True is not possible; it must be a whole number, or all for every image"),
        ("N=null", "N=None is not possible; it must be a whole number, or all for every image"),
        ("N=0", "N=0 is not a positive multiple of the 10 classes"),
        ("update=adam", "engine=fused cannot do the update Adam exactly; use engine=torch"),
        ("K=0", "K=0 is not possible"),
        ("K=-3", "K=-3 is not possible"),
        ("tasks=0", "tasks=0 is not possible"),
        ("seed=-1", "seed=-1 is not possible"),
        ("step_size=-0.1", "step_size=-0.1 is not possible"),
        ("step_size=nan", "step_size=nan is not possible"),
        ("probe=0", "probe=0.0 is not a share"),
        ("probe=1.5", "probe=1.5 is not a share"),
        ("order=sorted", "order=sorted is not known; choose shuffled or fixed"),
        ("device=tpu", "device=tpu is not known; choose cpu or cuda or auto"),
        ("init.outgoing=xavier", "init.outgoing=xavier is not known; choose kaiming"),
        ("init.incoming=zero", "init.incoming=zero is not known"),
        ("init.first=uniform:-1", "init.first=uniform:-1 is not known"),
        ("checkpoint_seconds=-1", "checkpoint_seconds=-1.0 is not possible"),
    ],
)
def test_an_impossible_value_is_refused_in_a_sentence_that_names_it(override: str, sentence: str) -> None:
    with pytest.raises(Mistake) as caught:
        configured(override)
    assert sentence in str(caught.value)


@pytest.mark.parametrize("override", ["model.layers=0", "model.width=-1", "model.width=2.5"])
def test_an_impossible_shape_of_f_fcnn_is_refused(override: str) -> None:
    with pytest.raises(Mistake, match="must be a positive integer"):
        configured("model=ffcnn", override)


def test_K_of_N_or_more_is_allowed_with_a_warning() -> None:
    (warning,) = warnings(configured("K=10000"))
    assert warning == "K=10000 is not below N=10000: the network will not grow"
    assert warnings(configured("K=9999")) == []


def test_K_means_nothing_to_a_model_that_does_not_grow() -> None:
    assert warnings(configured("model=ffcnn", "K=10000")) == []


@pytest.mark.slow
@pytest.mark.parametrize("role", CHOICES)
def test_every_way_to_start_can_be_asked_for(role: str) -> None:
    for choice in CHOICES[role]:
        model = "ffcnn" if role == "layers" else "aen"
        learner = build.learner(
            configured(f"model={model}", f"init.{role}={choice.replace('A', '0.5')}", "dataset=toy", "N=10")
        )
        if isinstance(learner.network, Cascade):
            learner.network.grow(__import__("numpy").random.default_rng(0))


@pytest.mark.parametrize(("dataset", "size"), [("mnist", 60_000), ("fmnist", 60_000), ("toy", 60_000)])
def test_all_is_every_image_of_the_data_set(dataset: str, size: int) -> None:
    config = configured(f"dataset={dataset}", "N=all")
    assert config.N == size
    assert config.K == round(0.65 * size)  # one new unit per task, by what all means here
    assert config.model["rules"]["grow"]["K"] == config.K


def test_all_is_the_run_of_the_number_that_it_means() -> None:
    assert configured("dataset=toy", "N=all") == configured("dataset=toy", "N=60000")


def test_a_rule_that_is_null_is_none() -> None:
    learner = build.learner(configured("model=aen", "dataset=toy", "N=10", "model.rules.prune=null"))
    assert list(learner.rules) == ["grow"]


def test_rules_are_asked_in_the_order_of_the_model() -> None:
    assert list(build.learner(configured("model=aen", "dataset=toy", "N=10")).rules) == ["prune", "grow"]


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("model.rules.prune=3", "model.rules.prune=3 is not possible; it needs a _target_"),
        (
            "+model.rules.more={K: 3}",
            "model=aen has no rule more, so K=3 cannot be set; use a model that has one, or name the rule's class",
        ),
        ("model.rules=null", "model.rules=None is not possible; it is a mapping of rules"),
        ("model.network=null", "model.network=None is not possible; it needs a _target_"),
        ("model.rules.grow.K=0", "K=0 is not possible; K must be a positive integer"),
        ("model.rules.grow.K=true", "K=True is not possible; K must be a positive integer"),
        ("model.rules.prune._target_=builtins.dict", "model.rules.prune: builtins.dict is no rule: it lacks due and"),
        ("engine._target_=builtins.dict", "engine: builtins.dict is no engine: it lacks refuses and learn; it needs"),
        ("update={name: u,_target_: builtins.dict}", "update: builtins.dict is no update: it lacks memory and linear"),
        ("stream._target_=builtins.dict", "stream: builtins.dict is no stream: it lacks samples; it needs samples, as"),
        ("dataset={name: d,_target_: builtins.dict}", "dataset: builtins.dict is no dataset: it lacks size and check"),
        ("init.outputs=wide", "init.outputs=wide is not known; choose kaiming, linear, torch, uniform:A"),
        ("+measures.mine={_target_: plasticity.metrics.nothing}", "plasticity.metrics.nothing cannot be imported"),
        ("+measures.mine=3", "measures.mine=3 is not possible; it needs a _target_"),
    ],
)
def test_a_part_that_is_none_is_refused_in_a_sentence_that_names_it(override: str, sentence: str) -> None:
    with pytest.raises(Mistake) as caught:
        configured("model=aen", override)
    assert sentence in str(caught.value)


def test_a_setting_of_a_rule_that_the_model_does_not_have_is_one_sentence() -> None:
    with pytest.raises(Mistake, match="model=agn has no rule prune, so every=500 cannot be set; use a model"):
        configured("model=agn", "timing=end", "N=500")


def test_a_rule_that_cannot_be_imported_is_one_sentence() -> None:
    with pytest.raises(Mistake, match=r"no_such_file.Rule cannot be imported.*PYTHONPATH"):
        configured("dataset=toy", "N=10", "model.rules.prune._target_=no_such_file.Rule")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("def f(:", r"faulty\.py, line 1: invalid syntax$"),
        ("import not_there_at_all", r"No module named 'not_there_at_all'$"),
        ("1 / 0", r"its file raises ZeroDivisionError: division by zero$"),
        ("pass", r"has no attribute 'Rule'$"),
    ],
)
def test_what_is_wrong_with_a_file_of_ones_own_is_said(
    content: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "faulty.py").write_text(content)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "faulty", raising=False)
    with pytest.raises(Mistake, match=rf"faulty.Rule cannot be imported: .*{sentence}"):
        configured("dataset=toy", "N=10", "model.rules.prune._target_=faulty.Rule")


def test_a_gpu_is_refused_for_an_engine_that_has_none() -> None:
    with pytest.raises(Mistake, match="device=cuda is not possible: engine=fused has no GPU; use engine=torch"):
        configured("device=cuda")
    assert configured("device=auto").device == "auto"


def test_a_home_folder_is_found_in_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    config = configured("outputs='~/x'", "data='~/y'")
    assert (config.outputs, config.data) == ("/home/me/x", "/home/me/y")


def test_an_outputs_folder_without_a_name_is_refused() -> None:
    with pytest.raises(Mistake, match="outputs= names no folder"):
        configured("outputs=")


def test_a_rule_with_a_wrong_setting_is_one_sentence() -> None:
    with pytest.raises(Mistake, match="Dead takes no depth=3; it takes every"):
        configured("dataset=toy", "N=10", "+model.rules.prune.depth=3")


def test_a_missing_setting_is_one_sentence() -> None:
    with pytest.raises(
        Mistake, match=r"^model.rules.cbp: ContinualBackprop needs rate, which its configuration does not have$"
    ):
        configured("model=ffcnn", "method=cbp", "~model.rules.cbp.rate")


def test_a_key_that_a_network_does_not_take_is_one_sentence_on_those_that_it_takes() -> None:
    with pytest.raises(Mistake, match="Layered takes no depth=3; it takes layers, width, bias, initial_weights"):
        configured("model=ffcnn", "+model.network.depth=3")


def test_the_paths_of_the_repository_are_not_in_the_configuration() -> None:
    assert str(Path.home()) not in (ROOT / "conf" / "config.yaml").read_text()
