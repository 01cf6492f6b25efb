"""What is committed under outputs/published is what its records say, and what its README shows."""

from pathlib import Path

import pytest
from support import commands
from support.small import ROOT

PUBLISHED = ROOT / "outputs" / "published"


@pytest.mark.slow
def test_the_committed_comparison_is_that_of_the_committed_records(tmp_path: Path) -> None:
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
