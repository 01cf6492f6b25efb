"""What is committed of a study is what its records say, and so is every interval in its README."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from support import commands
from support.readme import INTERVAL
from support.small import ROOT

from hydra_plugins.plasticity.presets import presets
from plasticity.runs.identity import curve_key, identity

PRESETS = {
    "streams": ("abruptness", "kinds"),
    "future": ("timing", "probe", "columns", "depth", "shortcut"),
}


def pixels(path: Path) -> np.ndarray:
    with Image.open(path) as image:
        return np.asarray(image.convert("L"), float)


@pytest.fixture(params=[*PRESETS])
def study(request: pytest.FixtureRequest) -> Path:
    return ROOT / "outputs" / request.param


@pytest.mark.thorough
def test_the_committed_figures_and_tables_are_those_of_the_committed_records(study: Path, tmp_path: Path) -> None:
    done = commands.run("figures", "--records", str(study), "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    drawn, committed = tmp_path / "figures", study / "figures"
    assert sorted(path.name for path in drawn.glob("*.png")) == sorted(path.name for path in committed.glob("*.png"))
    for path in committed.glob("*.png"):
        before, after = pixels(path), pixels(drawn / path.name)
        assert before.shape == after.shape, path.name
        assert np.abs(before - after).mean() < 0.1, path.name  # of 255: another machine may round a line elsewhere
    for path in (*committed.glob("*.md"), *committed.glob("*.csv")):
        assert (drawn / path.name).read_text() == path.read_text(), path.name


def test_every_interval_of_the_readme_is_one_of_the_tables(study: Path) -> None:
    tables = "".join(path.read_text() for path in study.glob("*/**/*.md"))
    known = {*INTERVAL.findall(tables)}
    said = INTERVAL.findall((study / "README.md").read_text())
    assert len(said) > 10
    assert [one for one in said if one not in known] == []


@pytest.mark.thorough
def test_the_committed_records_are_curves_of_its_presets(study: Path) -> None:
    expansion = presets(ROOT / "conf", []).expansion
    composed = [one for name in PRESETS[study.name] for one in expansion.combinations([f"experiment={name}"])]
    keys = {curve_key(identity(one.config)) for one in composed}
    whats = [entry["what"] for entry in json.loads((study / "records" / "curves.json").read_text())]
    assert {curve_key(what) for what in whats} <= keys
