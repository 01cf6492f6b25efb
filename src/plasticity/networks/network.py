"""What all networks have in common."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import prod
from typing import Any, Protocol

import numpy as np

from plasticity.compiled.traces import TRACES, WORK
from plasticity.ground.arrays import Bools, Floats, Indices, Snapshot
from plasticity.ground.errors import Mistake
from plasticity.networks.initial import Initial
from plasticity.networks.work import DRAW, Work
from plasticity.streams import Samples

REDRAWN = ("all", "outputs")  # what `redraw` can draw anew
NOISE = ("draw", "gaussian")  # what `mix` can add: of a fresh initial draw, or normal with a deviation
BIRTH = "birth"  # per-weight memory that begins as the weights themselves; any other begins at zero


NOTE = "note."  # how the names of notes begin in a snapshot


class Network(Protocol):
    """Weights, and whatever is remembered of each weight and each unit. Only the learner and engines change it."""

    fixed_size: bool  # units can be renewed, but not added or dropped
    column: int  # units that are added at once; they do not see one another
    inputs: int
    outputs: int
    born: int  # births so far: units added or renewed
    has_bias: bool
    traces: dict[str, np.ndarray]  # name → (units,): what is remembered of each unit
    decays: dict[str, float]  # of the traces that are running means
    notes: dict[str, np.ndarray]  # what rules keep, by name; the learner writes it down for them
    sample: int  # samples of the current task that it has learned, which the learner counts; no part of its state
    spent: float  # operations in the current task, which it and the learner count; no part of its state either

    @property
    def layers(self) -> list[slice]: ...  # which units belong together: those of each layer; all of a cascade's

    @property
    def units(self) -> int: ...

    @property
    def connections(self) -> int: ...

    @property
    def work(self) -> Work: ...  # what a sample costs it

    @property
    def state_bytes(self) -> int: ...  # of all that it must keep from one sample to the next

    @property
    def weights(self) -> list[Floats]: ...  # to look at; `parameters` are to be changed

    @property
    def outgoing(self) -> Floats: ...  # (units, outputs)

    @property
    def sizes(self) -> tuple[Floats, Floats]: ...  # (units,) each: sums of absolute incoming, and of outgoing weights

    def memory(self, name: str) -> list[Floats]:
        """Per-weight memory, array by array as in `parameters`."""
        ...

    def parameters(self) -> list[Floats]:
        """Every array of weights, then every array of biases, then whatever else learns."""
        ...

    def remember(self, memory: tuple[str, ...], traces: Mapping[str, float | None]) -> None:
        """Makes room for per-weight memory and per-unit traces; a trace that is a running mean has a decay."""
        ...

    def hidden(self, samples: Samples) -> Floats: ...  # (n, units)

    def silent(self, samples: Samples) -> Bools: ...  # (units,) which of them fire on none of these

    def output(self, samples: Samples) -> Floats: ...  # (n, outputs)

    def grow(self, rng: np.random.Generator, beside: int = 0) -> None:
        """A new unit, in one column with so many of the latest: it does not see those."""
        ...

    def prune(self, units: Indices) -> None: ...

    def renew(self, unit: int, rng: np.random.Generator) -> None:
        """Draws its incoming weights anew and sets its bias and outgoing weights to zero: a birth in its place. What
        else it has is as in a new network."""
        ...

    def redraw(self, what: str, rng: np.random.Generator) -> None:
        """`all`: as if it were made anew. `outputs`: only the weights to the outputs, and their biases. A birth."""
        ...

    def mix(self, scale: float, noise: float, kind: str, rng: np.random.Generator) -> None:
        """All weights and biases that learn become scale times themselves plus noise: so much of a fresh draw, in which
        biases are zero; or, if it is gaussian, of that deviation. A birth."""
        ...

    def snapshot(self) -> Snapshot: ...

    def restore(self, snapshot: Snapshot) -> None:
        """Raises KeyError or ValueError, and changes nothing, if the snapshot is not one of such a network."""
        ...


class Layout(Protocol):
    """Weights as compiled code has them in memory."""

    def reorder(self, permutation: Indices) -> None:
        """For images that are seen through another permutation."""
        ...

    def store(self) -> None:
        """Writes them back into the network's arrays."""
        ...

    def renewed(self, unit: int) -> None:
        """Reads a unit's weights off the network's arrays."""
        ...


