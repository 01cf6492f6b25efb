"""From what was composed to a configuration: typed, filled in, and checked before anything is written."""

import json
from copy import deepcopy
from dataclasses import MISSING, fields, replace
from functools import cache
from math import isfinite
from os.path import expanduser
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from omegaconf import DictConfig, OmegaConf

from plasticity.data import Dataset, Source
from plasticity.ground.errors import Mistake
from plasticity.networks import Network
from plasticity.networks.initial import initial
from plasticity.rules import Stall, traces_of
from plasticity.runs import matching, measuring, names
from plasticity.runs.config import Config
from plasticity.runs.growth import paper_K
from plasticity.runs.parts import make
from plasticity.streams import has_boundaries

OmegaConf.register_new_resolver("paper_K", paper_K, replace=True)


def resolve(composed: DictConfig) -> Config:
    """Typed, with every interpolation filled in, and checked."""
    typed = _typed(composed)
    if typed.model.get("width") == MATCH:
        typed.model.width = matching.width(_but_for_width(typed))
    OmegaConf.resolve(typed)
    config = OmegaConf.to_object(typed)
    assert isinstance(config, Config)
    if config.engine.get("device") == "auto":  # which of the two it is changes numbers, so it is part of the identity
        from plasticity.engines.reference import torch_device

        config.engine["device"] = torch_device("auto").type
    config.outputs = expanduser(config.outputs)
    config.data = config.data and expanduser(config.data)
    check(config)
    return config


def with_seed(config: Config, seed: int) -> Config:
    """The same run from another seed, checked. Only where nothing else was filled in from the seed."""
    other = replace(deepcopy(config), seed=seed)
    check(other)
    return other


def matched(composed: DictConfig, wanted: float | None = None, rather: int | None = None) -> matching.Match:
    """Which width model.width=match would be, and by how much it misses; see matching.match."""
    typed = _typed(composed)
    if "width" not in typed.model:
        raise Mistake(f"model={typed.model.name} has no width to match; a fixed network has one: model=ffcnn")
    return matching.match(_but_for_width(typed), wanted, rather)


def _but_for_width(typed: DictConfig) -> dict[str, Any]:
    """Everything else, filled in."""
    narrow = deepcopy(typed)
    narrow.model.width = 1
    container = OmegaConf.to_container(narrow, resolve=True)
    assert isinstance(container, dict)
    return {str(key): value for key, value in container.items()}


def _typed(composed: DictConfig) -> DictConfig:
    known = [field.name for field in fields(Config)]
    wanted = [str(key) for key in composed if str(key) in known or key not in ALSO_IN_FILES]
    own = composed if len(wanted) == len(composed) else OmegaConf.masked_copy(composed, wanted)
    typed = OmegaConf.merge(_schema(), own)  # which copies both
    OmegaConf.set_struct(typed, None)  # as a copy has it: Hydra's is closed
    if unknown := sorted(set(map(str, typed)) - set(known)):  # +key=value adds keys
        raise Mistake(f"{unknown[0]} is not a known key")
    assert isinstance(typed, DictConfig)
    _method_has_its_update(typed)
    typed.N = _samples(typed)
    return typed


def _method_has_its_update(typed: DictConfig) -> None:
    """A method that is an update of its own says so; that is no setting of the run."""
    wanted = typed.model.pop("update", None)
    method, given = typed.model.get("method"), typed["update"].get("name")
    if wanted not in (None, given):
        raise Mistake(f"method={method} is update={wanted}, not update={given}; leave out one of the two")


@cache
def _schema() -> DictConfig:
    """Made once: in a grid every configuration begins with it."""
    return OmegaConf.structured(Config)


