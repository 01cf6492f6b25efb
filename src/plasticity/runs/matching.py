"""How wide a fixed network must be to equal an elastic one that has settled: `model.width=match`."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from plasticity.ground.errors import Mistake
from plasticity.networks import Network
from plasticity.rules import traces_of
from plasticity.runs.growth import SHARE, paper_K
from plasticity.runs.parts import make

SETTLED = Path(__file__).with_name("settled.yaml")
MEASURES = {"connections": "connections", "work": "operations per task", "memory": "bytes of memory"}
CLOSE = 0.03  # the share by which a match may miss
WIDEST = 1 << 16


@dataclass(frozen=True)
class Match:
    """The width of a fixed network, and how near it comes to AEN."""

    width: int
    measure: str
    wanted: float  # what AEN has settled at
    found: float  # what a network of that width has

    @property
    def miss(self) -> float:
        """As a share of what is wanted."""
        return self.found / self.wanted - 1

    @property
    def is_close(self) -> bool:
        return abs(self.miss) <= CLOSE

    def __str__(self) -> str:
        side = "more" if self.found >= self.wanted else "less"
        numbers = (
            f"{self.found:,.0f} {MEASURES[self.measure]}, {abs(self.miss):.1%} {side} than AEN's {self.wanted:,.0f}"
        )
        return f"model.width={self.width}: {numbers}"


def width(config: dict[str, Any]) -> int:
    """Of a resolved configuration in which it is still open."""
    found = match(config)
    if not found.is_close:
        raise Mistake(f"model.width=match comes no nearer than {found}; give model.width a number")
    return found.width


def match(config: dict[str, Any], wanted: float | None = None, rather: int | None = None) -> Match:
    """The width that comes nearest to what is wanted, or to where AEN settles in the default settings; or the one that
    somebody would rather have, if it comes near enough."""
    measure = config["match"]
    if measure not in MEASURES:
        raise Mistake(f"match={measure} is not known; choose {', '.join(MEASURES)}")
    place = of(config["dataset"]["name"])
    if wanted is None:
        wanted = settled(config["dataset"]["name"], config["N"], config["K"])[measure]
    parts = {name: config[name] for name in ("model", "update", "N")}
    text = json.dumps({**parts, "inputs": place["inputs"], "outputs": place["outputs"]}, sort_keys=True)
    if rather and (found := Match(rather, measure, wanted, has(text, measure, rather))).is_close:
        return found
    low, high = 1, 1
    while high < WIDEST and has(text, measure, high) < wanted:
        low, high = high, 2 * high
    while high - low > 1:  # what it has rises with its width
        middle = (low + high) // 2
        low, high = (middle, high) if has(text, measure, middle) < wanted else (low, middle)
    best = min(low, high, key=lambda width: abs(has(text, measure, width) - wanted))
    return Match(best, measure, wanted, has(text, measure, best))


def of(dataset: str) -> dict[str, Any]:
    """What is known of a data set: inputs, outputs, and where AEN settles on it."""
    known = _known()
    if dataset not in known:
        raise Mistake(
            f"model.width=match does not know dataset={dataset}; it knows {', '.join(known)}; give model.width a number"
        )
    return known[dataset]


def settled(dataset: str, N: int, K: int) -> dict[str, float]:
    """Where AEN settles, in the default settings."""
    known = _known()
    growth = next((word for word in SHARE if paper_K(N, word) == K), None)
    found = known.get(dataset, {}).get("settled", {}).get(N, {}).get(growth)
    if found is None:
        where = "; ".join(f"dataset={name} N={n}" for name, one in known.items() for n in one["settled"])
        raise Mistake(
            f"model.width=match does not know where AEN settles at dataset={dataset} N={N} K={K}; it knows {where}, "
            "with growth=one, two or three; give model.width a number"
        )
    return found


@cache
def _known() -> dict[str, Any]:
    return yaml.safe_load(SETTLED.read_text())


@cache
def has(text: str, measure: str, width: int) -> float:
    """Of a network of that width: its connections, the operations of N steps, or the bytes of its state."""
    config = json.loads(text)
    network = _network(config, width)
    if measure == "connections":
        return network.connections
    if measure == "memory":
        return network.state_bytes
    return config["N"] * network.work.step(make(config["update"]).work)


def _network(config: dict[str, Any], width: int) -> Network:
    rules = {name: make(node) for name, node in config["model"]["rules"].items() if node is not None}
    size = {name: config[name] for name in ("inputs", "outputs")}
    network = make({**config["model"]["network"], "width": width}, rng=np.random.default_rng(0), **size)
    network.remember(tuple(make(config["update"]).memory), traces_of(rules))
    return network
