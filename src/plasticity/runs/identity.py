"""What can change a run's numbers, said once: its digest, the curve it belongs to and its labels."""

import hashlib
import inspect
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from plasticity.runs.config import Config
from plasticity.runs.growth import SHARE, paper_K
from plasticity.runs.parts import OURS, locate

What = Mapping[str, Any]  # an identity, or a curve's part of it

DIGEST = 8  # letters of a digest that names show
# Of the identity, what the runs of one curve need not share. Our own engines differ in speed, not in what they compute.
WITHIN_A_CURVE = ("seed", "engine")
WORDS = ("label", "method", "timing")  # of the identity, what is shown and changes no number


def identity(config: Config) -> dict[str, Any]:
    """Everything that can change a number. Keys at their neutral value, the default of the class that takes them, stay
    out: so a key that is added later, with a default that does what was done before, changes no old digest."""
    model = config.model
    return {
        "label": label(model),
        **{word: model[word] for word in ("method", "timing") if model.get(word)},
        "model": {"name": model["name"], "network": part(model["network"]), "rules": _listed(model["rules"])},
        "dataset": {"name": config.dataset["name"], **part(config.dataset)},
        "N": config.N,
        "stream": part(config.stream),
        "probe": config.probe,
        "update": part(config.update),
        "engine": part(config.engine),
        "seed": config.seed,
    }


def label(model: Mapping[str, Any]) -> str:
    """The model's own, and its method's name: what a method does is in the parts that it adds or changes."""
    return "-".join([model["label"], *([model["method"]] if model.get("method") else [])])


def part(node: Mapping[str, Any]) -> dict[str, Any]:
    """One of our own parts by the name of its class, so that files can move; another by its source's digest, too."""
    made_by = locate(node["_target_"])
    parameters = inspect.signature(made_by).parameters
    neutral = {name: each.default for name, each in parameters.items() if each.default is not inspect.Parameter.empty}
    settings = {key: value for key, value in node.items() if key not in ("_target_", "name")}
    if hasattr(made_by, "identity"):
        settings = made_by.identity(settings)
    decides = {key: value for key, value in settings.items() if key not in neutral or value != neutral[key]}
    decides = {key: _with_parts(value) for key, value in decides.items()}
    source = {} if node["_target_"].startswith(OURS) else {"source": _source(made_by)}
    return {"kind": node["_target_"].rpartition(".")[2], **source, **decides}


def _with_parts(value: Any) -> Any:
    """A part may have parts: a stream, those that take turns in it."""
    if not isinstance(value, Mapping):
        return value
    return part(value) if "_target_" in value else _listed(value)


def _listed(parts: Mapping[str, Any]) -> list[list[Any]]:
    """By name, in their order, which counts; None is none."""
    return [[name, _with_parts(each)] for name, each in parts.items() if each is not None]


def _source(made_by: Any) -> str | None:
    try:
        file = inspect.getsourcefile(made_by)
    except TypeError:  # a built-in has none
        file = None
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[: 2 * DIGEST] if file else None


def digest(what: What) -> str:
    """Of a run."""
    return _digest({key: value for key, value in what.items() if key not in WORDS})


def curve(what: What) -> dict[str, Any]:
    """What the runs of one curve share. An engine from outside is part of it."""
    engine = what.get("engine", {})
    own = [key for key in WITHIN_A_CURVE if not (key == "engine" and "source" in engine)]
    return {key: value for key, value in what.items() if key not in own}


def curve_key(what: What) -> str:
    return _digest({key: value for key, value in curve(what).items() if key not in WORDS})


def _digest(what: What) -> str:
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:DIGEST]


def place(what: What) -> str:
    """Where a curve's runs lie below outputs."""
    return f"{what['dataset']['name']}/N{what['N']}/{what['label']}"


def growth(what: What) -> str:
    """one, two, three, or a K that is none of the paper's; nothing for a network that does not grow."""
    K = grows_every(what)
    return next((word for word in SHARE if paper_K(what["N"], word) == K), "" if K is None else f"K={K}")


def grows_every(what: What) -> int | None:
    return next((rule["K"] for _, rule in what["model"]["rules"] if "K" in rule), None)


def name(what: What) -> str:
    """What a curve is, in two words: `aen two`, `ffcnn 3x200`."""
    network = what["model"]["network"]
    size = f"{network['layers']}x{network['width']}" if "layers" in network else growth(what)
    return f"{what['model']['name']} {size}".strip()
