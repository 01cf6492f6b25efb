"""What Hydra composed is kept for the next command, and found again only while all that it was made of is the same."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from omegaconf import DictConfig, OmegaConf
from platformdirs import user_cache_dir
from support.small import ROOT

from hydra_plugins.plasticity import composed
from hydra_plugins.plasticity.expansion import Expansion
from hydra_plugins.plasticity.presets import presets

WORDS = "model=ffcnn", "method=cbp"


@pytest.fixture
def conf(tmp_path: Path) -> Path:
    return shutil.copytree(ROOT / "conf", tmp_path / "conf")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """By the environment: Hydra executes all modules of plugins anew when it first looks for them."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Path(user_cache_dir("plasticity")) / "composed"


@pytest.fixture
def command(conf: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[DictConfig, int]]:
    """As a command of its own would: what it gets for the words, and how often it asked Hydra."""

    def go(*words: str, more: tuple[Path, ...] = (), always: tuple[str, ...] = ()) -> tuple[DictConfig, int]:
        loader, calls = presets(conf, [], more).expansion.loader, []
        compose = loader.load_configuration
        monkeypatch.setattr(loader, "load_configuration", lambda *a, **k: calls.append(a) or compose(*a, **k))
        return Expansion(loader, "config", always)._groups(*words), len(calls)

    return go


def test_the_next_command_gets_the_same_without_hydra(command: Callable) -> None:
    first, asked = command(*WORDS)
    again, asked_again = command(*WORDS)
    assert (asked, asked_again) == (1, 0)
    assert OmegaConf.to_yaml(again) == OmegaConf.to_yaml(first)
    assert OmegaConf.get_type(again) is OmegaConf.get_type(first)
    assert [OmegaConf.is_struct(each) for each in (again, again.model)] == [
        OmegaConf.is_struct(each) for each in (first, first.model)
    ]


def test_other_words_or_another_order_are_composed(command: Callable) -> None:
    command(*WORDS)
    assert command("model=ffcnn")[1] == 1
    assert command(*reversed(WORDS))[1] == 1


def test_a_file_that_changed_or_came_is_read(command: Callable, conf: Path) -> None:
    command(*WORDS)
    path = conf / "method" / "cbp.yaml"
    path.write_text(path.read_text().replace("maturity: 100", "maturity: 117"))
    found, asked = command(*WORDS)
    assert (found.model.rules.cbp.maturity, asked) == (117, 1)
    (conf / "method" / "another.yaml").write_text("{}")
    assert command(*WORDS)[1] == 1


def test_a_folder_of_ones_own_is_looked_at_too(command: Callable, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    (mine / "dataset").mkdir(parents=True)
    command(*WORDS)
    assert command(*WORDS, more=(mine,))[1] == 1
    assert command(*WORDS, more=(mine,))[1] == 0
    (mine / "dataset" / "own.yaml").write_text("name: own\n")
    assert command(*WORDS, more=(mine,))[1] == 1


def test_further_folders_that_hydra_is_told_of_are_read_each_time(command: Callable, tmp_path: Path) -> None:
    words = f"hydra.searchpath=[file://{tmp_path}]", "seeds=own"
    (tmp_path / "seeds").mkdir()
    for seed in (77, 78):
        (tmp_path / "seeds" / "own.yaml").write_text(f"# @package _global_\nseed: {seed}\n")
        found, asked = command("seeds=own", always=words[:1])
        assert (found.seed, asked) == (seed, 1)
        found, asked = command(*words)
        assert (found.seed, asked) == (seed, 1)


def test_whatever_else_is_said_to_hydra_is_part_of_what_it_is_found_by(command: Callable) -> None:
    command(*WORDS)
    for said in ("hydra/launcher=serial", "hydra.verbose=true"):
        assert [command(*WORDS, always=(said,))[1] for _ in range(2)] == [1, 0]


def test_settings_that_name_further_folders_are_composed(command: Callable, conf: Path) -> None:
    (conf / "note.yaml").write_text("# hydra.searchpath\n")
    assert [command(*WORDS)[1] for _ in range(2)] == [1, 1]


@pytest.mark.parametrize("damage", [b"", b"no database", None])
def test_damage_is_composed_over(damage: bytes | None, command: Callable, cache: Path) -> None:
    first, _ = command(*WORDS)
    (file,) = cache.iterdir()
    if damage is None:
        with composed.sqlite3.connect(file) as there:
            there.execute("UPDATE composed SET value = ?", (b"not a pickle",))
        there.close()
    else:
        file.write_bytes(damage)
    found, asked = command(*WORDS)
    assert (found, asked) == (first, 1)


def test_what_somebody_else_may_have_written_is_not_read(command: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    command(*WORDS)
    monkeypatch.setattr(composed, "ours", lambda folder: False)
    assert command(*WORDS)[1] == 1
