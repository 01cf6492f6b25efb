"""What benchmarks share: networks and samples to time, and what a sample takes an engine, JAX, and a plain loop."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from itertools import pairwise
from math import nan
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from rich.console import Console

from plasticity import terminal
from plasticity.data import MNIST, Source
from plasticity.engines import Engine
from plasticity.engines.fused import Fused
from plasticity.engines.reference import Reference
from plasticity.ground.errors import Mistake
from plasticity.learner import Learner
from plasticity.networks import Cascade, Layered, Network
from plasticity.rules import Rule
from plasticity.streams import Permuted, Samples
from plasticity.terminal.tables import Column, table
from plasticity.updates import SGD

STEP = 0.001
UPDATE = SGD(STEP)


def mnist(N: int, source: Source | None = None) -> Permuted:
    return Permuted((source or MNIST()).load(N, None), seed=0, order="shuffled")


def learner(stream: Permuted, network: Network, engine: Engine, **rules: Rule) -> Learner:
    return Learner(stream, network, engine, UPDATE, rules, seed=0, probe=0.05)


def cascade(units: int, lateral: bool = True) -> Cascade:
    how = partial(Cascade, incoming="kaiming", outgoing="kaiming_layer", first="torch")
    network = how(np.random.default_rng(0), 784, 10, lateral=lateral, freezing=False, bias=True)
    for unit in range(units):
        network.grow(np.random.default_rng(unit))
    return network


def layered(width: int, layers: int = 3) -> Layered:
    return Layered(np.random.default_rng(0), 784, 10, layers=layers, width=width, bias=True, initial_weights="kaiming")


class ModulePerUnit(torch.nn.Module):
    """A growing network as one would write it first: a Linear for each unit, fed with all that came before."""

    def __init__(self, units: int, lateral: bool):
        super().__init__()
        self.lateral = lateral
        self.units = torch.nn.ModuleList(torch.nn.Linear(784 + (unit if lateral else 0), 1) for unit in range(units))
        self.outputs = torch.nn.Linear(784 + units, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        seen = x
        for unit in self.units:
            seen = torch.cat([seen, torch.relu(unit(seen if self.lateral else x))])
        return self.outputs(seen)


def plain_module(network: Network) -> torch.nn.Module:
    if isinstance(network, Cascade):
        return ModulePerUnit(network.units, network.wiring.lateral)
    assert isinstance(network, Layered)
    sizes = [784, *(len(bias) for bias in network.bias)]
    layers = [torch.nn.Linear(n, m) for n, m in pairwise(sizes)]
    return torch.nn.Sequential(*[part for layer in layers for part in (layer, torch.nn.ReLU())][:-1])


class PlainLoop:
    def __init__(self, network: Network):
        self.module = plain_module(network)
        self.optimizer = torch.optim.SGD(self.module.parameters(), lr=STEP)

    def learn(self, network: object, samples: Samples, update: object) -> None:
        for x, y in zip(torch.from_numpy(samples.x), torch.from_numpy(samples.y), strict=True):
            output = self.module(x)
            _ = output.argmax() == y
            self.optimizer.zero_grad()
            torch.nn.functional.cross_entropy(output, y).backward()
            self.optimizer.step()


def microseconds(engine: PlainLoop | Reference | Fused, network: Network, samples: Samples, budget: float) -> float:
    """The best of several stretches, each long enough to time; the first few samples only warm up."""
    warm = perf_counter()
    engine.learn(network, samples[:3], UPDATE)
    once = (perf_counter() - warm) / 3
    if isinstance(engine, Fused):
        once = 50e-6
    count = max(3, min(len(samples), int(budget / 5 / once)))
    best, began = np.inf, perf_counter()
    while perf_counter() - began < budget:
        start = perf_counter()
        engine.learn(network, samples[:count], UPDATE)
        best = min(best, (perf_counter() - start) / count)
    return best * 1e6


JAX = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"


def in_jax(peers: Sequence[tuple[Any, ...]], seconds: float) -> list[float]:
    """µs per sample; nan where JAX is not installed. Its pixels are random, which costs a dense step the same."""
    if find_spec("jax") is None:
        return [nan] * len(peers)
    words = [sys.executable, Path(__file__).with_name("peers.py"), json.dumps([peers, seconds])]
    environment = os.environ | {"XLA_FLAGS": JAX, "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Mistake(f"JAX could not be measured ({done.stderr.strip().splitlines()[-1]})")
    return json.loads(done.stdout.splitlines()[-1])


def operations(network: Network) -> int:
    """Of a dense step: forward and update touch every weight, going back all but those from the inputs."""
    fed = network.weights[0].shape[1] if isinstance(network, Layered) else network.units + network.outputs
    first = 784 * fed
    return 2 * (3 * network.connections - first)


def show_table(console: Console, names: Sequence[str], numbers: Sequence[str], rows: list[list[str]]) -> None:
    """Names stand to the left, numbers to the right."""
    columns = [*(Column(name, left=True, what=True) for name in names), *map(Column, numbers)]
    terminal.show(console, table(columns, rows, terminal.room(console)))
