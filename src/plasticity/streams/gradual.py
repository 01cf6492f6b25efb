"""From task to task only some of the pixels change places: at once when a task begins, or bit by bit within it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from plasticity.ground.arrays import Bools, Indices
from plasticity.ground.errors import Mistake
from plasticity.ground.limits import whole
from plasticity.ground.seeds import Purpose, generator
from plasticity.streams.chain import Chain
from plasticity.streams.ordered import Ordered
from plasticity.streams.permuted import drawn
from plasticity.streams.samples import Samples


@dataclass(frozen=True)
class Gradual(Ordered):
    """The first task begins as the paper's. With `every` null, each task then takes a random `change` of the places, at
    least two, and puts what is there into the order in which the paper's task has it: some may stay where they are, and
    with change=1 every task is the paper's. With `every` a number of samples, as many places change in pairs, some
    pairs after each `every` samples, counted from the first of all: nothing tells where a task ends, and it is only
    what is reported together.
    """

    change: float  # share of the places, from task to task
    every: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        share = isinstance(self.change, int | float) and not isinstance(self.change, bool) and 0 < self.change <= 1
        if not share:
            raise Mistake(f"stream.change={self.change} is not possible; it must be a number above 0 and at most 1")
        if self.every is not None:
            whole("stream.every", self.every, 1, ", or null", most=self.N)

    @staticmethod
    def identity(settings: Mapping[str, Any]) -> dict[str, Any]:
        """1 and 1.0 are the same."""
        return {**settings, "change": float(settings["change"])}

    @property
    def boundaries(self) -> bool:
        return self.every is None

    def samples(self, task: int) -> Samples:
        permutation, view = self._permutations.at(task), None
        if self.every is not None:
            permutation, view = self._within(permutation, task, self.every)
        return Samples(self.dataset.images, self.dataset.labels, self.rows(task), permutation, view)

    @cached_property
    def _permutations(self) -> Chain[Indices]:
        """What each task begins with."""
        return Chain(drawn(self.seed, 0, self.dataset.inputs), self._at_once if self.every is None else self._in_pairs)

    def _at_once(self, permutation: Indices, task: int) -> Indices:
        inputs = self.dataset.inputs
        count, rng = max(2, round(self.change * inputs)), generator(self.seed, Purpose.CHANGE, task)
        places = np.sort(rng.permutation(inputs)[:count])
        papers, changed = drawn(self.seed, task, inputs), permutation.copy()
        changed[places] = papers[np.isin(papers, permutation[places])]
        return changed

    def _in_pairs(self, permutation: Indices, task: int) -> Indices:
        """By now, all pairs of the task before have changed."""
        pairs = self._pairs(task - 1)
        return swapped(permutation, pairs, np.ones(len(pairs), bool))

    def _within(self, permutation: Indices, task: int, every: int) -> tuple[Indices, Indices]:
        """All permutations that a task is seen through, (views, inputs), and through which of them each sample is."""
        pairs = self._pairs(task)
        passed = np.arange(task * self.N, (task + 1) * self.N + 1) // every  # moments, and by when the next task begins
        moment = passed - passed[0]
        changed = np.arange(moment[-1] + 1) * len(pairs) // moment[-1]  # pairs, by each moment
        counts, view = np.unique(changed, return_inverse=True)
        views = swapped(permutation, pairs, np.arange(len(pairs)) < counts[:, None])
        return views, view[moment[:-1]]

    def _pairs(self, task: int) -> Indices:  # (pairs, 2)
        """Places that change with each other within a task, one pair after the other; no place twice."""
        inputs = self.dataset.inputs
        count = min(max(1, round(self.change * inputs / 2)), inputs // 2)
        return generator(self.seed, Purpose.CHANGE, task).permutation(inputs)[: 2 * count].reshape(count, 2)


def swapped(permutation: Indices, pairs: Indices, done: Bools) -> Indices:  # (…, pairs) → (…, inputs)
    """With those pairs changed that are done."""
    first, second = pairs.T
    changed = np.broadcast_to(permutation, (*done.shape[:-1], permutation.size)).copy()
    changed[..., first] = np.where(done, permutation[second], permutation[first])
    changed[..., second] = np.where(done, permutation[first], permutation[second])
    return changed
