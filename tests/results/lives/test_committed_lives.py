"""What the README of outputs/future says of lives is what its table has."""

from pathlib import Path

from support.small import ROOT

FUTURE = ROOT / "outputs" / "future"
GROWTH = {"one": "one new unit", "two": "two new units", "three": "three new units"}


def rows(document: Path) -> list[list[str]]:
    lines = [line.strip("| \n").split(" | ") for line in document.read_text().splitlines() if line.startswith("| ")]
    return [line for line in lines if "MNIST" in line[0]]


def test_every_number_of_the_table_in_the_readme_is_the_commands() -> None:
    found = rows(FUTURE / "lives" / "lives.md")
    assert len(found) == 12
    made = {(line[0].partition(",")[0], line[1]): [line[7].partition(" ")[0], *line[8:12]] for line in found}
    said = {(line[0], f"{line[1]}, {GROWTH[line[2]]} per task"): line[3:] for line in rows(FUTURE / "README.md")}
    assert said == made
