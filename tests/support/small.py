"""Small networks, small data, and configurations composed as the command line would."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from hydra.core.config_store import ConfigStore
from hydra.types import RunMode

from hydra_plugins.plasticity.compose import Composer, loader
from plasticity.data import Dataset, Toy
from plasticity.networks import Cascade, Layered, Network
from plasticity.record import Record
from plasticity.rules import Moment
from plasticity.runs.config import Config
from plasticity.runs.resolve import resolve
from plasticity.streams import Permuted, Samples

ROOT = Path(__file__).parents[2]
MODELS = ("ffcnn", "sgn", "agn", "aen", "aen_random", "agn_two_layer", "aen_two_layer")

ConfigStore.instance().store(name="schema", node=Config)


def configured(*overrides: str) -> Config:
    """As a grid composes its runs: Hydra by itself takes a quarter of a second for each."""
    return resolve(_composer().config(overrides))


@cache
def _composer() -> Composer:
    conf = loader(ROOT / "conf")
    return Composer(conf, conf.load_configuration("config", [], RunMode.MULTIRUN))


def small_data(N: int = 300, inputs: int = 20, dtype: type = np.float64) -> Dataset:
    made = Toy(inputs).load(N)
    return replace(made, images=made.images.astype(dtype))


def stream(dataset: Dataset | None = None, seed: int = 0, order: str = "shuffled") -> Permuted:
    return Permuted(dataset or small_data(), seed, order)


def moment(network: Network, samples: Samples, **more: Any) -> Moment:
    """The start of a task whose probe is all of its samples."""
    start: dict[str, Any] = dict(
        seed=0, task=0, sample=0, correct=np.zeros(0, bool), share=1.0, rng=np.random.default_rng(0)
    )
    return Moment(network=network, samples=samples, **(start | more))


def record(task: int, **columns: float) -> Record:
    """One task with every column of the suite's own."""
    plain = dict(accuracy=0.5, accuracy_first_tenth=0.25, accuracy_last_tenth=0.75, loss=1.25)
    plain |= dict(dormancy=0.25, dormancy_before_pruning=0.3, units=7, connections=1234, pruned=1, added=2)
    plain |= dict(renewed=0, effective_rank=1.5, weight_magnitude=0.1, memory=4936, work=10**9, seconds=0.5)
    return Record({"task": task} | plain | columns)


def cascade(units: int = 0, inputs: int = 20, dtype: type = np.float64, column: int = 1, **settings: object) -> Cascade:
    defaults = dict(lateral=True, freezing=False, bias=True, incoming="kaiming", outgoing="uniform:0.5", first="torch")
    network = Cascade(np.random.default_rng(0), inputs, 10, dtype=dtype, **(defaults | settings))  # type: ignore[arg-type]
    for unit in range(units):
        network.grow(np.random.default_rng(unit + 1), unit % column)
    return network


def layered(layers: int = 2, width: int = 7, inputs: int = 20, dtype: type = np.float64, **settings: Any) -> Layered:
    how = dict(layers=layers, width=width, bias=True, initial_weights="kaiming", dtype=dtype)
    return Layered(np.random.default_rng(0), inputs, 10, **(how | settings))  # type: ignore[arg-type]
