"""The recipe "enter a method of your own", as its README has it, on toy data."""

import csv
import shutil
from pathlib import Path

import pytest
import yaml
from support.readme import commands, lay_out, shell
from support.small import ROOT

DOCUMENT = ROOT / "src" / "plasticity" / "results" / "field" / "README.md"
RIVAL = "aen.yaml"
TOY = "N=1000 tasks=3 tracker=none report=false hydra/launcher=serial"
SMALLER = {
    "dataset=mnist,fmnist step_size=0.0003,0.001,0.003,0.01 tasks=150": f"dataset=toy step_size=0.001 {TOY}",
    "experiment=field_chosen": "experiment=field_chosen tracker=none report=false hydra/launcher=serial",
    "launch/field.py": "launch/field.py --tasks 3 --seeds 3",
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The repository, with one contestant."""
    lay_out(tmp_path, DOCUMENT)
    (tmp_path / "conf").unlink()
    shutil.copytree(ROOT / "conf", tmp_path / "conf")
    for path in (tmp_path / "conf" / "experiment" / "field").iterdir():
        if path.name != RIVAL:
            path.unlink()
    return tmp_path


def done(command: str, place: Path) -> str:
    for large, small in SMALLER.items():
        command = command.replace(large, small)
    ended = shell(command, place, PYTHONPATH="mine")
    assert ended.returncode == 0, f"{command}\n{ended.stdout}{ended.stderr}"
    return ended.stdout


@pytest.mark.thorough
def test_a_method_of_ones_own_gets_a_row_beside_the_records_of_others(place: Path) -> None:
    everything = commands(DOCUMENT)
    recipe = everything[everything.index("export PYTHONPATH=mine") + 1 :]
    assert len(recipe) == 4
    done(f"python launch/main.py experiment=field/aen dataset=toy step_size=0.001 'seed=range(0,3)' {TOY}", place)
    said = done("python launch/field.py", place)
    assert "next, 1 network on fresh seeds" in said
    done("python launch/main.py --config-dir outputs/field/conf experiment=field_chosen", place)
    assert "next" not in done("python launch/field.py", place)
    done("python launch/main.py --config-dir outputs/field/conf experiment=field_chosen", place)  # finds them finished
    shutil.rmtree(place / "outputs" / "toy")  # only the records are left
    for command in recipe:
        done(command, place)
    chosen = yaml.safe_load((place / "mine" / "experiment" / "field_chosen.yaml").read_text())
    assert all("method=halve" in line for line in chosen["hydra"]["sweeper"]["curves"])
    with (place / "outputs" / "with_mine" / "comparison.csv").open() as file:
        rows = [*csv.DictReader(file)]
    assert {row["contestant"] for row in rows} == {"aen", "halve"}
    assert {row["seeds"] for row in rows} == {"3"}
