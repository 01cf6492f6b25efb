"""Which units of a growing network see which."""

import numpy as np

from plasticity.ground.arrays import Bools, Indices, Snapshot
from plasticity.ground.errors import Mistake
from plasticity.ground.limits import whole
from plasticity.networks.network import fitting


class Wiring:
    """A new unit sees the units before it whose level is below `depth`, all of them where that is None, but for those
    of its own column. A unit's level is one more than the highest of those that it sees, 1 if it sees none. So no level
    is above `depth`; where units are dropped, levels of those that saw them may fall, and new units may then see more.
    """

    def __init__(self, lateral: bool, depth: int | None):
        if depth is not None:
            whole("depth", depth, 1, ", or null")
        if not lateral and depth not in (None, 1):
            raise Mistake(
                f"depth={depth} is not possible: units of a flat network see only inputs; use model=agn or aen"
            )
        self.depth = depth if lateral else 1
        self._set(np.zeros((0, 0), bool))

    def _set(self, sees: Bools) -> None:
        self.sees = sees  # (units, units) source × target; a source is before its target
        self.seen = sees.sum(axis=0)  # (units,) how many units each sees

    @property
    def lateral(self) -> bool:
        """Can units see one another?"""
        return self.depth != 1

    @property
    def partial(self) -> bool:
        """Must it be said which unit sees which? Otherwise all see all before them, or none."""
        every = self.depth is None and bool((self.seen == np.arange(len(self.seen))).all())
        return self.lateral and not every

    @property
    def levels(self) -> Indices:  # (units,)
        levels = np.ones(len(self.sees), np.int64)
        for unit in range(1, len(levels)):
            levels[unit] += levels[:unit].max(where=self.sees[:unit, unit], initial=0)
        return levels

    def between(self, units: int) -> int:
        """Connections between the first so many units."""
        return int(self.seen[:units].sum())

    def add(self, beside: int) -> None:
        """A unit; so many of the latest are of its column."""
        units = len(self.sees)
        seen = np.ones(units, bool) if self.depth is None else self.levels < self.depth
        seen[units - beside :] = False
        sees = np.zeros((units + 1, units + 1), bool)
        sees[:-1, :-1], sees[:-1, -1] = self.sees, seen
        self._set(sees)

    def drop(self, stays: Bools) -> None:
        self._set(self.sees[np.ix_(stays, stays)])

    def snapshot(self) -> Snapshot:
        return {"sees": self.sees.astype(np.uint8)} if self.partial else {}

    def restore(self, snapshot: Snapshot, units: int) -> None:
        if not self.lateral or (self.depth is None and "sees" not in snapshot):
            self._set(np.triu(np.full((units, units), self.lateral), 1))
        else:
            self._set(fitting(snapshot["sees"], (units, units)).astype(bool))
