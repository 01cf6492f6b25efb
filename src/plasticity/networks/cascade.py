"""Growing networks: one matrix of weights, sources × targets."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import ClassVar

import numpy as np

from plasticity.compiled.cascade_layout import CascadeArrays, CascadeLayout
from plasticity.ground.arrays import Bools, Floats, Indices, Snapshot
from plasticity.ground.errors import Mistake
from plasticity.ground.limits import whole
from plasticity.networks.growing_arrays import BIAS, WEIGHT, GrowingArrays
from plasticity.networks.initial import initial
from plasticity.networks.network import BIRTH, Ahead, Traces, fitting, kept, normal, unchangeable
from plasticity.networks.wiring import Wiring
from plasticity.networks.work import DRAW, MIX, Work
from plasticity.streams import Samples

AT_BIRTH = f"{WEIGHT}.{BIRTH}"
FEW = 64  # samples: on so many nearly all units fire that fire at all


class Cascade(Ahead, Traces):
    """Starts as a linear map inputs → outputs. A new unit sees all inputs and, if `lateral`, all earlier units, or
    those that `depth` leaves it (networks/wiring.py). Without a `shortcut` inputs reach outputs through units alone.

    `weight[source, target]`: sources are inputs then units, targets are outputs then units, so it is upper-triangular
    between units. With `freezing` (SGN) a unit's incoming weights and bias stop learning when the next unit arrives,
    or the next column of units.
    """

    fixed_size = False
    lacks: ClassVar = {  # why keys of other networks mean nothing here
        "activation": "units of a cascade feed z⁺ alone; use model=ffcnn",
        "normalise": "its units are born one by one, and there is no layer to normalise over; use model=ffcnn",
    }

    def __init__(
        self,
        rng: np.random.Generator,
        inputs: int,
        outputs: int,
        *,
        lateral: bool,
        freezing: bool,
        bias: bool,
        incoming: str,
        outgoing: str,
        first: str,
        column: int = 1,
        depth: int | None = None,
        shortcut: bool = True,
        dtype: type[np.floating] = np.float32,
    ):
        if not isinstance(shortcut, bool):
            raise Mistake(f"shortcut={shortcut} is not possible; it must be true or false")
        self.inputs, self.outputs, self.born = inputs, outputs, 0
        whole("column", column, 1)
        self.column = column
        self.wiring, self.freezing, self.has_bias = Wiring(lateral, depth), freezing, bias
        self.shortcut = shortcut  # are there weights from the inputs to the outputs?
        self.frozen = 0  # the oldest units, whose incoming weights and bias no longer learn
        self._incoming, self._outgoing = initial("incoming", incoming), initial("outgoing", outgoing)
        self._first = initial("first", first)
        self._arrays = GrowingArrays(inputs, outputs, dtype)
        super().__init__()
        self._draw_first(rng)

    @property
    def units(self) -> int:
        return self._arrays.units

    @property
    def weight(self) -> Floats:  # (inputs + units, outputs + units)
        return self._own[WEIGHT]

    @property
    def bias(self) -> Floats:  # (outputs + units,)
        return self._own[BIAS]

    @property
    def _own(self) -> GrowingArrays:
        """To change."""
        self._catch_up()
        return self._arrays

    @property
    def _seen(self) -> GrowingArrays:
        """To look at alone."""
        self._store()
        return self._arrays

    @property
    def layers(self) -> list[slice]:
        return [slice(0, self.units)]

    @property
    def learning(self) -> Bools:  # (outputs + units,) targets whose incoming weights and bias learn
        return np.r_[np.ones(self.outputs, bool), np.arange(self.units) >= self.frozen]

    @property
    def connected(self) -> Bools:  # (inputs + units, outputs + units) which weights exist
        seen = np.vstack([np.ones((self.inputs, self.units), bool), self.wiring.sees])
        connected = np.hstack([np.ones((len(seen), self.outputs), bool), seen])
        connected[: self.inputs, : self.outputs] = self.shortcut
        return connected

    @property
    def connections(self) -> int:
        direct, between = self.shortcut * self.inputs * self.outputs, self.wiring.between(self.units)
        return direct + self.units * (self.inputs + self.outputs) + between

    @property
    def _numbers(self) -> int:
        """Weights and biases."""
        return self.connections + self.has_bias * (self.outputs + self.units)

    @property
    def work(self) -> Work:
        frozen = self.frozen * (self.inputs + self.has_bias) + self.wiring.between(self.frozen)
        between = self.wiring.between(self.units)
        outgoing, incoming = self.units * self.outputs + between, self.units * self.inputs + between
        return Work.of(self._numbers, self._numbers - frozen, self._tracing(self.units, outgoing, incoming))

    @property
    def state_bytes(self) -> int:
        """Of the weights that exist; rows and columns that lie in wait for new units are an engine's matter."""
        return self._numbers * self._arrays[BIAS].itemsize * (len(self._arrays) // 2) + self._trace_bytes()

    @property
    def outgoing(self) -> Floats:  # (units, outputs)
        return self.weight[self.inputs :, : self.outputs]

    @property
    def sizes(self) -> tuple[Floats, Floats]:
        """A unit's outgoing weights are those to the outputs and to later units."""
        weight = self._seen[WEIGHT]
        incoming, outgoing = np.abs(weight[:, self.outputs :]), np.abs(weight[self.inputs :])
        return np.ones(len(incoming), incoming.dtype) @ incoming, outgoing.sum(axis=1)  # a product sums columns faster

    @property
    def weights(self) -> list[Floats]:
        return [unchangeable(self._seen[WEIGHT])]

    @property
    def arrays(self) -> CascadeArrays:
        """As compiled code takes it."""
        return CascadeArrays(
            self.weight,
            self.bias,
            self.inputs,
            self.outputs,
            self.wiring.lateral,
            self.frozen,
            self.has_bias,
            self.wiring.sees if self.wiring.partial else None,
            self.shortcut,
        )

    def parameters(self) -> list[Floats]:
        return [self.weight, self.bias]

    def memory(self, name: str) -> list[Floats]:
        return [self._own[f"{WEIGHT}.{name}"], self._own[f"{BIAS}.{name}"]]

    def remember(self, memory: tuple[str, ...], traces: Mapping[str, float | None]) -> None:
        self._arrays.remember(memory)
        self._keep_traces(traces, self.units)

    def hidden(self, samples: Samples) -> Floats:  # (n, units)
        seen = samples.alike
        return self._laid_out(seen).hidden(seen, self.units)

    def output(self, samples: Samples) -> Floats:  # (n, outputs)
        seen = samples.alike
        return self._laid_out(seen).output(seen)

    def silent(self, samples: Samples) -> Bools:  # (units,)
        """In parts, until all have fired. Units see only earlier ones: none behind the last silent one is computed."""
        seen, silent, begin = samples.alike, np.ones(self.units, bool), 0
        while begin < len(seen) and silent.any():
            end, last = FEW + 3 * begin, int(np.flatnonzero(silent)[-1])
            hidden = self._laid_out(seen).hidden(seen[begin:end], last + 1)
            silent[: last + 1] &= ~np.any(hidden > 0, axis=0)
            begin = end
        return silent

    def _laid_out(self, samples: Samples) -> CascadeLayout:
        """Once for all looks at it, and for learning, until somebody changes it."""
        layout = self._layout or CascadeLayout(self.arrays, samples.permutation)
        assert isinstance(layout, CascadeLayout)
        layout.reorder(samples.permutation)
        self._layout = layout
        return layout

    def grow(self, rng: np.random.Generator, beside: int = 0) -> None:
        with self._growing():
            if self.freezing and not beside:
                self.frozen = self.units
            self.wiring.add(beside)
            self._own.add()
            self.born += 1
            self._draw_incoming(self.units - 1, rng)
            self._draw_outgoing(self.units - 1, rng)
            self._add_trace()
            self._remember_birth(self.units - 1)

    @contextmanager
    def _growing(self) -> Iterator[None]:
        """The arrays get one more unit; if compiled code has room for it, all others stay where they were learned."""
        layout, ahead = self._layout, self._ahead
        if not isinstance(layout, CascadeLayout) or not layout.room:
            self._catch_up()
            yield
        else:
            self._layout = None
            yield
            layout.grown(self.arrays)
            self._layout, self._ahead = layout, ahead

    def renew(self, unit: int, rng: np.random.Generator) -> None:
        self.born += 1
        with self._renewing(unit):
            self._own.clear(unit)
            self._draw_incoming(unit, rng)
            self._clear_trace(unit)
            self._remember_birth(unit)

    def redraw(self, what: str, rng: np.random.Generator) -> None:
        if what == "all":
            self.prune(np.arange(self.units))
        self.born += 1
        self._own.clear_outputs()
        self._draw_first(rng)
        for unit in range(self.units):
            self._draw_outgoing(unit, rng)
        if AT_BIRTH in self._arrays:
            self._own[AT_BIRTH][:, : self.outputs] = self.weight[:, : self.outputs]

    def mix(self, scale: float, noise: float, kind: str, rng: np.random.Generator) -> None:
        self.born += 1
        before, learning = self.weight.copy(), self.learning
        if kind == "draw":
            self._draw_first(rng)
            for unit in range(self.units):
                self._draw_incoming(unit, rng)
                self._draw_outgoing(unit, rng)
        else:
            self.weight[:] = normal(rng, before) * self.connected
        self.weight[:] = np.where(learning, scale * before + noise * self.weight, before)
        self.bias[learning] *= scale
        if kind == "gaussian" and self.has_bias:
            self.bias[learning] += noise * normal(rng, self.bias)[learning]
        self.spent += (MIX + DRAW * (kind == "gaussian")) * self.work.learning

    def _draw_first(self, rng: np.random.Generator) -> None:
        shape = self.inputs, self.outputs
        if self.shortcut:
            self.weight[: self.inputs, : self.outputs] = self._fresh(self._first, rng, self.inputs, shape)

    def _draw_outgoing(self, unit: int, rng: np.random.Generator) -> None:
        fan_in = self.shortcut * self.inputs + self.units if self._outgoing.scope == "layer" else 1
        self.outgoing[unit] = self._fresh(self._outgoing, rng, fan_in, (self.outputs,))

    def _draw_incoming(self, unit: int, rng: np.random.Generator) -> None:
        seen = np.flatnonzero(self.wiring.sees[:, unit])
        blocks = (self.inputs, len(seen)) if self._incoming.scope == "split" else (self.inputs + len(seen),)
        drawn = [self._fresh(self._incoming, rng, fan_in, (fan_in,)) for fan_in in blocks]
        self.weight[np.r_[: self.inputs, self.inputs + seen], self.outputs + unit] = np.concatenate(drawn)

    def _remember_birth(self, unit: int) -> None:
        if AT_BIRTH in self._arrays:
            birth = self._own[AT_BIRTH]
            row, column = self.inputs + unit, self.outputs + unit
            birth[row], birth[:, column] = self.weight[row], self.weight[:, column]

    def prune(self, units: Indices) -> None:
        stays = kept(self.units, units)
        self.frozen = int(stays[: self.frozen].sum())
        self._own.drop(stays)
        self.wiring.drop(stays)
        self._drop_traces(stays)

    def snapshot(self) -> Snapshot:
        counts = np.array([self.units, self.born, self.frozen], np.int64)
        traces = {f"trace.{name}": values.copy() for name, values in self.traces.items()}
        return {"counts": counts, **self._seen.snapshot(), **self.wiring.snapshot(), **traces, **self._notes()}

    def restore(self, snapshot: Snapshot) -> None:
        units, born, frozen = (int(count) for count in fitting(snapshot["counts"], (3,)))
        if not (0 <= frozen <= units and born >= 0):
            raise ValueError(f"there cannot be {frozen} frozen of {units} units after {born} births")
        values = self._arrays.checked(snapshot, units)
        traces = {
            name: fitting(snapshot[f"trace.{name}"], (units, *values.shape[1:])).astype(values.dtype)
            for name, values in self.traces.items()
        }
        self.wiring.restore(snapshot, units)
        self._own.restore(values, units)
        self.born, self.frozen, self.traces = born, frozen, traces
        self._restore_notes(snapshot)
