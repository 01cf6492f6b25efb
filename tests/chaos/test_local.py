"""A minute of it on this machine; `python -m tests.chaos` does it for hours."""

from pathlib import Path

import pytest

from chaos.rounds import ENOUGH, endure

pytestmark = pytest.mark.chaos


def test_a_disturbed_grid_on_this_machine_ends_as_if_undisturbed(tmp_path: Path) -> None:
    events = endure("local", 60, 25, seed=1, folder=tmp_path)
    assert sum(events.values()) >= ENOUGH, events
