"""What is committed under outputs/paper is what its records say, and what the README shows."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from support import commands
from support.small import ROOT

from hydra_plugins.plasticity.presets import presets
from plasticity.results.paper.statements import CELLS
from plasticity.runs.identity import curve_key, identity
from plasticity.runs.keys import differences

PAPER = ROOT / "outputs" / "paper"
CHOICES = PAPER / "choices"


@pytest.fixture(scope="module")
def redrawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("paper")
    done = commands.run("figures", "--records", str(PAPER), "--out", str(folder))
    assert done.returncode == 0, done.stderr
    return folder / "figures"


def pixels(path: Path) -> np.ndarray:
    with Image.open(path) as image:
        return np.asarray(image.convert("L"), float)


@pytest.mark.thorough
def test_the_committed_figures_are_those_of_the_committed_records(redrawn: Path) -> None:
    names = sorted(path.name for path in (PAPER / "figures").glob("*.png"))
    assert names == sorted(path.name for path in redrawn.glob("*.png"))
    for name in names:
        before, after = pixels(PAPER / "figures" / name), pixels(redrawn / name)
        assert before.shape == after.shape, name
        assert np.abs(before - after).mean() < 0.1, name  # of 255: another machine may round a line elsewhere


@pytest.mark.thorough
def test_the_committed_verdicts_are_those_of_the_committed_records(redrawn: Path) -> None:
    assert first_table(redrawn / "claims.md") == first_table(PAPER / "figures" / "claims.md")


def test_the_verdicts_rest_on_seeds_that_chose_nothing() -> None:
    curves = json.loads((PAPER / "records" / "curves.json").read_text())
    assert {tuple(run["seed"] for run in curve["runs"]) for curve in curves} == {tuple(range(100, 110))}


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["claims.md", "choices.md"])
def test_the_verdicts_by_which_settings_were_chosen_are_those_of_their_records(name: str, tmp_path: Path) -> None:
    done = commands.run("claims", "--records", str(CHOICES), "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert first_table(next(tmp_path.rglob(name))) == first_table(CHOICES / "figures" / name)


def test_the_readme_shows_the_committed_verdicts() -> None:
    assert "\n".join(first_table(PAPER / "figures" / "claims.md")) in (PAPER / "README.md").read_text()


@pytest.mark.thorough
def test_the_committed_records_are_the_curves_that_the_paper_preset_composes() -> None:
    found = presets(ROOT / "conf", [])
    composed = [one for one in found.expansion.combinations(["experiment=paper"]) if one.holds]
    settings = found.settings()
    whats = [entry["what"] for entry in json.loads((PAPER / "records" / "curves.json").read_text())]
    usual = [what for what in whats if not differences(what, settings)]
    keys = [curve_key(what) for what in usual]
    assert len(keys) == len({*keys}) == 51
    assert {(what["dataset"]["name"], what["N"]) for what in usual} == {*CELLS}
    assert {*keys} == {curve_key(identity(one.config)) for one in composed}


def first_table(path: Path) -> list[str]:
    lines = path.read_text().splitlines()
    return lines[: next(place for place, line in enumerate(lines) if not line.startswith("|"))]
