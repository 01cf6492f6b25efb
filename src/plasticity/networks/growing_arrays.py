"""The arrays of a growing network: units come at the end and leave anywhere, and there is room for more to come."""

from collections.abc import Iterator, Mapping

import numpy as np

from plasticity.ground.arrays import Bools, Floats, Snapshot
from plasticity.networks.network import BIRTH, fitting

WEIGHT, BIAS = "weight", "bias"
LEAST = 16  # units that there is room for once there is one


class GrowingArrays(Mapping[str, Floats]):
    """By name: `weight` (inputs + units, outputs + units), sources × targets; `bias` (outputs + units,); and as many of
    each memory that an update has of them, `weight.NAME` and `bias.NAME`."""

    def __init__(self, inputs: int, outputs: int, dtype: type[np.floating]):
        self.inputs, self.outputs, self.units = inputs, outputs, 0
        self._whole: dict[str, Floats] = {WEIGHT: np.zeros((inputs, outputs), dtype), BIAS: np.zeros(outputs, dtype)}

    def __getitem__(self, name: str) -> Floats:
        """Of the units that there are."""
        whole = self._whole[name]
        return whole[tuple(map(slice, self._shape(self.units)[-whole.ndim :]))]

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole)

    def __len__(self) -> int:
        return len(self._whole)

    def _shape(self, units: int) -> tuple[int, int]:
        return self.inputs + units, self.outputs + units

    @property
    def room(self) -> int:
        """The units that it could have without moving."""
        return self._whole[BIAS].size - self.outputs

    def remember(self, memory: tuple[str, ...]) -> None:
        for name in memory:
            for own in (WEIGHT, BIAS):
                whole = self._whole[own]
                self._whole.setdefault(f"{own}.{name}", whole.copy() if name == BIRTH else np.zeros_like(whole))

    def add(self) -> None:
        """A unit, with nothing but zeros. Doubling keeps the copying per added unit constant on average."""
        if self.units + 1 > self.room:
            self._move(dict(self), max(2 * self.room, LEAST))
        self.units += 1
        self.clear(self.units - 1)

    def clear(self, unit: int) -> None:
        """All of a unit's weights, its bias, and what is remembered of them."""
        for values in self.values():
            values[..., self.outputs + unit] = 0
            if values.ndim == 2:
                values[self.inputs + unit] = 0

    def clear_outputs(self) -> None:
        for values in self.values():
            values[..., : self.outputs] = 0

    def drop(self, stays: Bools) -> None:
        """All units but these."""
        rows, columns = (np.r_[np.ones(ends, bool), stays] for ends in (self.inputs, self.outputs))
        left = {name: values[..., columns] for name, values in self.items()}
        left = {name: values[rows] if values.ndim == 2 else values for name, values in left.items()}
        self.units = int(stays.sum())
        self._fill(left)

    def snapshot(self) -> Snapshot:
        return {name: values.copy() for name, values in self.items()}

    def checked(self, snapshot: Snapshot, units: int) -> Snapshot:
        """Its part of a snapshot of so many units; ValueError if it is not one of such arrays."""
        shape = self._shape(units)
        return {name: fitting(snapshot[name], shape[-whole.ndim :]) for name, whole in self._whole.items()}

    def restore(self, values: Snapshot, units: int) -> None:
        self.units = units
        if units > self.room:
            self._move(values, max(units, LEAST))
        else:
            self._fill(values)

    def _move(self, values: Mapping[str, Floats], room: int) -> None:
        """To where there is room for so many units."""
        shape = self._shape(room)
        self._whole = {name: np.zeros(shape[-one.ndim :], one.dtype) for name, one in self._whole.items()}
        self._fill(values)

    def _fill(self, values: Mapping[str, Floats]) -> None:
        for name, own in values.items():
            self[name][:] = own
