"""What is measured: of a network when a task begins, after the rules that act then, and of how it learned the task."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from plasticity.engines import Learned
from plasticity.ground.arrays import Bools, Floats, Indices
from plasticity.ground.errors import Mistake
from plasticity.networks import Network
from plasticity.streams import Samples


@dataclass(frozen=True)
class Look:
    """What a measure may look at: the network, and what its units give on a random part of the task."""

    network: Network
    samples: Samples
    hidden: Floats  # (n, units)
    before: Floats  # (n, units before the rules acted)
    part: int | None = None  # the hidden layer whose units alone these are; None: all of them
    dropped: Indices = field(default_factory=lambda: np.arange(0))  # which of the units before, by the rules
    fires: Bools | None = None  # (units before,) on any sample of the whole task; only for measures `of_whole_task`

    @property
    def layers(self) -> list[slice]:
        """Which columns of `hidden` belong together."""
        return self.network.layers if self.part is None else [slice(None)]


Measured = Callable[[Look], float]


def of_whole_task(measure: Measured) -> Measured:
    """A measure that needs to know which units fire anywhere in the task: a look at all of it, when it begins."""
    measure.whole_task = True  # type: ignore[attr-defined]
    return measure


def of_dropped(measure: Measured) -> Measured:
    """A measure of what rules drop when a task begins: not known of a task in which they drop more later."""
    measure.of_dropped = True  # type: ignore[attr-defined]
    return measure


def of_layer(measure: Measured, layer: int) -> Measured:
    """The same of one hidden layer's units alone, in a network of fixed size."""

    def measured(look: Look) -> float:
        units = look.network.layers[layer]
        return measure(replace(look, hidden=look.hidden[:, units], before=look.before[:, units], part=layer))

    return measured


def accuracy(learned: Learned) -> float:
    return float(learned.correct.mean())


def accuracy_first_tenth(learned: Learned) -> float:
    return float(learned.correct[: tenth(learned)].mean())


def accuracy_last_tenth(learned: Learned) -> float:
    return float(learned.correct[-tenth(learned) :].mean())


def tenth(learned: Learned) -> int:
    """How many samples that is: rounded up, so that a task of fewer than ten has one, too."""
    return -(-len(learned.correct) // 10)


def loss(learned: Learned) -> float:
    return float(learned.loss.mean())


def dormancy(look: Look) -> float:
    return silent(look.hidden)


def dormancy_before_pruning(look: Look) -> float:
    return silent(look.before)


@of_dropped
@of_whole_task
def wrongly_pruned(look: Look) -> float:
    """The share of the units that fire somewhere in the task that were dropped when it began; 0 if none fires."""
    assert look.fires is not None
    return float(look.fires[look.dropped].sum() / max(look.fires.sum(), 1))


def silent(hidden: Floats) -> float:  # (n, units)
    """The share of hidden units that are silent on every sample; 0 without hidden units."""
    return float(1 - (hidden > 0).any(axis=0).mean()) if hidden.shape[1] else 0.0


def dormant(look: Look, threshold: float) -> float:
    """The share of units whose mean output is at most `threshold` times their layer's: dormancy as ReDo has it (Sokar
    et al., 2023). At 0 it is that of units that never fire."""
    activity = look.hidden.mean(axis=0, dtype=np.float64)
    found = [activity[layer] <= threshold * activity[layer].mean() for layer in look.layers if activity.size]
    return float(np.concatenate(found).mean()) if found else 0.0


def dormancy_010(look: Look) -> float:
    return dormant(look, 0.01)


def dormancy_025(look: Look) -> float:
    return dormant(look, 0.025)


def dormancy_100(look: Look) -> float:
    return dormant(look, 0.1)


def effective_rank(look: Look) -> float:
    """exp of the entropy of the normalised singular values (Roy and Vetterli, 2007); 0 where nothing fires."""
    hidden = look.hidden.astype(np.float64)  # squared in float32, what is small would be lost in rounding
    gram = hidden.T @ hidden if hidden.shape[1] < hidden.shape[0] else hidden @ hidden.T
    singular = np.sqrt(np.clip(np.linalg.eigvalsh(gram), 0, None)) if gram.size else np.zeros(1)
    if singular.sum() == 0:
        return 0.0
    share = singular / singular.sum()
    share = share[share > 0]
    return float(np.exp(-(share * np.log(share)).sum()))


def weight_magnitude(look: Look) -> float:
    """Mean absolute weight over the connections there are."""
    network = look.network
    total = sum(np.abs(weight).sum(dtype=np.float64) for weight in network.weights)
    return float(total / max(network.connections, 1))  # without a shortcut there may be none yet


def number(name: str, value: object) -> float:
    """A measure of somebody's own may give anything."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        raise Mistake(f"the measure {name} gave {value!r}; it must give a number")
    return value.item() if isinstance(value, np.number) else value


OF_LEARNING: dict[str, Callable[[Learned], float]] = {
    "accuracy": accuracy,
    "accuracy_first_tenth": accuracy_first_tenth,
    "accuracy_last_tenth": accuracy_last_tenth,
    "loss": loss,
}
AT_TASK_START: dict[str, Measured] = {
    "dormancy": dormancy,
    "dormancy_before_pruning": dormancy_before_pruning,
    "units": lambda look: look.network.units,
    "connections": lambda look: look.network.connections,
    "effective_rank": effective_rank,
    "weight_magnitude": weight_magnitude,
    "memory": lambda look: look.network.state_bytes,
}
