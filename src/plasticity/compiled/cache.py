"""How kernels are compiled, and where the results are kept for the next process."""

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numba
from filelock import FileLock
from numba.core import config
from numba.core.caching import FunctionCache
from platformdirs import user_cache_dir

from plasticity.compiled import kinds


def folder() -> Path:
    """One for each version of the sources and each kind of vector: numba itself would not notice a change in what a
    kernel calls."""
    sources = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    digest = hashlib.sha256(sources + version("numba").encode()).hexdigest()[:12]
    base = os.environ.get("NUMBA_CACHE_DIR") or user_cache_dir("plasticity")
    for place in (Path(base), Path(tempfile.gettempdir()) / f"plasticity-{os.getuid()}"):
        chosen = place / "kernels" / f"{digest}-{kinds.NAME}"
        try:
            chosen.mkdir(parents=True, exist_ok=True)
            if os.access(chosen, os.W_OK):
                return chosen
        except OSError:
            continue
    raise OSError(f"no folder to keep compiled kernels in: {base} is not writable; set NUMBA_CACHE_DIR")


FOLDER = folder()
config.CACHE_DIR = str(FOLDER)  # pyright: ignore[reportAttributeAccessIssue]

# Sums may be reordered and contracted, but nan and infinity keep their meaning: they tell that a run diverged.
_njit = partial(numba.njit, fastmath={"reassoc", "contract", "nsz"}, error_model="numpy", nogil=True)


def compiled(function: Callable[..., Any]) -> Any:
    """Put into its callers: a call with the many words of its named tuples costs a small network a sixth."""
    return _kept(_njit(forceinline=True), function)


def apart(function: Callable[..., Any]) -> Any:
    """Compiled by itself, for what is long or called once a block: callers then take less time to compile."""
    return _kept(_njit(), function)


def _kept(compiler: Callable[..., Any], function: Callable[..., Any]) -> Any:
    kernel = compiler(function)
    kernel._cache = _Cache(function)
    return kernel


class _Cache(FunctionCache):
    """Of two processes that save variants of one function at the same moment, numba lets both write to one file, and
    the index then names the wrong code for one of them: so they save in turns."""

    def save_overload(self, sig: Any, data: Any) -> None:
        with FileLock(FOLDER / "saving.lock"):
            super().save_overload(sig, data)


def call(kernel: Any, variant: tuple[Any, ...], *arguments: Any) -> Any:
    """Of many processes that start on an empty cache, one compiles and the others wait for what it leaves.

    `variant` names the types of the arguments: finding them out anew would take longer than a short kernel runs.
    """
    if (kernel, variant) not in _ready:
        if kinds.REFUSED:
            raise kinds.REFUSED
        done = FOLDER / f"{'-'.join([kernel.__name__, *map(str, variant)])}.done"
        if not done.exists():
            with FileLock(done.with_suffix(".lock")):
                kernel.compile(tuple(numba.typeof(value) for value in arguments))
                done.touch()
        _ready.add((kernel, variant))
    return kernel(*arguments)


_ready: set[tuple[Any, tuple[Any, ...]]] = set()
