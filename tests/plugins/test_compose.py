"""Composing with files that are read once gives what Hydra gives, which reads them each time."""

from pathlib import Path

import pytest
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.errors import ConfigCompositionException
from hydra.plugins.config_source import ConfigResult, ConfigSource
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from hydra_plugins.plasticity import compose
from hydra_plugins.plasticity.compose import Composer, loader, refers_to_seed, remembering
from plasticity.ground.errors import Mistake
from plasticity.runs.resolve import resolve

CONF = Path(__file__).parents[2] / "conf"


def composed(loads: ConfigLoaderImpl, *overrides: str) -> DictConfig:
    return loads.load_configuration("config", list(overrides), run_mode=RunMode.RUN)


@pytest.mark.slow
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


def composer(*overrides: str, more: tuple[Path, ...] = ()) -> Composer:
    ours = loader(CONF, more)
    return Composer(ours, ours.load_configuration("config", list(overrides), run_mode=RunMode.MULTIRUN))


WORDS = ("dataset=toy", "N=100", "K=60", "tracker=none")


@pytest.mark.slow
def test_runs_that_differ_in_their_seed_alone_are_what_each_is_by_itself() -> None:
    jobs = [[*WORDS, f"model={model}", f"seed={seed}"] for seed in (0, 1, 7) for model in ("aen", "ffcnn")]
    alone = [config for job in jobs for config in composer().configs([job])]
    assert list(composer().configs(jobs)) == alone
    assert [config.seed for config in alone] == [0, 0, 1, 1, 7, 7]


def test_runs_that_differ_in_their_seed_alone_are_resolved_once_and_share_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[object] = []
    monkeypatch.setattr(compose, "resolve", lambda composed: calls.append(composed) or resolve(composed))
    first, second = composer().configs([[*WORDS, f"seed={seed}"] for seed in (0, 1)])
    assert len(calls) == 1
    first.model["rules"].clear()
    assert second.model["rules"]


@pytest.mark.slow
@pytest.mark.parametrize("value", ["${seed}", "${oc.select:seed}", "r${seed}", "${probe}${seed}", "${${order}}"])
def test_what_is_filled_in_from_the_seed_is_each_runs_own(value: str) -> None:
    words = [*WORDS, f"data='{value}'"] + (["order=seed"] if "order" in value else [])
    found = [compose.OmegaConf.to_container(composer().config([*words, f"seed={seed}"])) for seed in (3, 4)]
    assert all(map(refers_to_seed, found))
    if "order" not in value:
        configs = list(composer().configs([[*words, f"seed={seed}"] for seed in (3, 4)]))
        assert [config.data is not None and config.data[-1] for config in configs] == ["3", "4"]


@pytest.mark.slow
@pytest.mark.parametrize("word", ["seed=-1", "seed=x", "seed=null", "seed=1.5"])
def test_an_impossible_seed_is_refused_after_a_possible_one(word: str) -> None:
    with pytest.raises((Mistake, ConfigCompositionException)):
        list(composer().configs([[*WORDS, "seed=0"], [*WORDS, word]]))


@pytest.mark.slow
def test_the_suites_own_configuration_does_not_refer_to_the_seed() -> None:
    for words in (["model=aen"], ["model=ffcnn", "method=cbp"], ["dataset=mnist", "tracker=wandb", "growth=two"]):
        assert not refers_to_seed(compose.OmegaConf.to_container(composer().config(words)))