MATCH = "match"  # a width that is chosen by what AEN has settled at
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
    for name, node in rules.items():
        if isinstance(node, dict) and node and "_target_" not in node:
            keys = " and ".join(f"{key}={value}" for key, value in node.items())
            model = config.model.get("name")
            hint = "use a model that has one, or name the rule's class with _target_"
            raise Mistake(f"model={model} has no rule {name}, so {keys} cannot be set; {hint}")
    for name, node in nodes.items():
        _named(name, node)
    source = _made("dataset", config.dataset)
    source.check(config.N)
    stream = make(config.stream, dataset=_stand_in(source, config.N), seed=max(config.seed, 0))
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
    _one_of("match", config.match, *matching.MEASURES)
    _one_of("device", config.device, "cpu", "cuda", "auto")
    if config.device == "cuda" and "device" not in config.engine:
        name = config.engine.get("name", config.engine["_target_"])
        raise Mistake(f"device=cuda is not possible: engine={name} has no GPU; use engine=torch or device=cpu")
    if not config.outputs:
        raise Mistake("outputs= names no folder; outputs=. is the one that the command is given in")
    for role in ("incoming", "outgoing", "first", "layers", "outputs"):
        if (text := getattr(config.init, role)) is not None:
            initial(role, text)
    measuring.check(config.measures)
    _check_names(config)
    _together(config, has_boundaries(stream))


def _check_names(config: Config) -> None:
    model = config.model
    for key in ("name", "label"):
        names.check(f"model.{key}", model.get(key))
    for word in ("method", "timing"):
        if model.get(word) is not None:
            names.check(f"model.{word}", model[word])
    names.check("dataset.name", config.dataset.get("name"))
    for name in model["rules"]:
        names.check("model.rules", name)
    for name in config.measures:
        names.check_column(f"measures.{name}", name)
    names.check_path("outputs", config.outputs)
    if config.data is not None:
        names.check_path("data", config.data)


def _stand_in(source: Source, N: int) -> Dataset:
    """For the data set, which is not there yet: a stream can be made of it, and asked what it is. A source that does
    not say how many classes it has may have any number."""
    classes = getattr(source, "classes", N)
    return Dataset(np.broadcast_to(np.float32(0), (N, 4)), np.arange(N) % classes, classes, (4,))


def _together(config: Config, boundaries: bool) -> None:
    """Rules, update and engine are made, and asked whether they go together, with a network of the same kind."""
    nodes = {name: node for name, node in config.model["rules"].items() if node is not None}
    rules = {name: _rule(f"model.rules.{name}", node) for name, node in nodes.items()}
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
        if not boundaries and getattr(rule, "needs_boundaries", False):
            key, stream = f"model.rules.{name}", config.stream.get("name")
            lacking = f"stream={stream} has no boundaries between tasks"
            if nodes[name].get("window", 0) is None:
                raise Mistake(f"{key} looks at a random part of the task, and {lacking}; set {key}.window to a number")
            hint = f"set {key}.every to a number of samples" if "every" in nodes[name] else "use another rule or stream"
            raise Mistake(f"{key} acts when a task begins, and {lacking}; {hint}")
    for rule in rules.values():
        if hasattr(rule, "refuses") and (reason := rule.refuses(network)):
            raise Mistake(reason)
    network.remember((), wanted)


def _rule(key: str, node: dict[str, Any]) -> Any:
    """A rule does not know the key that it is under."""
    try:
        return _made("rule", node, key)
    except Mistake as mistake:
        said = str(mistake)
        raise mistake if key in said else Mistake(f"{key}: {said}") from mistake


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
    rules = {name: node for name, node in config.model["rules"].items() if node}
    anew = [node for node in rules.values() if not getattr(make(node), "counts_on", False)]
    said, grows = [], [node["K"] for node in anew if isinstance(node.get("K"), int)]
    if grows and min(grows) >= config.N:
        said.append(f"K={min(grows)} is not below N={config.N}: the network will not grow")
    for name, node in rules.items():
        if isinstance(every := node.get("every"), int) and every > config.N:
            said.append(f"model.rules.{name}.every={every} is more than N={config.N}: it will never act")
        if isinstance(rule := make(node), Stall) and 2 * rule.window > config.N:
            said.append(f"model.rules.{name}.window={rule.window} is more than half of N={config.N}: it will never act")
    return said


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
        known = [field.name for field in fields(Config) if field.default is MISSING or field.name in whole]
        return resolve(OmegaConf.create({name: whole[name] for name in known}))
    except (OSError, yaml.YAMLError, UnicodeDecodeError, TypeError, KeyError, RecursionError) as error:
        raise Mistake(f"{path} is not the configuration of a run: {error!r}") from error
