"""One SLURM cluster per session; where it cannot be started its tests are skipped, and say so."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support import cluster
from support.grids import Grid


@pytest.fixture(scope="session")
def real_slurm() -> Iterator[None]:
    with cluster.running():
        yield


@pytest.fixture
def slurm_grid(tmp_path: Path, real_slurm: None) -> Iterator[Grid]:
    cluster.clean()
    made = Grid(tmp_path / "outputs", ("hydra/launcher=slurm", "hydra.launcher.mem_gb=1"))
    yield made
    made.clear()
    cluster.clean()
