"""What is committed under outputs/published and outputs/field is what its records say, and what its README shows."""

import csv
from pathlib import Path

import pytest
from support import commands
from support.readme import INTERVAL
from support.small import ROOT

from plasticity.results.field import collect, comparison, pictures, selection, tables

PUBLISHED, FIELD = ROOT / "outputs" / "published", ROOT / "outputs" / "field"
GROWING = ("aen", "aen_two", "aen_three", "aen_two_layer", "aen_boundary_free", "agn")  # have sizes of their own


@pytest.mark.thorough
def test_the_committed_curves_beside_published_ones_are_those_of_the_committed_records(tmp_path: Path) -> None:
    done = commands.run("figures", "--records", str(PUBLISHED), "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "figures" / "published-mnist-N60000.png").exists()
    for name in ("published.md", "published.csv"):
        assert (tmp_path / "figures" / name).read_text() == (PUBLISHED / "figures" / name).read_text()


def test_the_readme_shows_the_committed_differences() -> None:
    rows = [line.split(" | ") for line in (PUBLISHED / "figures" / "published.md").read_text().splitlines()[2:]]
    text = (PUBLISHED / "README.md").read_text()
    for _, task, ours, seeds, theirs, difference, _ in rows:
        assert f"| {task} | {ours} | {seeds} | {theirs} | {difference} |" in text


@pytest.mark.thorough
def test_the_committed_comparison_is_that_of_the_committed_records() -> None:
    tried, evaluated = collect.read(FIELD)
    chosen = selection.choices(tried)
    found = comparison.evaluated(chosen, evaluated)
    for name, text in tables.texts(chosen, found).items():
        assert (FIELD / name).read_text() == text, name
    drawn = {f"{name}.png" for name, _ in pictures.all_of(found, tried)}
    assert drawn == {path.name for path in (FIELD / "figures").glob("*.png")}


def test_every_interval_of_the_comparisons_readme_is_in_its_tables() -> None:
    tables = "".join((FIELD / name).read_text() for name in ("selection.md", "comparison.md"))
    said = INTERVAL.findall((FIELD / "README.md").read_text())
    assert len(said) > 10
    assert [one for one in said if one not in INTERVAL.findall(tables)] == []


def test_fixed_networks_are_within_3_percent_of_what_aen_settled_at() -> None:
    rows = list(csv.DictReader((FIELD / "comparison.csv").read_text().splitlines()))
    place = ("dataset", "N", "growth", "match", "regime")
    aen = {tuple(row[key] for key in place): row for row in rows if row["contestant"] == "aen"}
    fixed = [row for row in rows if row["contestant"] not in GROWING]
    over = [float(row[row["match"]]) / float(aen[*(row[key] for key in place)][row["match"]]) for row in fixed]
    # Twelve contestants, two data sets, three sizes, two choices of step sizes; five at N = 40,000; twelve, larger AENs
    assert len(over) == 144 + 10 + 48
    assert max(abs(ratio - 1) for ratio in over) < 0.03
