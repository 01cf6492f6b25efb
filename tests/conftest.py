"""Fixtures that many tests share, and what counts as slow."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.small import configured

from plasticity.runs.config import Config

HEAVY = ("crash", "slurm", "browser", "thorough")  # slow by their nature
# A file's tests run in one process; those that take minutes start first, so that none of them is waited for at the end.
LONGEST = (
    *("test_slurm", "test_readme", "test_tracking", "test_crash", "test_grid", "test_vector_kinds"),
    *("test_decay", "test_report", "test_main"),
)


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if any(item.get_closest_marker(name) for name in HEAVY):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: LONGEST.index(item.path.stem) if item.path.stem in LONGEST else len(LONGEST))


@pytest.fixture
def run_config(tmp_path: Path) -> Callable[..., Config]:
    """A tiny run of the toy data whose outputs lie in the test's own folder."""

    def make(*overrides: str) -> Config:
        tiny = ("dataset=toy", "N=200", "K=80", "tasks=5", "tracker=none", f"outputs={tmp_path}/outputs")
        return configured(*tiny, *overrides)

    return make
