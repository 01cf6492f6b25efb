"""From a run's configuration to its learner."""

import hashlib
import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

from plasticity.data import dataset as data
from plasticity.errors import Mistake
from plasticity.learner import Learner
from plasticity.runs.config import Config
from plasticity.seeds import Purpose, generator
from plasticity.streams.permuted import Stream


def learner(config: Config) -> Learner:
    dataset = data.load(config.dataset["name"], config.N, Path(config.data) if config.data else None)
    stream = Stream(dataset, config.seed, shuffled=config.order == "shuffled", probe=config.probe)
    network = make(
        config.model["network"],
        rng=generator(config.seed, Purpose.FIRST_WEIGHTS),
        inputs=dataset.images.shape[1],
        outputs=data.CLASSES,
    )
    return Learner(
        stream,
        network,
        make(config.engine),
        grow=make(config.model["grow"]),
        prune=make(config.model["prune"]),
    )


def make(node: dict[str, Any], **more: Any) -> Any:
    """Calls what `_target_` names with the node's other keys."""
    settings = {key: value for key, value in node.items() if key not in ("_target_", "name")}
    try:
        return locate(node["_target_"])(**settings, **more)
    except TypeError as error:
        raise Mistake(f"{node['_target_']} cannot be made from {settings}: {error}") from error


def locate(path: str) -> Any:
    module, _, name = path.rpartition(".")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        hint = "a file of your own must be on PYTHONPATH"
        raise Mistake(f"_target_={path} cannot be imported ({error}); {hint}") from error


def foreign_sources(config: Config) -> dict[str, str]:
    """Digests of the files that hold rules from outside the suite: a changed rule is another run."""
    nodes = [config.engine, *(config.model[part] for part in ("network", "grow", "prune"))]
    targets = [node["_target_"] for node in nodes if not node["_target_"].startswith("plasticity.")]
    files = {target: _source(locate(target)) for target in targets}
    return {target: hashlib.sha256(Path(file).read_bytes()).hexdigest() for target, file in files.items() if file}


def _source(made_by: Any) -> str | None:
    try:
        return inspect.getsourcefile(made_by)
    except TypeError:  # a built-in has none
        return None
