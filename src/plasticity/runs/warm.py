"""Getting an engine ready: what is compiled and loaded before the first task is not part of the time that it takes."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace

from plasticity.data import Toy
from plasticity.learner import Learner
from plasticity.networks import Network
from plasticity.rules import Change, Moment, Rule, traces_of
from plasticity.runs.build import network_for, rules_of
from plasticity.runs.config import Config
from plasticity.runs.parts import OURS, make
from plasticity.streams import Permuted


@dataclass(frozen=True)
class _Reads:
    """In the place of a rule of somebody's own: reads what it reads, and is never asked."""

    traces: Mapping[str, float | None]

    def due(self, network: Network, sample: int, N: int) -> int | None:
        return None

    def __call__(self, network: Network, now: Moment) -> Change:
        return Change()


def warm(config: Config) -> None:
    """Has the engine learn two tiny tasks of nothing in particular."""
    toy = Toy()
    tiny = replace(config, model=deepcopy(config.model), N=2 * toy.classes)
    for rule in tiny.model["rules"].values():
        if rule and isinstance(rule.get("K"), int):
            rule["K"] = toy.classes
    data, update = toy.load(tiny.N), make(tiny.update)
    network, rules = network_for(tiny, data), _rules(tiny)
    network.remember(tuple(update.memory), traces_of(rules))
    ours = tiny.stream["_target_"].startswith(OURS)
    stream = make(tiny.stream, dataset=data, seed=tiny.seed) if ours else Permuted(data, tiny.seed, "shuffled")
    list(Learner(stream, network, make(tiny.engine), update, rules, tiny.seed, tiny.probe).records(0, 2))


def _rules(config: Config) -> dict[str, Rule]:
    nodes = config.model["rules"]
    return {
        name: rule if nodes[name]["_target_"].startswith(OURS) else _Reads(getattr(rule, "traces", {}))
        for name, rule in rules_of(config).items()
    }


def on_cpu(config: Config) -> Config:
    """For a login node, which has no GPU."""
    engine = {**config.engine, "device": "cpu"} if "device" in config.engine else config.engine
    return replace(config, engine=engine)
