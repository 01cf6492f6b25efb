"""How kernels are compiled, and where the results are kept for the next process."""

import gc
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numba
from numba.core import config
from numba.core.caching import FunctionCache
from numba.core.registry import CPUDispatcher
from numba.np import linalg
from platformdirs import user_cache_dir

from plasticity.compiled import kinds
from plasticity.ground import news
from plasticity.ground.files import ours
from plasticity.ground.locks import Lock

ELSEWHERE = "set NUMBA_CACHE_DIR to a folder on a disk that supports flock"


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
            if os.access(chosen, os.W_OK) and ours(chosen.parent) and ours(chosen):  # kernels are code
                return chosen
        except OSError:
            continue
    problem = f"{base} is not writable, or others can write there"
    raise OSError(f"no folder to keep compiled kernels in: {problem}; set NUMBA_CACHE_DIR to a folder of your own")


FOLDER = folder()
config.CACHE_DIR = str(FOLDER)  # pyright: ignore[reportAttributeAccessIssue]
if kinds.ASKED:  # the same code, and so the same bits, on whatever CPU has such vectors
    config.CPU_NAME, config.CPU_FEATURES = kinds.TARGET, ""  # pyright: ignore[reportAttributeAccessIssue]

# Sums may be reordered and contracted, but nan and infinity keep their meaning: they tell that a run diverged.
# Nothing is allocated, so nobody counts references (`_nrt`): every view of an array would cost two atomic additions.
_OPTIONS: dict[str, Any] = dict(fastmath={"reassoc", "contract", "nsz"}, error_model="numpy", nogil=True, _nrt=False)
_njit = partial(numba.njit, **_OPTIONS)
# Code by which Python could call them would take a sixth of the time of compiling.
_INLINED = {"nopython": True, "forceinline": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def compiled(function: Callable[..., Any]) -> Any:
    """Put into its callers: a call with the many words of its named tuples costs a small network a sixth."""
    return _kept(partial(Inlined, targetoptions=_OPTIONS | _INLINED), function)


class Inlined(CPUDispatcher):
    """A function that compiled code may call, and Python may not."""

    def __call__(self, *arguments: Any, **more: Any) -> Any:
        raise TypeError(f"{self.__name__} is for compiled code; numba.njit a function that calls it")


def apart(function: Callable[..., Any]) -> Any:
    """Compiled by itself, for what is long or called once a block: callers then take less time to compile."""
    return _kept(_njit(), function)


def view(function: Callable[..., Any]) -> Any:
    """Put into its callers as it stands, since a function that counts no references cannot return a view."""
    return _njit(inline="always")(function)


def _kept(compiler: Callable[..., Any], function: Callable[..., Any]) -> Any:
    kernel = compiler(function)
    kernel._cache = _Cache(function)
    return kernel


class _Cache(FunctionCache):
    """Of two processes that save variants of one function at the same moment, numba lets both write to one file, and
    the index then names the wrong code for one of them: so they save in turns."""

    def save_overload(self, sig: Any, data: Any) -> None:
        with Lock(FOLDER / "saving.lock", hint=ELSEWHERE):
            super().save_overload(sig, data)


def ready(name: str, variant: tuple[Any, ...], arguments: tuple[Any, ...]) -> Any:
    """The kernel FILE.FUNCTION, compiled for such arguments. Of many processes that start on an empty cache, one
    compiles and the others wait for what it leaves."""
    if kinds.REFUSED:
        raise kinds.REFUSED
    _spare_scipy()
    file, _, function = name.rpartition(".")
    kernel = getattr(import_module(f"{__package__}.{file}"), function)
    done = FOLDER / f"{'-'.join([function, *map(str, variant)])}.done"
    if not done.exists():
        _announce()
        with Lock(done.with_suffix(".lock"), hint=ELSEWHERE), _uncollected():
            kernel.compile(tuple(numba.typeof(value) for value in arguments))
            done.touch()
    return kernel


@contextmanager
def _uncollected() -> Iterator[None]:
    """Compiling makes millions of objects that are all still needed: looking for garbage takes a tenth of its time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@cache
def _spare_scipy() -> None:
    """numba would import scipy's linear algebra to see whether it is there, a fifth of a second; kernels use none of
    it, and whoever does finds it as before."""
    whole, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    import numba.np.arraymath  # noqa: F401

    linalg.ensure_blas = whole


@cache
def _announce() -> None:
    """Once in a process."""
    news.tell("compiling for this CPU: once, some seconds for each kind of network")
