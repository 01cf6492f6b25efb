"""Each kind of vector beside the others, forced: what the same code takes on CPUs that have no wider ones."""

import json
import os
import subprocess
import sys
from functools import partial
from math import nan
from pathlib import Path

from rich.console import Console
from threadpoolctl import threadpool_limits
from timing import cascade, layered, microseconds, mnist, show_table

from plasticity.compiled.kinds import KINDS, REFUSED, VARIABLE
from plasticity.engines.fused import Fused

CASES = {
    **{f"cascade {units}": partial(cascade, units) for units in (10, 100)},
    "F-FCNN 3×200": partial(layered, 200),
}


def by_kind(seconds: float) -> dict[str, dict[str, float]]:
    """µs per sample by kind and network, each kind in a process of its own; nan where the CPU has no such vectors."""
    return {kind: measured_in(kind, seconds) for kind in KINDS}


def measured_in(kind: str, seconds: float) -> dict[str, float]:
    words = [sys.executable, Path(__file__), str(seconds)]
    done = subprocess.run(words, env=os.environ | {VARIABLE: kind}, capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else dict.fromkeys(CASES, nan)


def show_kinds(found: dict[str, dict[str, float]], console: Console) -> None:
    console.print("\nKinds of vectors on MNIST, µs per sample")
    rows = [[name, *(f"{times[name]:.1f}" for times in found.values())] for name in CASES]
    show_table(console, ("network",), list(found), rows)


def main() -> None:
    if REFUSED:
        sys.exit(f"error: {REFUSED}")
    samples = mnist(10_000).samples(0)
    with threadpool_limits(1):
        taken = {name: microseconds(Fused(), build(), samples, float(sys.argv[1])) for name, build in CASES.items()}
    print(json.dumps(taken))


if __name__ == "__main__":
    main()