class Ahead:
    """Compiled code may leave weights where it learned them: they are stored when somebody looks at the network's
    arrays, and it goes on from there until somebody may have changed them. So rules that look at traces alone, as
    continual backprop does, do not have a network laid out again at each replacement. A mixin."""

    _layout: Layout | None = None
    _ahead = False  # of the arrays

    def leave(self, layout: Layout) -> None:
        self._layout, self._ahead = layout, True

    def take(self) -> Layout | None:
        """What was left. Until it is left again, the arrays are out of date."""
        layout, self._layout = self._layout, None
        return layout

    @contextmanager
    def _renewing(self, unit: int) -> Iterator[None]:
        """The arrays may be changed for this unit alone: all other weights stay where they were learned."""
        layout = self.take()
        yield
        if layout is not None:
            layout.renewed(unit)
            self.leave(layout)

    def __getstate__(self) -> dict[str, Any]:
        """Of a copy, too: its layout would store into arrays that are not the copy's."""
        self._catch_up()
        return self.__dict__

    def _store(self) -> None:
        """For those that only look at the arrays."""
        if self._layout is not None and self._ahead:
            self._layout.store()
        self._ahead = False

    def _catch_up(self) -> None:
        """For those that may change them, too."""
        self._store()
        self._layout = None


class Traces:
    """A network's per-unit traces, and rules' notes: a mixin that keeps them as units come and go."""

    spent: float = 0

    def __init__(self) -> None:
        self.traces: dict[str, np.ndarray] = {}
        self.decays: dict[str, float] = {}
        self.notes: dict[str, np.ndarray] = {}
        self.sample = 0

    def _notes(self) -> Snapshot:
        return {f"{NOTE}{name}": values.copy() for name, values in self.notes.items()}

    def _restore_notes(self, snapshot: Snapshot) -> None:
        self.notes = {name.removeprefix(NOTE): snapshot[name].copy() for name in snapshot if name.startswith(NOTE)}

    def _trace_bytes(self) -> int:
        return sum(values.nbytes for values in (*self.traces.values(), *self.notes.values()))

    def _tracing(self, units: int, outgoing: int, incoming: int) -> int:
        """Operations per sample, with so many weights that lead away from units, and so many that lead to them."""
        there = units, outgoing, incoming
        return sum(cost * count for name in self.traces for cost, count in zip(WORK[name], there, strict=True))

    def _fresh(self, initial: Initial, rng: np.random.Generator, fan_in: int, shape: tuple[int, ...]) -> Floats:
        self.spent += DRAW * prod(shape)
        return initial.draw(rng, fan_in, shape)

    def _keep_traces(self, wanted: Mapping[str, float | None], units: int) -> None:
        for name, decay in wanted.items():
            if name not in TRACES:
                raise Mistake(f"a rule reads the trace {name}, which is not known; there are {', '.join(TRACES)}")
            if decay is not None:
                self.decays[name] = decay
            self.traces.setdefault(name, np.zeros(units, TRACES[name]))

    def _add_trace(self) -> None:
        self.traces = {
            name: np.concatenate([values, np.zeros((1, *values.shape[1:]), values.dtype)])
            for name, values in self.traces.items()
        }

    def _drop_traces(self, stays: Bools) -> None:
        self.traces = {name: values[stays] for name, values in self.traces.items()}

    def _clear_trace(self, unit: int) -> None:
        for values in self.traces.values():
            values[unit] = 0


def kept(units: int, dropped: Indices) -> Bools:
    """A mask of the units that stay."""
    mask = np.ones(units, dtype=bool)
    mask[np.asarray(dropped, dtype=np.int64)] = False
    return mask


def unchangeable(values: np.ndarray) -> np.ndarray:
    """The same array, to look at."""
    view = values.view()
    view.flags.writeable = False
    return view


def normal(rng: np.random.Generator, values: Floats) -> Floats:
    """As many normal numbers, in the same precision: every weight of every step may want one."""
    return rng.standard_normal(values.shape, np.float32 if values.dtype == np.float32 else np.float64)


def fitting(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    if values.shape != shape:
        raise ValueError(f"an array has the shape {values.shape} instead of {shape}")
    return values
