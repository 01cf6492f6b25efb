"""Settings have the names that one types, and what differs between runs is found whatever it is."""

import json

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import DictConfig, OmegaConf
from support import synthetic
from support.small import MODELS, ROOT, configured

from plasticity.ground.errors import Mistake
from plasticity.runs.identity import identity
from plasticity.runs.keys import TYPED, apart, columns, matching, said, typed

TOY = ("dataset=toy", "N=1000", "K=300")


def what(*overrides: str) -> dict[str, object]:
    return identity(configured(*TOY, *overrides))


def told(*choices: str) -> list[str]:
    return [said(each) for each in apart([what(*choice.split()) for choice in choices])]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "values"),
    {
        "step_size": ("0.1", "0.01", "1e-05"),
        "bias": ("true", "false"),
        "order": ("shuffled", "fixed"),
        "probe": ("0.05", "0.5"),
        "K": ("300", "400"),
        "N": ("1000", "2000"),
        "model": ("aen", "ffcnn", "sgn", "aen_random"),
        "dataset": ("toy", "mnist"),
        "update": ("sgd", "l2"),
        "engine": ("fused", "torch"),
        "seed": ("0", "1"),
        "init.outgoing": ("zero", "uniform:1"),
        "init.incoming": ("torch", "kaiming"),
        "dataset.inputs": ("49", "100"),
    }.items(),
)
def test_a_swept_key_is_what_differs_with_the_values_that_were_typed(key: str, values: tuple[str, ...]) -> None:
    assert told(*(f"{key}={value}" for value in values)) == [f"{key}={value}" for value in values]


@pytest.mark.parametrize(
    ("key", "values"),
    {
        "init.layers": ("torch", "kaiming"),
        "init.outputs": ("torch", "linear"),
        "model.layers": ("1", "2"),
        "model.width": ("10", "20"),
        "method": ("none", "cbp", "redo", "layer_norm"),
    }.items(),
)
def test_so_are_the_keys_of_a_fixed_network(key: str, values: tuple[str, ...]) -> None:
    assert told(*(f"model=ffcnn {key}={value}" for value in values)) == [f"{key}={value}" for value in values]


def test_a_setting_of_a_rule_is_named_by_all_its_keys() -> None:
    cbp = "model=ffcnn method=cbp model.rules.cbp.rate="
    assert told(f"{cbp}0.1", f"{cbp}0.2") == ["model.rules.cbp.rate=0.1", "model.rules.cbp.rate=0.2"]


def test_keys_that_are_swept_together_are_all_shown() -> None:
    assert told("step_size=0.1 K=300", "step_size=0.2 K=400") == ["K=300 step_size=0.1", "K=400 step_size=0.2"]


def test_what_only_some_models_have_is_shown_where_it_differs() -> None:
    found = told("model=ffcnn", "model=aen step_size=0.1", "model=aen step_size=0.2")
    assert found == ["model=ffcnn step_size=0.001", "model=aen step_size=0.1", "model=aen step_size=0.2"]


def test_a_key_at_its_neutral_value_is_told_apart_from_another() -> None:
    relu, crelu = told("model=ffcnn", "model=ffcnn seed=1 +model.network.activation=crelu")
    assert (relu, crelu) == ("seed=0", "model.network.activation=crelu seed=1")


def test_networks_that_only_their_structure_tells_apart_are() -> None:
    assert told("model=agn", "model=agn model.network.lateral=false") == [
        "model.network.lateral=true",
        "model.network.lateral=false",
    ]


def test_runs_that_are_alike_differ_in_nothing() -> None:
    assert told("", "") == ["", ""]
    assert apart([]) == []
    assert columns(apart([what(), what("seed=1")])) == ["seed"]


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_the_short_keys_are_those_that_conf_has_the_parts_take(model: str) -> None:
    with initialize_config_dir(str(ROOT / "conf"), version_base="1.3"):
        composed = compose("config", [f"model={model}", "engine=torch"])
    parts = {"model": {"network": composed.model.network, "rules": composed.model.rules}}
    parts |= {name: composed[name] for name in ("stream", "update", "engine")}
    assert dict(_interpolated(OmegaConf.create(parts))).items() <= TYPED.items()


def _interpolated(node: DictConfig, path: str = "") -> list[tuple[str, str]]:
    found = []
    for key in node:
        if OmegaConf.is_interpolation(node, str(key)):
            found.append((f"{path}{key}", str(OmegaConf.to_container(node)[key]).strip("${}")))  # type: ignore[call-overload]
        elif isinstance(node[key], DictConfig):
            found += _interpolated(node[key], f"{path}{key}.")
    return found


def test_every_setting_of_the_committed_curves_has_a_key() -> None:
    curves = json.loads((ROOT / "outputs" / "paper" / "records" / "curves.json").read_text())
    found = {key for curve in curves for key in typed(curve["what"])}
    assert {"dataset", "N", "model", "K", "step_size", "init.outgoing", "init.layers", "bias", "order"} <= found
    told_apart = [tuple(each.items()) for each in apart([curve["what"] for curve in curves])]
    assert len(set(told_apart)) == len(curves)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (["step_size=1e-3"], [True, False]),
        (["step_size=0.001,0.01"], [True, True]),
        (["step_size=*"], [True, True]),
        (["K=range(6499,6501)", "step_size=0.010"], [False, True]),
        (["init.outputs=null"], [True, True]),
    ],
)
def test_runs_are_chosen_by_values_lists_ranges_and_patterns(wanted: list[str], found: list[bool]) -> None:
    both = [{**synthetic.what("aen one"), "update": {"kind": "SGD", "step_size": step}} for step in (0.001, 0.01)]
    both[0]["model"]["network"]["output_weights"] = None
    assert matching(both, wanted) == found


def test_a_key_that_no_run_has_is_one_sentence_with_a_hint() -> None:
    with pytest.raises(Mistake, match=r"^setp_size is no key of these runs; did you mean step_size\?$"):
        matching([synthetic.what("aen one")], ["setp_size=1"])
