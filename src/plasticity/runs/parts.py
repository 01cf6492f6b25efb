"""From a node of the configuration to the object that its `_target_` names."""

import inspect
from importlib import import_module
from typing import Any

from plasticity.ground.errors import Mistake

OURS = "plasticity."  # how the targets of the suite's own parts begin


def make(node: dict[str, Any], **more: Any) -> Any:
    """Calls what `_target_` names with the node's other keys. A part may have parts: they are given the same `more`."""
    settings = {key: _made(value, more, key) for key, value in node.items() if key not in ("_target_", "name")}
    made_by = locate(node["_target_"])
    _check_keys(made_by, settings, tuple(more))
    try:
        return made_by(**settings, **more)
    except (TypeError, ValueError) as error:
        raise Mistake(f"{node['_target_']} cannot be made from {settings}: {error}") from error


def _made(value: Any, more: dict[str, Any], place: str) -> Any:
    """`place`: its key, in the part that it is a part of."""
    if not isinstance(value, dict):
        return value
    if "_target_" not in value:
        return {key: _made(each, more, f"{place}.{key}") for key, each in value.items()}
    try:
        return make(value, **more)
    except Mistake as mistake:  # a part does not know where it is: stream.change is stream.turns.gradual.change here
        group, dot, rest = str(mistake).partition(".")
        raise Mistake(f"{group}.{place}.{rest}" if dot and group.isidentifier() else str(mistake)) from mistake


def _check_keys(made_by: Any, settings: dict[str, Any], given: tuple[str, ...]) -> None:
    """One sentence on a key that it does not take, or that is missing; `lacks` of a class says why, where there is more
    to say."""
    try:
        parameters = inspect.signature(made_by).parameters
    except (TypeError, ValueError):  # a built-in may have none
        return
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values()):
        return
    for key in (key for key in settings if key not in parameters):
        takes = ", ".join(name for name in parameters if name not in given) or "no keys"
        reasons = getattr(made_by, "lacks", {})
        why = f": {reasons[key]}" if key in reasons else f"; it takes {takes}"
        raise Mistake(f"{made_by.__name__} takes no {key}={settings[key]}{why}")
    there = {*settings, *given}
    needed = [name for name, each in parameters.items() if _is_needed(each) and name not in there]
    if needed:
        raise Mistake(f"{made_by.__name__} needs {' and '.join(needed)}, which its configuration does not have")


def _is_needed(parameter: inspect.Parameter) -> bool:
    return parameter.default is parameter.empty and parameter.kind is not inspect.Parameter.VAR_POSITIONAL


def locate(path: str) -> Any:
    module, _, name = path.rpartition(".")
    try:
        return getattr(import_module(module), name)
    except Exception as error:  # a file of somebody's own may raise anything
        if path.startswith(OURS) and not isinstance(error, ImportError | AttributeError):
            raise
        raise Mistake(f"_target_={path} cannot be imported: {_reason(error, module)}") from error


def _reason(error: Exception, module: str) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name and f"{module}.".startswith(f"{error.name}."):
        return f"there is no module {error.name}; a file of your own must be on PYTHONPATH"
    if isinstance(error, SyntaxError):
        return f"{error.filename}, line {error.lineno}: {error.msg}"
    if isinstance(error, AttributeError | ImportError | ValueError):
        return str(error)
    return f"its file raises {type(error).__name__}: {error}"
