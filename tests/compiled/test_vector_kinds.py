"""Narrower vectors than the CPU's can be asked for, wider ones be tested: all give the same results to rounding."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from plasticity.compiled.kinds import BLOCK, KINDS, NAME, kind_for
from plasticity.ground.errors import Mistake

HERE = Path(__file__).parent
ALL = {"avx2": True, "avx512f": True}

PROGRAM = """
import numba
import numpy as np
from plasticity.compiled import cache, kinds
from plasticity.compiled.products import feed
print(cache.FOLDER.name, kinds.LANES, numba.config.CPU_NAME)
x, weight, z = (np.ones(shape, np.float32) for shape in ((32, 16), 16 * 48, (32, 48)))
tiles = kinds.TILES
feed(x, 32, np.tile(np.arange(17), (tiles, 1)), np.full(tiles, 16), weight, z)
print(*feed.inspect_llvm().values())
"""
REFUSED = """
import numpy as np
from plasticity.ground.errors import Mistake
from plasticity.networks import Cascade
from plasticity.streams import Samples
how = dict(lateral=True, freezing=False, bias=True, incoming="kaiming", outgoing="kaiming", first="torch")
try:
    Cascade(np.random.default_rng(0), 20, 10, **how).output(Samples.of(np.ones((1, 20), np.float32)))
except Mistake as mistake:
    print(mistake)
"""
# Wider vectors than this CPU has, which LLVM splits into those that it has: slow, but the same code.
WIDER = """
import sys
import llvmlite.binding as llvm
import pytest
there = llvm.get_host_cpu_features
llvm.get_host_cpu_features = lambda: {**there(), "avx512f": True}
from plasticity.compiled import kinds
llvm.get_host_cpu_features, kinds.TARGET = there, kinds.KINDS[sys.argv[1]].target
assert kinds.LANES == 16
sys.exit(pytest.main(sys.argv[2:]))
"""
PIECES = [str(HERE / f"test_{name}.py") for name in ("primitives", "kernel_pieces", "engine_agreement")]
QUIETLY = ("-p", "no:cacheprovider", "-n", "0", "-m", "not chaos", "-k", "not float64")  # which runs do not use


def test_the_widest_vectors_of_the_cpu_are_used_unless_others_are_asked_for() -> None:
    assert kind_for("", ALL) == "avx512"
    assert kind_for("", {"avx2": True, "avx512f": False}) == "avx2"
    assert kind_for("", {"neon": True}) == "plain"
    assert [kind_for(name, ALL) for name in KINDS] == list(KINDS)
    assert kind_for("plain", {}) == "plain"


def test_what_is_not_known_or_not_there_is_refused_in_one_sentence() -> None:
    with pytest.raises(Mistake, match="PLASTICITY_VECTORS=sse is not known; choose avx2, plain or leave it unset"):
        kind_for("sse", {"avx2": True})
    with pytest.raises(Mistake, match="PLASTICITY_VECTORS=avx512 is not what this CPU has; choose avx2, plain"):
        kind_for("avx512", {"avx2": True})


def test_blocks_are_whole_vectors_of_every_kind() -> None:
    assert all(BLOCK % kind.lanes == BLOCK % kind.rows == 0 for kind in KINDS.values())


def python(*arguments: str, vectors: str, cache: Path) -> str:
    environment = os.environ | {"PLASTICITY_VECTORS": vectors, "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_wrong_value_is_refused_when_a_kernel_is_called_not_when_the_suite_is_imported(tmp_path: Path) -> None:
    said = python("-c", REFUSED, vectors="wide", cache=tmp_path)
    assert re.fullmatch(r"PLASTICITY_VECTORS=wide is not known; choose .*plain or leave it unset\n", said)


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


def possible(vectors: str) -> None:
    import llvmlite.binding

    if not llvmlite.binding.get_host_cpu_features().get(KINDS[vectors].needs or "plain", vectors == "plain"):
        pytest.skip(f"this CPU has no {vectors}")


@pytest.mark.slow
@pytest.mark.parametrize("vectors", KINDS)
def test_code_is_made_of_the_vectors_asked_for_and_kept_apart(vectors: str, cache: Path) -> None:
    possible(vectors)
    first, code = python("-c", PROGRAM, vectors=vectors, cache=cache).split("\n", 1)
    folder, lanes, cpu = first.split()
    assert cpu == KINDS[vectors].target
    assert folder.endswith(vectors)
    assert int(lanes) == KINDS[vectors].lanes
    widths = {int(width) for width in re.findall(r"<(\d+) x float>", code)}
    assert widths == {KINDS[vectors].lanes}


@pytest.mark.thorough
@pytest.mark.parametrize("vectors", ["avx2", "plain"])
def test_all_pieces_and_the_engine_work_with_narrower_vectors(vectors: str, cache: Path) -> None:
    possible(vectors)
    if vectors == NAME:
        pytest.skip(f"every other test has run with {vectors}, which this CPU takes by itself")
    said = python("-m", "pytest", *QUIETLY, *PIECES, vectors=vectors, cache=cache)
    assert " passed" in said


@pytest.mark.thorough
@pytest.mark.skipif(NAME == "avx512", reason="every other test has run with avx512")
def test_all_pieces_and_the_engine_work_with_wider_vectors_than_the_cpu_has(cache: Path) -> None:
    said = python("-c", WIDER, NAME, *QUIETLY, *PIECES, vectors="avx512", cache=cache)
    assert " passed" in said
