"""The sequence of tasks: the same images under a new random pixel permutation, in a new order."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from plasticity.arrays import Floats, Indices, Labels
from plasticity.data.dataset import Dataset
from plasticity.seeds import Purpose, generator


@dataclass(frozen=True)
class Samples:
    """Some of a task's samples, in the order learned, as a view: permuting weights is cheaper than permuting images."""

    dataset: Dataset
    rows: Indices  # (n,) which images, in the order learned
    permutation: Indices  # (inputs,) where each input comes from

    @staticmethod
    def of(x: Floats, y: Labels | None = None) -> "Samples":
        """Samples as they are, without a permutation."""
        labels = np.zeros(len(x), np.int64) if y is None else y
        return Samples(Dataset(x, labels), np.arange(len(x)), np.arange(x.shape[1]))

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, part: slice) -> "Samples":
        return replace(self, rows=self.rows[part])

    @property
    def x(self) -> Floats:  # (n, inputs)
        return self.dataset.images[self.rows].take(self.permutation, axis=1)

    @property
    def y(self) -> Labels:  # (n,)
        return self.dataset.labels[self.rows]


@dataclass(frozen=True)
class Task:
    index: int
    samples: Samples
    probe: Samples  # a random part of the task, for pruning
    gauge: Samples  # another, for measuring


@dataclass(frozen=True)
class Stream:
    """Task t depends on (seed, t) alone, so every model of one seed meets the same tasks."""

    dataset: Dataset
    seed: int
    shuffled: bool = True
    probe: float = 0.05

    def task(self, index: int) -> Task:
        N, inputs = self.dataset.images.shape
        permutation = generator(self.seed, Purpose.PERMUTATION, index).permutation(inputs)
        rows = generator(self.seed, Purpose.ORDER, index).permutation(N) if self.shuffled else np.arange(N)

        def some(purpose: Purpose) -> Samples:
            size = max(1, round(self.probe * N))
            chosen = generator(self.seed, purpose, index).choice(N, size, replace=False)
            return Samples(self.dataset, chosen, permutation)

        return Task(index, Samples(self.dataset, rows, permutation), some(Purpose.PROBE), some(Purpose.GAUGE))

    def tasks(self, start: int, stop: int) -> Iterator[Task]:
        return map(self.task, range(start, stop))
