"""What a picture of a network shows: its units as a task begins, and the weights between them."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np

from plasticity.ground.arrays import Floats, Indices
from plasticity.ground.seeds import Purpose, generator
from plasticity.learner import Learner
from plasticity.lives import Lives
from plasticity.networks import Cascade, Layered, Network
from plasticity.networks.layered import FEEDS


@dataclass(frozen=True)
class Wiring:
    """The weights of a network, as few as can be drawn: of each unit's many inputs only how large they are together."""

    inputs: int  # how many there are
    layers: Sequence[Indices]  # the units of each row of the picture, by their place in the network
    from_inputs: Floats  # (units,) sums of absolute weights; 0 for a unit that sees none
    between: Floats  # (units, units) from one unit to another; 0 where there is no connection
    to_outputs: Floats  # (units, outputs)
    direct: Floats  # (outputs,) sums of absolute weights from the inputs
    frozen: int  # so many of the oldest units learn no more


@dataclass(frozen=True)
class Scene:
    """A network when a task begins, before rules act."""

    task: int
    wiring: Wiring
    units: Indices  # (units,) serial numbers, in the order of birth; or places, where nobody knows them
    fired: Floats  # (units,) share of the samples looked at on which each fires
    new: frozenset[int]  # serial numbers of those born in the task before
    going: frozenset[int]  # of those that are dropped or renewed now


def wiring(network: Network) -> Wiring:
    match network:
        case Cascade():
            weight, inputs, outputs = network.weight, network.inputs, network.outputs
            return Wiring(
                inputs,
                [np.arange(network.units)],
                np.abs(weight[:inputs, outputs:]).sum(axis=0),
                weight[inputs:, outputs:].copy(),
                weight[inputs:, :outputs].copy(),
                np.abs(weight[:inputs, :outputs]).sum(axis=0),
                network.frozen,
            )
        case Layered():
            return _layered(network)
    raise TypeError(f"a {type(network).__name__} has no picture")


def _layered(network: Layered) -> Wiring:
    layers = [np.arange(network.units)[layer] for layer in network.layers]
    between, feeds = np.zeros((network.units, network.units)), FEEDS[network.activation]
    # Of crelu a unit feeds two numbers: shown is the sum of both weights.
    folded = [weight.reshape(feeds, -1, weight.shape[1]).sum(axis=0) for weight in network.weight[1:]]
    for weight, sources, targets in zip(folded[:-1], layers[:-1], layers[1:], strict=True):
        between[np.ix_(sources, targets)] = weight
    from_inputs, to_outputs = np.zeros(network.units), np.zeros((network.units, network.outputs))
    from_inputs[layers[0]] = np.abs(network.weight[0]).sum(axis=0)
    to_outputs[layers[-1]] = folded[-1]
    return Wiring(network.inputs, layers, from_inputs, between, to_outputs, np.zeros(network.outputs), 0)


def scenes(learner: Learner, lives: Lives | None, first: int, last: int) -> Iterator[Scene]:
    """When each of these tasks begins, learning those before the last. The network is as the task before `first` left
    it; `lives` of its units are up to then, and None if nobody knows them."""
    followed = replace(learner, lives=lives or anonymous(learner.network))
    for task in range(first, last + 1):
        yield _scene(followed, task, lives is not None)
        if task < last:
            next(followed.records(task, task + 1))


def anonymous(network: Network) -> Lives:
    lives = Lives()
    lives.units, lives.born = list(range(network.units)), network.units
    return lives


def _scene(learner: Learner, task: int, known: bool) -> Scene:
    """What rules will do is tried, and taken back."""
    network, lives = learner.network, deepcopy(learner.lives)
    assert lives is not None
    # Those that a network of fixed size began with are not new.
    arrived = [each for each in lives.page.events if known and not (learner.network.fixed_size and each.died is None)]
    new = frozenset(event.born for event in arrived if event.born is not None)
    gauge = learner.stream.samples(task).some(learner.probe, generator(learner.seed, Purpose.GAUGE, task))
    lives.look(task, network, gauge)
    there, before, drawn = list(lives.units), network.snapshot(), wiring(network)
    replace(learner, lives=lives).begin(task)
    going = frozenset(event.died for event in lives.page.events if event.died is not None)
    network.restore(before)
    return Scene(task, drawn, np.array(there, np.int64), lives.page.looks["fired"], new & {*there}, going)
