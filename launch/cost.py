"""What committed runs took, and what they would cost a loop as a PyTorch user would write it."""

import command  # isort: skip

import argparse
from functools import cache
from pathlib import Path

import numpy as np
import torch
from threadpoolctl import threadpool_limits
from timing import PlainLoop, cascade, layered, microseconds, mnist

from hydra_plugins.plasticity.presets import presets
from plasticity.ground.errors import Mistake
from plasticity.results import archive
from plasticity.results.curves import Curve
from plasticity.runs.keys import differences
from plasticity.streams import Samples

CONF = Path(__file__).parent.parent / "conf"
SECONDS = 1.0  # of timing each network
KNOTS = (0, 10, 30, 100, 300, 1000)  # units at which the plain loop is timed; between them it is taken as linear


class PlainCost:
    """What a sample costs the plain loop, by the network; each is timed once."""

    def __init__(self, samples: Samples):
        self._samples = samples
        self._microseconds = cache(self._measure)

    def _measure(self, kind: str, size: tuple[int, ...]) -> float:
        network = layered(*size) if kind == "layered" else cascade(*size, lateral=kind == "cascade")
        return microseconds(PlainLoop(network), network, self._samples, SECONDS)

    def of(self, curve: Curve) -> np.ndarray:  # (seeds, tasks)
        network, units = curve.what["model"]["network"], curve.series("units")
        if "layers" in network:
            return np.full(units.shape, self._microseconds("layered", (network["width"], network["layers"])))
        kind = "cascade" if network["lateral"] else "flat"
        knots = [knot for place, knot in enumerate(KNOTS) if place < 2 or KNOTS[place - 1] < units.max()]
        return np.interp(units, knots, [self._microseconds(kind, (knot,)) for knot in knots])


def cost(folder: Path) -> dict[str, float]:
    """Core-hours of the runs in the default settings: taken, and extrapolated from the plain loop at their sizes."""
    settings = presets(CONF, ()).settings()
    curves = [curve for curve in archive.read(folder / "records") if not differences(curve.what, settings)]
    plain = PlainCost(mnist(10_000).samples(0))
    taken = sum(trace.seconds for curve in curves for trace in curve.traces)
    estimated = sum(float(plain.of(curve).sum()) * curve.N / 1e6 for curve in curves)
    runs = sum(len(curve.traces) for curve in curves)
    if not taken:
        raise Mistake(f"{folder} has no runs in the default settings")
    return {"runs": runs, "hours": taken / 3600, "plain_hours": estimated / 3600, "ratio": estimated / taken}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="what launch/figures.py --save-records wrote to, e.g. outputs/paper")
    folder = parser.parse_args().folder
    torch.set_num_threads(1)
    with threadpool_limits(1):
        found = cost(folder)
    print(f"{found['runs']} runs took {found['hours']:,.2f} core-hours (measured)")
    print(f"a plain loop: {found['plain_hours']:,.0f} core-hours (extrapolated), {found['ratio']:,.0f} × as many")


if __name__ == "__main__":
    command.run(main)
