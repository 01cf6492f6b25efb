"""Which vectors compiled code is made of: the widest that the CPU has, or what PLASTICITY_VECTORS asks for."""

import os
import platform
from collections.abc import Mapping
from typing import NamedTuple

import llvmlite.binding

from plasticity.ground.errors import Mistake

VARIABLE = "PLASTICITY_VECTORS"
BLOCK = 16  # everything is padded to this many numbers, in every kind: one AVX-512 register of float32
SAMPLES = 32  # a block of samples: a multiple of every tile's height
LINE = 64  # bytes of a cache line
WIDE = 3  # vectors in a row of a product's tile


class Kind(NamedTuple):
    """A tile of a product, rows × WIDE vectors, stays in registers."""

    lanes: int  # numbers in a vector
    rows: int
    needs: str  # a feature of the CPU, by LLVM's name; empty: nothing
    target: str  # the CPU that code is made for, by LLVM's name, if this kind was asked for; empty: any


KINDS = {
    "avx512": Kind(16, 8, "avx512f", "skylake-avx512"),  # a tile takes 24 of 32 registers
    "avx2": Kind(8, 4, "avx2", "haswell"),  # 12 of 16
    "plain": Kind(4, 4, "", "x86-64" if platform.machine() == "x86_64" else "generic"),  # 12 of 16, or of ARM's 32
}


def kind_for(asked: str, features: Mapping[str, bool]) -> str:
    """The name of a kind; the order of KINDS is from wide to narrow."""
    possible = [name for name, kind in KINDS.items() if not kind.needs or features.get(kind.needs)]
    if not asked:
        return possible[0]
    if asked not in KINDS:
        raise Mistake(f"{VARIABLE}={asked} is not known; choose {', '.join(possible)} or leave it unset")
    if asked not in possible:
        raise Mistake(f"{VARIABLE}={asked} is not what this CPU has; choose {', '.join(possible)} or leave it unset")
    return asked


def _chosen() -> tuple[str, Mistake | None]:
    features = llvmlite.binding.get_host_cpu_features()
    try:
        return kind_for(os.environ.get(VARIABLE, ""), features), None
    except Mistake as mistake:
        return kind_for("", features), mistake


# A wrong value is refused when a kernel is first called, not here: nobody shows an import's error as one sentence.
NAME, REFUSED = _chosen()
ASKED = bool(os.environ.get(VARIABLE)) and not REFUSED
LANES, ROWS, _, TARGET = KINDS[NAME]
PANEL = WIDE * LANES  # columns of a tile
TILES = SAMPLES // ROWS  # of a block of samples
