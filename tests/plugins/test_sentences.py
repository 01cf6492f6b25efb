"""A preset of one's own that has a mistake is named with its file, and with what would be right."""

from pathlib import Path

import pytest
from hydra.errors import HydraException
from hydra.types import RunMode
from support.small import ROOT
from yaml import YAMLError

from hydra_plugins.plasticity.compose import loader
from hydra_plugins.plasticity.sentences import sentence

GLOBAL = "# @package _global_\n"
WRONG = {
    "hydra: {sweeper: {title: Mine}}": (
        "experiment/mine.yaml: its first line must be # @package _global_, and keys must follow"
    ),
    "": "experiment/mine.yaml: its first line must be # @package _global_, and keys must follow",
    GLOBAL + "hydra: {sweeper: {titel: Mine}}": (
        "experiment/mine.yaml: hydra.sweeper.titel is not a known key; did you mean hydra.sweeper.title?"
    ),
    GLOBAL + "hydra: {sweeper: {curves: }}": (
        "experiment/mine.yaml: hydra.sweeper.curves=null is not possible; it needs a value"
    ),
    GLOBAL + "hydra: {sweeper: {curves: model=aen}}": (
        "experiment/mine.yaml: hydra.sweeper.curves must be a list, as [a, b]"
    ),
    GLOBAL + "tasks: many": "experiment/mine.yaml: tasks=many is not possible; it must be a whole number",
    GLOBAL + "hydra: [": "mine.yaml, line 2: this is not YAML (expected the node content, but found '<stream end>')",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_preset_is_one_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "experiment").mkdir()
    (tmp_path / "experiment" / "mine.yaml").write_text(text)
    with pytest.raises((HydraException, YAMLError)) as caught:
        loader(ROOT / "conf", [tmp_path]).load_configuration("config", ["experiment=mine"], run_mode=RunMode.MULTIRUN)
    assert WRONG[text] in sentence(caught.value)
