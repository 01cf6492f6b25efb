"""Where flock is missing, nothing goes on as if there were a lock."""

import errno
import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plasticity.compiled import cache
from plasticity.ground.errors import Mistake
from plasticity.ground.locks import Lock
from plasticity.runs.config import Config
from plasticity.runs.execution import execute
from plasticity.runs.progress import Quiet


@pytest.fixture(params=[errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK])
def unsupported(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    def refuse(*_: Any) -> None:
        raise OSError(request.param, os.strerror(request.param))

    monkeypatch.setattr(fcntl, "flock", refuse)
    return request.param


@pytest.mark.usefixtures("unsupported")
def test_a_run_on_a_disk_without_flock_is_refused_in_one_sentence(run_config: Callable[..., Config]) -> None:
    with pytest.raises(Mistake, match=r"\.lock cannot be locked with flock \(.*\); set outputs=FOLDER"):
        execute(run_config(), Quiet())


def test_no_other_lock_takes_the_place_of_flock(unsupported: int, tmp_path: Path) -> None:
    with pytest.raises(Mistake, match=os.strerror(unsupported)):
        Lock(tmp_path / "lock").acquire()


def test_a_file_that_a_dead_process_left_holds_nobody_up(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("4194305\nanother-host\n")
    with Lock(tmp_path / "lock", timeout=0) as held:
        assert held.is_locked


@pytest.mark.usefixtures("unsupported")
def test_kernels_are_not_kept_where_no_lock_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cache, "FOLDER", tmp_path)
    with pytest.raises(Mistake, match="set NUMBA_CACHE_DIR to a folder on a disk that supports flock"):
        cache.ready("listing.fill", ("a variant",), ())


def test_another_error_is_not_taken_for_a_missing_flock(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        Lock(tmp_path).acquire()


def test_no_module_takes_a_lock_that_falls_back() -> None:
    source = Path(__file__).parents[2] / "src"
    users = [path.name for path in source.rglob("*.py") if "import FileLock" in path.read_text()]
    assert users == ["locks.py"]
