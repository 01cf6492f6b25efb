"""A command line as people type it."""

from argparse import ArgumentParser
from pathlib import Path

import arguments
import command
import manual
import pytest
from support.small import ROOT

from plasticity.ground.errors import Mistake

CONF = ROOT / "conf"


@pytest.mark.parametrize(
    "words",
    ["-m model=aen seed=0,1", "model=aen -m seed=0,1", "model=aen seed=0,1 -m", "model=aen seed=0,1 --multirun"],
)
def test_flags_may_stand_anywhere(words: str) -> None:
    tidied = arguments.tidy(words.split())
    assert tidied[0] in ("-m", "--multirun")
    assert tidied[1:] == ["model=aen", "seed=0,1"]


def test_a_flag_keeps_its_value() -> None:
    words = ["model=lean", "--config-dir", "mine", "-m", "seed=0,1"]
    assert arguments.tidy(words) == ["--config-dir", "mine", "-m", "model=lean", "seed=0,1"]


@pytest.mark.parametrize("path", ["~/x", "/tmp/a=b", "a=b=c", "it's", "/a/~b", "a;b", "ü=1"])
def test_a_path_is_taken_as_it_is(path: str) -> None:
    (override,) = arguments.tidy([f"outputs={path}"])
    parsed = arguments.OverridesParser.create().parse_override(override)
    assert str(parsed.value()) == path


@pytest.mark.parametrize("word", ["seed=range(0,5)", "seed=0,1", "model.rules.prune=null", "~model.rules", "K=3"])
def test_what_can_be_read_is_left_alone(word: str) -> None:
    assert arguments.tidy([word]) == [word]


def test_an_unknown_flag_is_one_sentence() -> None:
    with pytest.raises(Mistake, match=r"--nothing.*--help"):
        arguments.tidy(["--nothing", "model=aen"])


def test_help_has_every_key_with_a_comment() -> None:
    text = manual.text(CONF, [], [], 100)
    for key in ("tasks=200", "step_size=0.001", "N=10000", "K=…", "seed=0", "init.outgoing=uniform:1", "tracker.mode"):
        assert f"  {key}" in text
    lines = text[text.index("Keys,") : text.index("Examples")].splitlines()
    keys = [line for line in lines if line.startswith("  ") and not line.startswith("   ")]
    assert len(keys) > 20
    assert [line for line in keys if len(line.split()) < 2] == []


@pytest.mark.parametrize("method", sorted(path.stem for path in (CONF / "method").glob("*.yaml")))
def test_help_on_a_method_has_a_comment_for_each_of_its_keys(method: str) -> None:
    text = manual.text(CONF, [], ["model=ffcnn", f"method={method}"], 200)
    own = [line.split() for line in text.splitlines() if line.startswith("  model.rules.")]
    assert all(len(words) > 1 for words in own)


@pytest.mark.parametrize("width", [40, 80, 120])
def test_help_fits_the_terminal(width: int) -> None:
    lines = manual.text(CONF, [], [], width).split("Examples")[0].splitlines()[3:]
    assert max(map(len, lines)) <= max(width, manual.NARROW)


def test_help_knows_the_yamls_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "lean.yaml").write_text("defaults: [agn]\nname: lean\nmost: 50 # units at most\n")
    text = manual.text(CONF, [tmp_path], ["model=lean"], 100)
    assert "model.most=50" in text
    assert "units at most" in text


def test_two_folders_of_runs_are_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["export.py", "here", "--outputs", "there"])
    with pytest.raises(SystemExit):
        command.parsed(ArgumentParser(), "")
    assert "here and there are two folders of runs; name one" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["elsewhere"], ["--outputs", "elsewhere"]])
def test_the_folder_of_the_runs_comes_first_or_by_its_name(monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    monkeypatch.setattr("sys.argv", ["export.py", *words])
    assert command.parsed(ArgumentParser(), "").outputs == Path("elsewhere")
