"""From a run's configuration to its learner."""

from collections.abc import Mapping
from pathlib import Path

from plasticity.data import Dataset
from plasticity.ground.errors import Mistake
from plasticity.ground.seeds import Purpose, generator
from plasticity.learner import Learner
from plasticity.metrics import Measured, of_layer
from plasticity.networks import Network
from plasticity.rules import Rule, traces_of
from plasticity.runs.config import Config
from plasticity.runs.measuring import columns
from plasticity.runs.parts import locate, make


def learner(config: Config) -> Learner:
    return learner_on(config, make(config.dataset).load(config.N, Path(config.data) if config.data else None))


def learner_on(config: Config, dataset: Dataset) -> Learner:
    network, update, rules = network_for(config, dataset), make(config.update), rules_of(config)
    engine = make(config.engine)
    if reason := engine.refuses(network, update, rules):
        raise Mistake(reason)
    network.remember(tuple(update.memory), traces_of(rules))
    return Learner(
        make(config.stream, dataset=dataset, seed=config.seed),
        network,
        engine,
        update,
        rules,
        config.seed,
        config.probe,
        measures_of(config, network),
    )


def network_for(config: Config, dataset: Dataset) -> Network:
    rng = generator(config.seed, Purpose.FIRST_WEIGHTS)
    return make(config.model["network"], rng=rng, inputs=dataset.inputs, outputs=dataset.classes)


def rules_of(config: Config) -> Mapping[str, Rule]:
    return {name: make(node) for name, node in config.model["rules"].items() if node is not None}


def measures_of(config: Config, network: Network) -> Mapping[str, Measured]:
    """Those besides the suite's own, by column."""
    named = columns(config.measures, len(network.layers) if network.fixed_size else 0)
    parts = {name: (locate(target), layer) for name, (target, layer) in named.items()}
    return {name: measure if layer is None else of_layer(measure, layer) for name, (measure, layer) in parts.items()}
