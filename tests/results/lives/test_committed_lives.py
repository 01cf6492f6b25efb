"""What the README of outputs/future says of lives is what its table has."""

from pathlib import Path

import pytest
from support import commands
from support.small import ROOT

FUTURE = ROOT / "outputs" / "future"
GROWTH = {"one": "one new unit", "two": "two new units", "three": "three new units"}


def rows(document: Path) -> list[list[str]]:
    lines = [line.strip("| \n").split(" | ") for line in document.read_text().splitlines() if line.startswith("| ")]
    return [line for line in lines if "MNIST" in line[0]]


def curve(network: str, births: str) -> str:
    return network if network == "AEN-random" else f"{network}, {GROWTH[births]} per task"


def test_every_number_of_the_table_in_the_readme_is_the_commands() -> None:
    found = rows(FUTURE / "lives" / "lives.md")
    assert len(found) == 24
    made = {(*line[0].split(", N = "), line[1]): [line[7].partition(" (")[0], *line[8:12]] for line in found}
    said = {(*line[:2], curve(*line[2:4])): line[4:] for line in rows(FUTURE / "README.md")}
    assert said == made


@pytest.mark.thorough
def test_the_committed_table_is_that_of_the_committed_records(tmp_path: Path) -> None:
    done = commands.run("lives", "--records", str(FUTURE / "lives"), "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    for name in ("lives.md", "lives.csv"):
        assert (tmp_path / name).read_text() == (FUTURE / "lives" / name).read_text(), name
    drawn, committed = ({path.name for path in place.glob("lives-*.png")} for place in (tmp_path, FUTURE / "lives"))
    assert drawn == committed
