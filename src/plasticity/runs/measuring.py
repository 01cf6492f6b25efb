"""Which columns the measures of a run's configuration are."""

from collections.abc import Mapping
from typing import Any

from plasticity.ground.errors import Mistake
from plasticity.runs.parts import locate

PER_LAYER = "per_layer"


def columns(nodes: Mapping[str, Mapping[str, Any]], layers: int) -> dict[str, tuple[str, int | None]]:
    """By column: the function that measures it, and of which hidden layer, from 0. What is measured `per_layer` is a
    column for each of a layered network's hidden layers, numbered from 1, and none where a network has no layers."""
    found: dict[str, tuple[str, int | None]] = {}
    for name, node in nodes.items():
        if node.get(PER_LAYER, False):
            found |= {f"{name}{layer + 1}": (node["_target_"], layer) for layer in range(layers)}
        else:
            found[name] = (node["_target_"], None)
    return found


def check(nodes: Mapping[str, Mapping[str, Any]]) -> None:
    for name, node in nodes.items():
        locate(node["_target_"])
        if not isinstance(each := node.get(PER_LAYER, False), bool):
            raise Mistake(f"measures.{name}.{PER_LAYER}={each} is not possible; it is true or false")
