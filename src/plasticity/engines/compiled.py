"""How kernels are compiled, and where the results are kept for the next process."""

import hashlib
import os
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numba
from filelock import FileLock
from platformdirs import user_cache_dir

SOURCES = ("kernels.py", "vectors.py")


def folder() -> Path:
    """One for each version of the kernels: numba itself would not notice a change in what a kernel calls."""
    sources = b"".join(Path(__file__).with_name(name).read_bytes() for name in SOURCES)
    version_digest = hashlib.sha256(sources + version("numba").encode()).hexdigest()[:12]
    base = os.environ.get("NUMBA_CACHE_DIR") or user_cache_dir("plasticity")
    for place in (Path(base), Path(tempfile.gettempdir()) / f"plasticity-{os.getuid()}"):
        chosen = place / "kernels" / version_digest
        try:
            chosen.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(chosen, os.W_OK):
            return chosen
    raise OSError(f"no folder to keep compiled kernels in: {base} is not writable; set NUMBA_CACHE_DIR")


FOLDER = folder()
numba.config.CACHE_DIR = str(FOLDER)

# Sums may be reordered and contracted, but nan and infinity keep their meaning: they tell that a run diverged.
compiled = numba.njit(cache=True, fastmath={"reassoc", "contract", "nsz"}, error_model="numpy", nogil=True)


def once(name: str, compile_or_load: Callable[[], object]) -> None:
    """Of many processes that start on an empty cache, one compiles and the others wait for what it leaves."""
    done = FOLDER / f"{name}.done"
    if done.exists():
        compile_or_load()
        return
    with FileLock(FOLDER / f"{name}.lock"):
        compile_or_load()
        done.touch()
