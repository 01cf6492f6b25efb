"""Each kind of vector beside the others, forced: what the same code takes on CPUs that have no wider ones."""

import json
import os
import subprocess
import sys
from functools import partial
from math import nan
from pathlib import Path

from llvmlite.binding import get_host_cpu_features
from rich.console import Console
from threadpoolctl import threadpool_limits
from timing import cascade, layered, microseconds, mnist, show_table

from plasticity.compiled.kinds import KINDS, REFUSED, VARIABLE, kind_for
from plasticity.engines.fused import Fused
from plasticity.ground.errors import Mistake

CASES = {
    **{f"cascade {units}": partial(cascade, units) for units in (10, 100)},
    "F-FCNN 3×200": partial(layered, 200),
}


def by_kind(seconds: float) -> dict[str, dict[str, float]]:
    """µs per sample by kind and network, each kind in a process of its own; nan where the CPU has no such vectors."""
    return {kind: measured_in(kind, seconds) for kind in KINDS}


def measured_in(kind: str, seconds: float) -> dict[str, float]:
    if lacking(kind):
        return dict.fromkeys(CASES, nan)
    words = [sys.executable, Path(__file__), str(seconds)]
    done = subprocess.run(words, env=os.environ | {VARIABLE: kind}, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def lacking(kind: str) -> str | None:
    """Why its column is empty, in one sentence."""
    try:
        kind_for(kind, get_host_cpu_features())
    except Mistake as mistake:
        return str(mistake)
    return None


def show_kinds(found: dict[str, dict[str, float]], console: Console) -> None:
    console.print("\nKinds of vectors on MNIST, µs per sample")
    rows = [[name, *(f"{times[name]:.1f}" for times in found.values())] for name in CASES]
    show_table(console, ("network",), list(found), rows)
    for why in filter(None, map(lacking, found)):
        console.print(why)


def main() -> None:
    if REFUSED:
        sys.exit(f"error: {REFUSED}")
    samples = mnist(10_000).samples(0)
    with threadpool_limits(1):
        taken = {name: microseconds(Fused(), build(), samples, float(sys.argv[1])) for name, build in CASES.items()}
    print(json.dumps(taken))


if __name__ == "__main__":
    main()
