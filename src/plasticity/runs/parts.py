"""From a node of the configuration to the object that its `_target_` names."""

from importlib import import_module
from typing import Any

from plasticity.errors import Mistake

OURS = "plasticity."  # how the targets of the suite's own parts begin


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
    except (ImportError, AttributeError, ValueError, SyntaxError) as error:
        hint = "a file of your own must be on PYTHONPATH"
        raise Mistake(f"_target_={path} cannot be imported ({error}); {hint}") from error
