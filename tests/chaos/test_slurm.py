"""A minute of it on a cluster, in a file of its own: so it runs beside that on this machine."""

from pathlib import Path

import pytest
from support import cluster

from chaos.rounds import ENOUGH, endure

pytestmark = [pytest.mark.chaos, pytest.mark.slurm]


def test_a_disturbed_grid_on_slurm_ends_as_if_undisturbed(tmp_path: Path) -> None:
    with cluster.running():
        events = endure("slurm", 60, 25, seed=1, folder=tmp_path)
    assert sum(events.values()) >= ENOUGH, events
