"""Compiled kernels: vector products are right, and what is compiled is kept for the next process."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from numba.core.caching import FunctionCache

from plasticity.compiled import cache, kernels
from plasticity.compiled.kinds import PANEL, TILES
from plasticity.compiled.products import absorb, feed, gram_matrix

PROGRAM = """
import numpy as np
from plasticity.networks import Cascade
from plasticity.streams.permuted import Samples
how = dict(lateral=True, freezing=False, bias=True, incoming="kaiming", outgoing="kaiming", first="torch")
print(Cascade(np.random.default_rng(0), 20, 10, **how).output(Samples.of(np.ones((1, 20), np.float32))).sum())
"""


def start(cache: Path, **more: str) -> subprocess.Popen[str]:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)} | more
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def kept(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.rglob("*.nb[ci]"))


@pytest.mark.thorough
def test_processes_on_an_empty_cache_compile_once(tmp_path: Path) -> None:
    processes = [start(tmp_path) for _ in range(8)]
    said = [process.communicate(timeout=300) for process in processes]
    assert [process.returncode for process in processes] == [0] * 8, said
    assert len({out for out, _ in said}) == 1
    many = kept(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb[ci]")}
    assert start(tmp_path).wait(60) == 0
    assert kept(tmp_path) == many
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb[ci]")} == before


@pytest.mark.thorough
def test_where_the_cache_cannot_be_written_kernels_are_kept_in_the_temporary_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "tmp").mkdir()
    process = start(tmp_path / "file", TMPDIR=str(tmp_path / "tmp"))
    assert process.wait(120) == 0, process.communicate()
    assert kept(tmp_path / "tmp")


def test_kernels_are_saved_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """numba itself would let two processes write different variants of a kernel to one file."""
    done = []

    @contextmanager
    def lock(path: Path, hint: str) -> Iterator[None]:
        done.append(path.name)
        yield
        done.append("released")

    monkeypatch.setattr(cache, "Lock", lock)
    monkeypatch.setattr(FunctionCache, "save_overload", lambda *_: done.append("saved"))
    feed._cache.save_overload(None, None)
    assert done == ["saving.lock", "saved", "released"]


def test_kernels_are_not_kept_beside_the_source() -> None:
    source = Path(cache.__file__).parent
    assert not list(source.rglob("*.nb[ci]"))
    assert source not in cache.FOLDER.parents


def test_importing_the_suite_compiles_nothing(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", "import plasticity.runs.execution"], env=environment, check=True)
    assert kept(tmp_path) == []


@pytest.mark.slow
def test_a_kernel_waits_for_no_linear_algebra_of_scipy() -> None:
    """A fifth of a second of each run's start; whoever has numba compile a product finds it all the same."""
    after = """
import sys
assert "scipy.linalg" not in sys.modules
import numba
assert numba.njit(lambda a: a @ a)(np.ones((2, 2))).sum() == 8
"""
    subprocess.run([sys.executable, "-c", PROGRAM + after], check=True, stdout=subprocess.DEVNULL)


def panels(matrix: np.ndarray) -> np.ndarray:
    return np.concatenate([matrix[:, at : at + PANEL].ravel() for at in range(0, matrix.shape[1], PANEL)])


@pytest.mark.parametrize("width", [16, 32, 48, 64, 112])
def test_feeding_and_absorbing_are_matrix_products(width: int) -> None:
    rng = np.random.default_rng(0)
    x, weight, delta = rng.random((32, 48)), rng.random((48, width)), rng.random((33, width))
    z = rng.random((32, width))
    expected = z + x @ weight
    feed(x, 32, np.tile(np.arange(49), (TILES, 1)), np.full(TILES, 48), panels(weight), z)
    np.testing.assert_allclose(z, expected)
    fed = panels(weight)
    absorb(x, np.full(48, 2**7 - 1, np.uint32), np.arange(48), delta, fed, 0)
    np.testing.assert_allclose(fed, panels(weight + x[:7].T @ delta[:7]))


def test_the_gram_matrix_counts_the_bias_as_an_input() -> None:
    x, gram = np.random.default_rng(0).random((32, 48)), np.zeros((32, 32))
    gram_matrix(x, 32, gram, 1.0)
    np.testing.assert_allclose(np.tril(gram), np.tril(x @ x.T + 1))


def test_kernels_are_kept_only_where_nobody_else_can_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "first"))
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / "second"))
    before = os.umask(0)
    try:
        own = cache.folder()
    finally:
        os.umask(before)
    assert own.is_relative_to(tmp_path / "first")
    assert [place.stat().st_mode & 0o022 for place in (own, own.parent)] == [0, 0]
    monkeypatch.setattr(os, "getuid", lambda: 4321)  # from here on, they are somebody else's
    with pytest.raises(OSError, match="set NUMBA_CACHE_DIR to a folder of your own"):
        cache.folder()


def test_what_compiled_code_alone_may_call_says_so_to_python() -> None:
    with pytest.raises(TypeError, match=r"flushed is for compiled code; numba.njit a function that calls it"):
        kernels.flushed(np.float32(1))
