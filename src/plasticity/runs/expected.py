"""What readers of a run's `config.yaml` rely on, checked where it is read: the file may be anybody's."""

import json
from collections.abc import Mapping
from typing import Any

from plasticity.runs import names


def check(config: Any) -> None:
    """Raises whatever comes of it, a Mistake, KeyError, TypeError or ValueError, if the file is not a run's."""
    what = config["identity"]
    for key, value in (("seed", config["seed"]), ("tasks", config["tasks"]), ("N", config["N"]), ("N", what["N"])):
        _is(key, value, int)
    model = _is("model", what["model"], dict)
    names.check("identity.label", what["label"])
    names.check("identity.model.name", model["name"])
    names.check("identity.dataset.name", what["dataset"]["name"])
    names.check("identity.method", what.get("method", "none"))
    names.check("identity.timing", what.get("timing", "paper"))
    _is("identity.probe", what["probe"], int | float)
    for kind in ("dataset", "stream", "update"):
        _is(f"identity.{kind}.kind", what[kind]["kind"], str)
    _sizes(_is("network", model["network"], dict), "layers", "width", "depth")
    for name, rule in model["rules"]:
        names.check("identity.model.rules", name)
        _sizes(_is(name, rule, dict), "K")
    for kind in ("engine", "dataset", "tracker", "measures"):
        _is(kind, config.get(kind, {}), dict)
    json.dumps(what, sort_keys=True)  # as its digest is made


def _sizes(settings: Mapping[str, Any], *keys: str) -> None:
    for key in keys:
        _is(key, settings.get(key, 1), int)


def _is(name: str, value: Any, kind: Any) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}")
    return value
