"""The comparison with the field, as a command."""

from pathlib import Path

import pytest
from support import commands


@pytest.mark.slow
def test_a_comparison_without_runs_is_one_sentence(tmp_path: Path) -> None:
    done = commands.run("field", "--outputs", "nowhere", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("error: nowhere is not a folder")
