"""How time and memory grow with units, width, samples per task and tasks, and how they should: the exponents of powers
that fit what is measured, beside those that fit the work that there is."""

import command  # isort: skip

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np
from rich.console import Console
from threadpoolctl import threadpool_limits
from timing import cascade, layered, learner, mnist, operations, show_table

from plasticity import terminal
from plasticity.engines.fused import Fused
from plasticity.ground.errors import Mistake

UNITS, N, TASKS = 100, 10_000, 2  # of what is not varied; the first task loads the kernels and is not timed
GRIDS = {
    "units": (0, 10, 30, 100, 300, 1000, 2000),
    "width": (50, 100, 200, 400, 1000, 2000),
    "N": (1000, 3000, 10_000, 30_000, 60_000),
    "tasks": (2, 5, 10, 20, 40),
}
QUICK = {"units": (10, 100), "N": (1000, 3000)}
FITTED = 3  # of the largest points: small ones are mostly what a sample costs however small the network is


@dataclass(frozen=True)
class Point:
    varied: str
    value: int
    seconds: float  # of the CPU, for all tasks if their number varies, otherwise for the fastest
    megabytes: float  # more than before data and network were there
    work: float  # operations
    numbers: float  # weights and pixels: what memory is needed for


@dataclass(frozen=True)
class Growth:
    """Exponents: twice the value takes 2^exponent times as much."""

    varied: str
    time: float
    time_expected: float
    memory: float
    memory_expected: float


def measured(varied: str, value: int) -> Point:
    """In this process, which has done nothing else: its peak of memory is that of this point."""
    given = {"units": UNITS, "width": 0, "N": N, "tasks": TASKS} | {varied: value}
    build = partial(layered, given["width"]) if given["width"] else partial(cascade, given["units"])
    list(learner(mnist(100), cascade(0), Fused()).records(0, 1))
    before, tasks, took = in_use("VmRSS"), given["tasks"], []
    stream, network = mnist(given["N"]), build()
    learns = learner(stream, network, Fused())
    for task in range(tasks):
        began = process_time()
        list(learns.records(task, task + 1))
        took.append(process_time() - began)
    seconds = sum(took) if varied == "tasks" else min(took)
    work = operations(network) * given["N"] * (tasks if varied == "tasks" else 1)
    numbers = network.connections + stream.dataset.images.size
    return Point(varied, value, seconds, in_use("VmHWM") - before, work, float(numbers))


def in_use(what: str) -> float:
    """Megabytes of this process, by Linux's name."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(what)]
    return int(line.split()[1]) / 1024


def points(grids: Mapping[str, Sequence[int]]) -> list[Point]:
    return [alone(varied, value) for varied, values in grids.items() for value in values]


def alone(varied: str, value: int) -> Point:
    words = [sys.executable, Path(__file__), "--point", varied, str(value)]
    said = subprocess.run(words, env=os.environ, check=True, capture_output=True, text=True).stdout
    return Point(**json.loads(said))


def exponent(values: Sequence[float], costs: Sequence[float]) -> float:
    """Of the power that fits best; what costs nothing at all grows with exponent 0."""
    logs = np.log(np.maximum(costs, 1e-9))
    return float(np.polyfit(np.log(values), logs, 1)[0])


def growth(found: Sequence[Point]) -> list[Growth]:
    made = []
    for varied in dict.fromkeys(point.varied for point in found):
        largest = [point for point in found if point.varied == varied][-FITTED:]
        values = [point.value for point in largest]
        time, expected, memory, weights = (
            exponent(values, [getattr(point, what) for point in largest])
            for what in ("seconds", "work", "megabytes", "numbers")
        )
        made.append(Growth(varied, time, expected, memory, weights))
    return made


def show(found: Sequence[Point], grown: Sequence[Growth], console: Console) -> None:
    console.print("Whole tasks on MNIST, one thread")
    rows = []
    for point in found:
        speed = point.work / point.seconds / 1e9
        numbers = f"{point.seconds:.3f}", f"{point.megabytes:.0f}", f"{speed:.0f}"
        rows.append([point.varied, f"{point.value:,}", *numbers])
    show_table(console, ("varied",), ("value", "seconds", "MB more", "GFLOP/s"), rows)
    console.print(f"\nExponents over the {FITTED} largest of each")
    rows = [
        [
            each.varied,
            *(f"{number:.2f}" for number in (each.time, each.time_expected, each.memory, each.memory_expected)),
        ]
        for each in grown
    ]
    show_table(console, ("varied",), ("time", "of the work", "memory", "of weights and pixels"), rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few points, within a minute")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the numbers")
    parser.add_argument("--point", nargs=2, metavar=("VARIED", "VALUE"), help="one point alone, as JSON")
    options = parser.parse_args()
    if options.point:
        varied, value = options.point
        least = 0 if varied == "units" else 1
        if varied not in GRIDS or not value.isdecimal() or int(value) < least:
            raise Mistake(f"--point {varied} {value} is not possible; give {', '.join(GRIDS)} and a whole number")
        with threadpool_limits(1):
            print(json.dumps(asdict(measured(varied, int(value)))))
        return
    if options.json:
        command.check_writable(options.json)
    found = points(QUICK if options.quick else GRIDS)
    grown = growth(found)
    show(found, grown, terminal.console())
    if options.json:
        kept = {"points": [asdict(point) for point in found], "growth": [asdict(each) for each in grown]}
        options.json.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    command.run(main)
