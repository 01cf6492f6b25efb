"""From a run's configuration to its learner."""

from collections.abc import Mapping
from pathlib import Path

from plasticity.data import Dataset
from plasticity.errors import Mistake
from plasticity.learner import Learner
from plasticity.networks import Network
from plasticity.rules import Rule, traces_of
from plasticity.runs.config import Config
from plasticity.runs.measuring import measures
from plasticity.runs.parts import make
from plasticity.seeds import Purpose, generator


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
        measures(config.measures, len(network.layers) if network.fixed_size else 0),
    )


def network_for(config: Config, dataset: Dataset) -> Network:
    rng = generator(config.seed, Purpose.FIRST_WEIGHTS)
    return make(config.model["network"], rng=rng, inputs=dataset.inputs, outputs=dataset.classes)


def rules_of(config: Config) -> Mapping[str, Rule]:
    return {name: make(node) for name, node in config.model["rules"].items() if node is not None}
