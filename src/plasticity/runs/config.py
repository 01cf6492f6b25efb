"""The configuration of one run: its types, and what is refused before anything is written."""

from dataclasses import dataclass, fields
from math import isfinite
from typing import Any

from omegaconf import DictConfig, OmegaConf

from plasticity.data import dataset as data
from plasticity.errors import Mistake
from plasticity.networks.initial import initial
from plasticity.rules.growing import paper_K


@dataclass
class Init:
    incoming: str
    outgoing: str
    first: str
    layers: str


@dataclass
class Config:
    """Types only: conf/ owns the values."""

    model: dict[str, Any]
    dataset: dict[str, Any]
    engine: dict[str, Any]
    tracker: dict[str, Any]
    N: int
    K: int
    seed: int
    tasks: int
    step_size: float
    bias: bool
    order: str
    probe: float
    init: Init
    device: str
    data: str | None
    outputs: str
    force: bool
    checkpoint_seconds: float


RAN_ON = "versions"  # what a run's config.yaml says besides its configuration

OmegaConf.register_new_resolver("paper_K", paper_K, replace=True)


def resolve(composed: DictConfig) -> Config:
    """Typed, with every interpolation filled in, and checked."""
    wanted = [str(key) for key in composed if key != RAN_ON]
    typed = OmegaConf.merge(OmegaConf.structured(Config), OmegaConf.masked_copy(composed, wanted))
    if unknown := sorted(set(map(str, typed)) - {field.name for field in fields(Config)}):  # +key=value adds keys
        raise Mistake(f"{unknown[0]} is not a known key")
    OmegaConf.resolve(typed)
    config = OmegaConf.to_object(typed)
    assert isinstance(config, Config)
    if config.engine.get("device") == "auto":  # which of the two it is changes numbers, so it is part of the identity
        from plasticity.engines.reference import torch_device

        config.engine["device"] = torch_device("auto").type
    check(config)
    return config


def check(config: Config) -> None:
    for part in ("network", "grow", "prune"):
        _made(f"model.{part}", config.model.get(part))
    _made("engine", config.engine)
    _made("tracker", config.tracker)
    data.check(config.dataset["name"], config.N)
    for name in ("K", "tasks", "step_size"):
        value = getattr(config, name)
        if not (value > 0 and isfinite(value)):
            raise Mistake(f"{name}={value} is not possible; {name} must be positive")
    for name in ("layers", "width"):
        if name in config.model and not (isinstance(config.model[name], int) and config.model[name] > 0):
            raise Mistake(f"model.{name}={config.model[name]} is not possible; it must be a positive integer")
    grows = config.model["grow"].get("K")
    if grows is not None and not (isinstance(grows, int) and grows > 0):
        raise Mistake(f"model.grow.K={grows} is not possible; it must be a positive integer")
    if config.seed < 0:
        raise Mistake(f"seed={config.seed} is not possible; a seed is 0 or more")
    if not 0 < config.probe <= 1:
        raise Mistake(f"probe={config.probe} is not a share of the samples; it must be above 0 and at most 1")
    if not config.checkpoint_seconds >= 0:
        raise Mistake(f"checkpoint_seconds={config.checkpoint_seconds} is not possible; it must be 0 or more")
    _one_of("order", config.order, "shuffled", "fixed")
    _one_of("device", config.device, "cpu", "cuda", "auto")
    for role in ("incoming", "outgoing", "first", "layers"):
        initial(role, getattr(config.init, role))


def warnings(config: Config) -> list[str]:
    grows = config.model["grow"].get("K")
    if grows and grows >= config.N:
        return [f"K={grows} is not below N={config.N}: the network will not grow"]
    return []


def _made(name: str, node: object) -> None:
    if not (isinstance(node, dict) and isinstance(node.get("_target_"), str)):
        raise Mistake(
            f"{name}={node} is not possible; it needs a _target_ that names its class, as the files in conf have"
        )


def _one_of(name: str, value: str, *choices: str) -> None:
    if value not in choices:
        raise Mistake(f"{name}={value} is not known; choose {' or '.join(choices)}")
