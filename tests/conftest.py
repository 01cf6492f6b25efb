"""Fixtures that many tests share, and what counts as slow."""

import os  # isort: skip

# Before anything is imported, and for whatever tests start: on two cores, two processes of two threads each wait for
# one another, and sources that nobody keeps compiled are compiled again by every command.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [os.path.dirname(__file__), os.environ.get("PYTHONPATH")]))

import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.small import configured
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from plasticity.ground import processors
from plasticity.runs.config import Config

HEAVY = ("crash", "slurm", "browser", "thorough", "chaos")  # slow by their nature
# Those that take minutes start first, so that none of them is waited for at the end.
LONGEST = (
    *("test_slurm", "test_slurm_preemption", "test_slurm_submission", "test_slurm_ends", "test_slurm_nodes"),
    *("test_readme", "test_tracking", "test_crash", "test_grid", "test_vector_kinds"),
    *("test_decay", "test_crelu_and_layer_norm", "test_report", "test_main"),
)

sys.dont_write_bytecode = False
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup, what tests start would ignore it


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if any(item.get_closest_marker(name) for name in HEAVY):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: LONGEST.index(item.path.stem) if item.path.stem in LONGEST else len(LONGEST))


class OneCluster(LoadFileScheduling):
    """A process has a file's tests; there is one cluster, so one process has all files of its tests. Commands of one
    README follow one another, those of two have nothing to do with each other."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        document = re.search(r"\[(\S+\.md): ", nodeid)
        if "test_readme" in file and document and document[1] != "README.md":
            return document[1]
        return "slurm" if "test_slurm" in file else file


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Slow tests, of clusters, servers and signals, wait half of their time: then another process has the core."""
    return processors.count() if "not slow" in config.option.markexpr else processors.count() * 2


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> OneCluster:
    return OneCluster(config, log)


@pytest.fixture
def run_config(tmp_path: Path) -> Callable[..., Config]:
    """A tiny run of the toy data whose outputs lie in the test's own folder."""

    def make(*overrides: str) -> Config:
        tiny = ("dataset=toy", "N=200", "K=80", "tasks=5", "tracker=none", f"outputs={tmp_path}/outputs")
        return configured(*tiny, *overrides)

    return make
