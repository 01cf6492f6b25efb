"""What a sample costs on one thread: a loop as a PyTorch user would write it, JAX, engine=torch and engine=fused; what
each method costs beside none; and each kind of vector beside the others."""

import command  # isort: skip

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from benchmark_around import aged, between_tasks, memory, start_up, tracking
from benchmark_kinds import by_kind, show_kinds
from benchmark_methods import by_method, show_methods
from rich.console import Console
from threadpoolctl import threadpool_limits
from timing import PlainLoop, cascade, in_jax, layered, microseconds, mnist, operations, show_table

from plasticity import terminal
from plasticity.data import MNIST, FashionMNIST, Source
from plasticity.engines.fused import Fused
from plasticity.engines.reference import Reference
from plasticity.networks import Network

DATA: tuple[tuple[str, Source], ...] = (("mnist", MNIST()), ("fmnist", FashionMNIST()))
SECONDS = 1.0  # of measuring an engine, at least, unless --quick


@dataclass(frozen=True)
class Case:
    name: str
    build: Callable[[], Network]
    peer: tuple[str, int, int]  # as launch/peers.py has it
    quick: bool = False


def cascade_case(units: int, lateral: bool, quick: bool) -> Case:
    kind = "cascade" if lateral else "flat"
    return Case(f"{kind} {units}", partial(cascade, units, lateral), (kind, 0, units), quick)


CASES = (
    *(cascade_case(units, True, units in (0, 10, 100)) for units in (0, 10, 50, 100, 200, 500, 1000)),
    *(cascade_case(units, False, units == 100) for units in (100, 500)),
    *(Case(f"F-FCNN 3×{width}", partial(layered, width), ("layered", 3, width), width == 200)
      for width in (100, 200, 1000)),
)  # fmt: skip


def peak(seconds: float) -> float:
    """GFLOP/s of a large product in single precision."""
    a, best, began = np.ones((1500, 1500), np.float32), np.inf, perf_counter()
    while perf_counter() - began < seconds:
        start = perf_counter()
        np.dot(a, a)
        best = min(best, perf_counter() - start)
    return 2 * 1500**3 / best / 1e9


@dataclass(frozen=True)
class Row:
    dataset: str
    network: str
    plain_us: float
    jax_us: float
    torch_us: float
    fused_us: float
    plain_ratio: float
    jax_ratio: float
    torch_ratio: float
    gflops: float
    share_of_peak: float


def rows(quick: bool, budget: float, top: float) -> Iterator[Row]:
    for name, source in DATA[1:] if quick else DATA:
        samples = mnist(10_000, source).samples(0)
        for case in CASES:
            if case.quick or not quick:
                network = case.build()
                work = operations(network)
                plain = microseconds(PlainLoop(network), network, samples, budget)
                reference = microseconds(Reference(), network, samples, budget)
                (jax,) = in_jax([case.peer], budget)
                fused = microseconds(Fused(), network, samples, budget)
                speed = work / fused / 1e3
                ratios = (plain / fused, jax / fused, reference / fused)
                yield Row(name, case.name, plain, jax, reference, fused, *ratios, speed, speed / top)


def show(found: list[Row], top: float, console: Console) -> None:
    console.print(f"µs per sample on one thread; a product of 1500 × 1500 reaches {top:.0f} GFLOP/s here")
    names = ("plain loop", "JAX", "torch", "fused", "× plain", "× JAX", "× torch", "GFLOP/s", "of peak")
    cells = []
    for row in found:
        times = (f"{row.plain_us:,.0f}", f"{row.jax_us:,.1f}", f"{row.torch_us:,.0f}", f"{row.fused_us:.1f}")
        ratios = (f"{row.plain_ratio:,.0f}", f"{row.jax_ratio:,.1f}", f"{row.torch_ratio:,.0f}")
        cells.append([row.dataset, row.network, *times, *ratios, f"{row.gflops:.0f}", f"{row.share_of_peak:.0%}"])
    show_table(console, ("data", "network"), names, cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few networks on one data set, within a minute")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the numbers")
    options = parser.parse_args()
    if options.json:
        command.check_writable(options.json)
    torch.set_num_threads(1)
    budget = 0.5 if options.quick else SECONDS
    console = terminal.console()
    with threadpool_limits(1), console.status("measuring") as status:
        top, found = peak(budget), []
        for row in rows(options.quick, budget, top):
            found.append(row)
            status.update(f"measured {row.network} on {row.dataset}")
        around = {"between_tasks": between_tasks(10 if options.quick else 40)}
        around["start_up"] = start_up()
        status.update("measuring methods")
        methods = list(by_method(3 if options.quick else 8, budget))
        status.update("measuring kinds of vectors")
        kinds = by_kind(budget)
        if not options.quick:
            around |= {"aged": aged(300), "memory": memory(), "tracking": tracking(3)}
    show(found, top, console)
    show_methods(methods, console)
    show_kinds(kinds, console)
    for name, numbers in around.items():
        console.print(f"{name.replace('_', ' ')}: " + ", ".join(f"{key} {value:.3g}" for key, value in numbers.items()))
    if options.json:
        kept = {"peak_gflops": top, "rows": [asdict(row) for row in found], **around}
        kept |= {"methods": [asdict(row) for row in methods], "kinds": kinds}
        options.json.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    command.run(main)
