"""What a rule is: it looks at a network at certain moments and says what is to be done to its units."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from plasticity.ground.arrays import Bools, Floats, Indices
from plasticity.ground.errors import Mistake
from plasticity.ground.limits import whole
from plasticity.ground.seeds import Purpose, generator
from plasticity.networks import Network
from plasticity.networks.network import NOISE, REDRAWN
from plasticity.streams import Samples

TASK = "task"  # of a rule's `every`: when a task begins
Units = Sequence[int] | Indices


@dataclass(frozen=True)
class Change:
    """What a rule wants done; the learner does it: redraw, scale, renew, drop, add, note, in this order."""

    drop: Units = ()  # numbers of the units to remove
    renew: Units = ()  # numbers of the units to draw anew: fresh incoming weights, outgoing weights zero
    add: int = 0  # new units; or columns of them, where the network has columns
    redraw: str = ""  # "all": every weight is drawn anew, and grown units go; "outputs": the weights to the outputs
    scale: float = 1.0  # every weight that learns becomes so much of itself,
    noise: float = 0.0  # and so much noise is added
    kind: str = "draw"  # of the noise: of a fresh initial draw; or "gaussian", of that deviation
    # What the network is to keep for the rule, by name. One of the rule's traces follows its units from then on: it
    # goes with a unit that is dropped, and is zero for one that is added or that another rule renews.
    note: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def mixes(self) -> bool:
        return self.scale != 1 or self.noise != 0

    @property
    def only_drops(self) -> bool:
        """At most: all weights that stay are as they were."""
        return self.add == len(self.renew) == 0 and not (self.redraw or self.mixes)


@dataclass(frozen=True)
class Moment:
    """What a rule may look at besides the network. Nothing is drawn or computed before it is asked for."""

    network: Network
    seed: int
    task: int  # from 0
    sample: int  # samples of the task learned so far
    correct: Bools  # (sample,) which predictions of the task were right
    samples: Samples  # all of the task
    share: float  # of them in the probe
    rng: np.random.Generator  # for whatever the rule draws; rules that are asked at one moment draw from it in turn

    @property
    def begins(self) -> bool:
        """Nothing has been learned yet."""
        return self.task == self.sample == 0

    @cached_property
    def probe(self) -> Samples:
        """A random part of the task."""
        return self.samples.some(self.share, generator(self.seed, Purpose.PROBE, self.task))

    @property
    def recent(self) -> Samples:
        """The last samples of the task that were learned, as many as the probe has."""
        return self.latest(len(self.probe))

    def latest(self, count: int) -> Samples:
        """The last samples of the task that were learned, so many or as many as there are."""
        return self.samples[max(0, self.sample - count) : self.sample]

    @cached_property
    def hidden(self) -> Floats:  # (probe, units)
        """What each unit gives for each sample of the probe."""
        return self.hidden_on(self.probe)

    def hidden_on(self, samples: Samples) -> Floats:  # (samples, units)
        """What each unit gives for each of these; a look is work, a forward pass each."""
        self.network.spent += len(samples) * self.network.work.forward
        return self.network.hidden(samples)

    def silent_on(self, samples: Samples) -> Bools:  # (units,)
        """Which units fire on none of these. It counts as the same work, though it may be found out with less."""
        self.network.spent += len(samples) * self.network.work.forward
        return self.network.silent(samples)


class Rule(Protocol):
    @property
    def traces(self) -> Mapping[str, float | None]:
        """Per-unit traces that it reads, each with its decay; None: the trace has none."""
        ...

    def due(self, network: Network, sample: int, N: int) -> int | None:
        """Before which sample of the task, not earlier than `sample`, it is next asked; N: after the last. The network
        is as it is after `network.sample` samples of the task."""
        ...

    def __call__(self, network: Network, now: Moment) -> Change: ...


class Untraced:
    """Most rules read no traces."""

    resizes = False  # does it add or drop units, so that a network of fixed size must be refused at once?

    @property
    def traces(self) -> Mapping[str, float | None]:
        return {}


class AtTaskStart(Untraced):
    """A rule that is asked when a task begins, before its first sample. One with a field `every` can also be asked
    after every so many samples of each task, the last included, and then needs no boundary between tasks."""

    every: int | str = TASK

    def __post_init__(self) -> None:
        if self.every != TASK:
            whole("every", self.every, 1, f", or {TASK}")

    @property
    def needs_boundaries(self) -> bool:
        return self.every == TASK

    def due(self, network: Network, sample: int, N: int) -> int | None:
        if isinstance(self.every, str):
            return 0 if sample == 0 else None
        return after_every(self.every, sample, N)


class EveryK(Untraced):
    """A rule that is asked after samples K, 2K, … < N of each task; counting starts anew in each."""

    K: int

    def __post_init__(self) -> None:
        if not (isinstance(self.K, int) and not isinstance(self.K, bool) and self.K > 0):
            raise Mistake(f"K={self.K} is not possible; K must be a positive integer")

    def due(self, network: Network, sample: int, N: int) -> int | None:
        following = max(1, -(-sample // self.K)) * self.K
        return following if following < N else None


def after_every(every: int, sample: int, N: int) -> int | None:
    """When a rule is next due that acts after every so many samples of a task, the last included."""
    following = max(1, -(-sample // every)) * every
    return following if following <= N else None


def checked(change: Change, rule: Rule, network: Network) -> Change:
    """As asked for, with each unit once; or one sentence on what a rule gave instead."""
    name = type(rule).__name__
    if not isinstance(change, Change):
        raise Mistake(f"the rule {name} gave {change!r}; it must give a Change, as Change(drop=…) or Change(add=1)")
    if isinstance(change.add, bool) or not isinstance(change.add, int | np.integer) or change.add < 0:
        raise Mistake(f"the rule {name} wants {change.add!r} new units; it must be a whole number, 0 or more")
    if change.redraw not in ("", *REDRAWN):
        raise Mistake(f"the rule {name} wants {change.redraw!r} drawn anew; it must be {' or '.join(REDRAWN)}")
    if change.kind not in NOISE:
        raise Mistake(f"the rule {name} wants noise of the kind {change.kind!r}; it must be {' or '.join(NOISE)}")
    for what, value in (("scale", change.scale), ("noise", change.noise)):
        if isinstance(value, bool) or not (isinstance(value, int | float | np.number) and np.isfinite(value)):
            raise Mistake(f"the rule {name} wants {what}={value!r}; it must be a finite number")
    for what, values in change.note.items():
        if not isinstance(values, np.ndarray):
            raise Mistake(f"the rule {name} notes {what}={values!r}; it must be a numpy array")
    drop, renew = (_numbers(units, name, network.units) for units in (change.drop, change.renew))
    return replace(change, drop=drop, renew=renew, add=int(change.add) * network.column)


def _numbers(units: Units, name: str, there: int) -> Indices:
    given = np.asarray(units)
    if not given.size:
        return given.astype(np.int64)
    if not np.issubdtype(given.dtype, np.integer):  # a mask, too, would be taken for numbers
        raise Mistake(
            f"the rule {name} chose units by {given.dtype} values; it must give their numbers, as np.flatnonzero(mask)"
        )
    if not (0 <= given.min() and given.max() < there):
        wrong = given.min() if given.min() < 0 else given.max()
        numbers = f"they are numbered from 0 to {there - 1}" if there else "there are none yet"
        raise Mistake(f"the rule {name} chose unit {wrong} of {there}; {numbers}")
    return np.unique(given.astype(np.int64))


def traces_of(rules: Mapping[str, Rule]) -> dict[str, float | None]:
    """What all rules together read; two that want one trace must want it with the same decay."""
    wanted: dict[str, float | None] = {}
    for name, rule in rules.items():
        for trace, decay in getattr(rule, "traces", {}).items():
            if wanted.setdefault(trace, decay) != decay:
                raise Mistake(f"rules.{name} wants the trace {trace} with decay {decay}, another with {wanted[trace]}")
    return wanted
