"""From what was composed to a configuration: typed, filled in, and checked before anything is written."""

import json
from dataclasses import fields
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from omegaconf import DictConfig, OmegaConf

from plasticity.errors import Mistake
from plasticity.networks import Network
from plasticity.networks.initial import initial
from plasticity.rules import traces_of
from plasticity.runs import measuring
from plasticity.runs.config import Config
from plasticity.runs.growth import paper_K
from plasticity.runs.parts import locate, make

OmegaConf.register_new_resolver("paper_K", paper_K, replace=True)


def resolve(composed: DictConfig) -> Config:
    """Typed, with every interpolation filled in, and checked."""
    known = [field.name for field in fields(Config)]
    wanted = [str(key) for key in composed if str(key) in known or key not in ALSO_IN_FILES]
    typed = OmegaConf.merge(OmegaConf.structured(Config), OmegaConf.masked_copy(composed, wanted))
    if unknown := sorted(set(map(str, typed)) - set(known)):  # +key=value adds keys
        raise Mistake(f"{unknown[0]} is not a known key")
    assert isinstance(typed, DictConfig)
    typed.N = _samples(typed)
    OmegaConf.resolve(typed)
    config = OmegaConf.to_object(typed)
    assert isinstance(config, Config)
    if config.engine.get("device") == "auto":  # which of the two it is changes numbers, so it is part of the identity
        from plasticity.engines.reference import torch_device

        config.engine["device"] = torch_device("auto").type
    check(config)
    return config


ALSO_IN_FILES = ("identity", "ran_on")  # what a run's config.yaml says besides its configuration


def _samples(typed: DictConfig) -> int:
    N = typed.N
    if N == "all":
        dataset = OmegaConf.to_container(typed.dataset, resolve=True)
        _named("dataset", dataset)
        assert isinstance(dataset, dict)
        return _made("dataset", {str(key): value for key, value in dataset.items()}).size()
    if isinstance(N, bool) or not isinstance(N, int):
        raise Mistake(f"N={N} is not possible; it must be a whole number, or all for every image")
    return N


def check(config: Config) -> None:
    _named("model.network", config.model.get("network"))
    if not isinstance(rules := config.model.get("rules"), dict):
        raise Mistake(f"model.rules={rules} is not possible; it is a mapping of rules, as in conf/model/aen.yaml")
    nodes = {f"model.rules.{name}": node for name, node in rules.items() if node is not None}
    nodes |= {name: getattr(config, name) for name in ("dataset", "stream", "update", "engine", "tracker")}
    nodes |= {f"measures.{name}": node for name, node in config.measures.items()}
    for name, node in nodes.items():
        _named(name, node)
    _made("dataset", config.dataset).check(config.N)
    stream = locate(config.stream["_target_"])
    if isinstance(stream, type):  # it is made from the data set, which is not there yet
        _complete("stream", config.stream, stream)
    for name in ("K", "tasks", "step_size"):
        value = getattr(config, name)
        if not (value > 0 and isfinite(value)):
            raise Mistake(f"{name}={value} is not possible; {name} must be positive")
    for name in ("layers", "width"):
        if name in config.model and not (isinstance(config.model[name], int) and config.model[name] > 0):
            raise Mistake(f"model.{name}={config.model[name]} is not possible; it must be a positive integer")
    if config.seed < 0:
        raise Mistake(f"seed={config.seed} is not possible; a seed is 0 or more")
    if not 0 < config.probe <= 1:
        raise Mistake(f"probe={config.probe} is not a share of the samples; it must be above 0 and at most 1")
    if not config.checkpoint_seconds >= 0:
        raise Mistake(f"checkpoint_seconds={config.checkpoint_seconds} is not possible; it must be 0 or more")
    _one_of("order", config.order, "shuffled", "fixed")
    _one_of("device", config.device, "cpu", "cuda", "auto")
    for role in ("incoming", "outgoing", "first", "layers", "outputs"):
        if (text := getattr(config.init, role)) is not None:
            initial(role, text)
    measuring.check(config.measures)
    _together(config)


def _together(config: Config) -> None:
    """Rules, update and engine are made, and asked whether they go together, with a network of the same kind."""
    nodes = {name: node for name, node in config.model["rules"].items() if node is not None}
    rules = {name: _made("rule", node, f"model.rules.{name}") for name, node in nodes.items()}
    update, wanted = _made("update", config.update), traces_of(rules)
    network = _small_network(json.dumps(config.model["network"], sort_keys=True))
    if reason := _made("engine", config.engine).refuses(network, update, rules):
        raise Mistake(reason)
    for name, rule in rules.items():
        if getattr(network, "fixed_size", False) and getattr(rule, "resizes", False):
            kind = type(network).__name__.lower()
            raise Mistake(
                f"model.rules.{name} adds or drops units, and a {kind} network has a fixed size; use a cascade"
            )
    for rule in rules.values():
        if hasattr(rule, "refuses") and (reason := rule.refuses(network)):
            raise Mistake(reason)
    network.remember((), wanted)


# What each part must have, and where that is said.
NEEDS = {
    "dataset": (("size", "check", "fetch", "load"), "data/dataset.py"),
    "stream": (("samples",), "streams/stream.py"),
    "update": (("memory", "linear", "__call__"), "updates/update.py"),
    "engine": (("refuses", "learn"), "engines/engine.py"),
    "rule": (("due", "__call__"), "rules/rule.py"),
}


def _made(kind: str, node: dict[str, Any], key: str = "") -> Any:
    made = make(node)
    _complete(kind, node, made, key)
    return made


def _complete(kind: str, node: dict[str, Any], made: Any, key: str = "") -> None:
    """A part of somebody's own may lack what the suite will call."""
    names, where = NEEDS[kind]
    missing = [name for name in names if not hasattr(made, name)]
    if missing:
        hint = f"it needs {' and '.join(names)}, as src/plasticity/{where} says"
        raise Mistake(f"{key or kind}: {node['_target_']} is no {kind}: it lacks {' and '.join(missing)}; {hint}")


@cache
def _small_network(node: str) -> Network:
    return make(json.loads(node), rng=np.random.default_rng(0), inputs=4, outputs=2)


def warnings(config: Config) -> list[str]:
    grows = [node["K"] for node in config.model["rules"].values() if node and isinstance(node.get("K"), int)]
    if grows and min(grows) >= config.N:
        return [f"K={min(grows)} is not below N={config.N}: the network will not grow"]
    return []


def _named(name: str, node: object) -> None:
    if not (isinstance(node, dict) and isinstance(node.get("_target_"), str)):
        raise Mistake(
            f"{name}={node} is not possible; it needs a _target_ that names its class, as the files in conf have"
        )


def _one_of(name: str, value: str, *choices: str) -> None:
    if value not in choices:
        raise Mistake(f"{name}={value} is not known; choose {' or '.join(choices)}")


def read_config(path: Path) -> Config:
    """Of a file that `text` made."""
    try:
        whole = yaml.safe_load(path.read_text())
        return resolve(OmegaConf.create({field.name: whole[field.name] for field in fields(Config)}))
    except (OSError, yaml.YAMLError, UnicodeDecodeError, TypeError, KeyError) as error:
        raise Mistake(f"{path} is not the configuration of a run: {error!r}") from error
