"""Two minutes of it; `python -m tests.chaos` does it for hours."""

from pathlib import Path

import pytest
from support import cluster

from chaos.rounds import endure

pytestmark = pytest.mark.chaos
ENOUGH = 5  # disturbances, or it was none: how many fit into a minute depends on the machine


def test_a_disturbed_grid_on_this_machine_ends_as_if_undisturbed(tmp_path: Path) -> None:
    events = endure("local", 60, 25, seed=1, folder=tmp_path)
    assert sum(events.values()) >= ENOUGH, events


@pytest.mark.slurm
def test_a_disturbed_grid_on_slurm_ends_as_if_undisturbed(tmp_path: Path) -> None:
    with cluster.running():
        events = endure("slurm", 60, 25, seed=1, folder=tmp_path)
    assert sum(events.values()) >= ENOUGH, events
