"""Small networks, small data, and configurations composed as the command line would."""

from pathlib import Path

import numpy as np
from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore

from plasticity.data.dataset import Dataset, toy
from plasticity.networks import Cascade, Layered
from plasticity.runs.config import Config, resolve

ROOT = Path(__file__).parents[2]
MODELS = ("ffcnn", "sgn", "agn", "aen", "aen_random", "agn_two_layer", "aen_two_layer")

ConfigStore.instance().store(name="schema", node=Config)


def configured(*overrides: str) -> Config:
    with initialize_config_dir(str(ROOT / "conf"), version_base="1.3"):
        return resolve(compose("config", list(overrides)))


def small_data(N: int = 300, inputs: int = 20, dtype: type = np.float64) -> Dataset:
    made = toy(N, inputs)
    return Dataset(made.images.astype(dtype), made.labels)


def cascade(units: int = 0, inputs: int = 20, dtype: type = np.float64, **settings: object) -> Cascade:
    defaults = dict(lateral=True, freezing=False, bias=True, incoming="kaiming", outgoing="uniform:0.5", first="torch")
    network = Cascade(np.random.default_rng(0), inputs, 10, dtype=dtype, **(defaults | settings))  # type: ignore[arg-type]
    for unit in range(units):
        network.grow(np.random.default_rng(unit + 1))
    return network


def layered(layers: int = 2, width: int = 7, inputs: int = 20, dtype: type = np.float64, bias: bool = True) -> Layered:
    return Layered(
        np.random.default_rng(0),
        inputs,
        10,
        layers=layers,
        width=width,
        bias=bias,
        initial_weights="kaiming",
        dtype=dtype,
    )
