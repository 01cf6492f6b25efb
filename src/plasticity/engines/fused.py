"""The fast engine: the reference's steps, compiled, on one CPU thread."""

from collections.abc import Mapping
from dataclasses import dataclass

from plasticity.compiled.arguments import Pull
from plasticity.compiled.cascade_layout import CascadeLayout
from plasticity.compiled.layered_layout import LayeredLayout
from plasticity.compiled.traces import SLOW, Traces
from plasticity.engines.engine import Learned
from plasticity.ground.arrays import Indices
from plasticity.ground.errors import Diverged
from plasticity.networks import Cascade, Layered, Network
from plasticity.rules import Rule, traces_of
from plasticity.streams import Samples
from plasticity.updates import Linear, Update

LEAST = 0.5  # of a weight that a step may keep: its powers in a block must not leave the range of float32
PIECE = 1024  # samples between two chances for a signal to be heard


@dataclass(frozen=True)
class Fused:
    def refuses(self, network: Network, update: Update, rules: Mapping[str, Rule]) -> str | None:
        if not isinstance(network, Cascade | Layered):
            return f"engine=fused knows no {type(network).__name__}; use engine=torch"
        if update.linear is None:
            return f"engine=fused cannot do the update {type(update).__name__} exactly; use engine=torch"
        if update.linear.keep < LEAST:
            return (
                f"engine=fused keeps at least {LEAST:g} of a weight at each step; use engine=torch or a smaller decay"
            )
        for trace, needs in SLOW.items():
            if trace in traces_of(rules):
                return f"engine=fused keeps no {trace}, which needs {needs}; use engine=torch"
        return None

    def learn(self, network: Network, samples: Samples, update: Update) -> Learned:
        assert update.linear is not None
        assert isinstance(network, Cascade | Layered)
        pull = pull_of(network, update.linear)
        layout = left(network, pull) or lay_out(network, samples.permutation_of(0), pull)
        # A copy: like the weights, traces change only when the whole segment has been learned.
        traces = Traces({name: values.copy() for name, values in network.traces.items()}, network.decays)
        learned, kept = Learned.nothing(len(samples)), traces if network.traces else None
        for part, alike in samples.pieces(PIECE):
            layout.reorder(alike.permutation)
            room = learned.correct[part], learned.loss[part]
            bad = layout.learn(alike, update.linear.step, *room, kept)
            if bad >= 0:
                raise Diverged(part.start + bad)
        if not layout.finite:  # a unit that is not a number is silent
            raise Diverged(len(samples) - 1)
        if pull is None:
            network.leave(layout)
        else:
            layout.store()
        for name, values in traces.values.items():
            network.traces[name][:] = values
        return learned


def pull_of(network: Network, linear: Linear) -> Pull | None:
    """None: nothing decays."""
    if linear.keep == 1:
        return None
    return Pull(linear.keep, None if linear.anchor is None else network.memory(linear.anchor))


def left(network: Cascade | Layered, pull: Pull | None) -> CascadeLayout | LayeredLayout | None:
    """What was left by the latest segment, if this one can go on from there; where weights decay it is not."""
    found = network.take() if pull is None else None
    assert found is None or isinstance(found, CascadeLayout | LayeredLayout)
    return found


def lay_out(network: Cascade | Layered, permutation: Indices, pull: Pull | None) -> CascadeLayout | LayeredLayout:
    if isinstance(network, Cascade):
        return CascadeLayout(network.arrays, permutation, pull)
    return LayeredLayout(network.parts, network.has_bias, permutation, pull)
