"""Composing with files that are read once gives what Hydra gives, which reads them each time."""

from pathlib import Path

import pytest
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.errors import ConfigCompositionException
from hydra.plugins.config_source import ConfigResult, ConfigSource
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from hydra_plugins.plasticity.compose import loader, remembering

CONF = Path(__file__).parents[2] / "conf"


def composed(loads: ConfigLoaderImpl, *overrides: str) -> DictConfig:
    return loads.load_configuration("config", list(overrides), run_mode=RunMode.RUN)


def test_what_is_composed_from_remembered_files_is_what_hydra_composes() -> None:
    ours = loader(CONF)
    plain = ConfigLoaderImpl(ours.config_search_path)
    for words in (["model=aen"], ["model=ffcnn", "method=l2"], ["model=aen", "dataset=toy", "K=5"]):
        assert composed(ours, *words) == composed(plain, *words)


def test_changing_what_was_composed_changes_nothing_that_is_composed_later() -> None:
    ours = loader(CONF)
    first = composed(ours, "model=aen")
    OmegaConf.set_struct(first, False)
    OmegaConf.set_struct(first.model, False)
    first.model.name = "another"
    assert composed(ours, "model=aen").model.name == "aen"


def test_a_file_is_read_once_for_all_compositions(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, read = loader(CONF), []
    (files,) = {type(source) for source in ours.repository.get_sources() if source.scheme() == "file"}
    load = files.load_config

    def counted(self: ConfigSource, config_path: str) -> ConfigResult:
        read.append(config_path)
        return load(self, config_path)

    monkeypatch.setattr(files, "load_config", counted)
    composed(ours, "model=aen")
    composed(ours, "model=agn")
    assert "config" in read
    assert len(read) == len(set(read))


def test_what_was_remembered_does_not_hide_a_folder_that_one_composition_adds(tmp_path: Path) -> None:
    ours, group = loader(CONF), tmp_path / "seeds"
    group.mkdir()
    (group / "own.yaml").write_text("# @package _global_\nseed: 77\n")
    assert composed(ours).seed != 77
    assert composed(ours, f"hydra.searchpath=[file://{tmp_path}]", "seeds=own").seed == 77
    with pytest.raises(ConfigCompositionException):
        composed(ours, "seeds=own")


def test_remembering_twice_is_remembering_once() -> None:
    ours = loader(CONF)
    assert remembering(ours).repository is ours.repository
