"""Samples as views: permuting a network's weights is cheaper than permuting images."""

from dataclasses import dataclass, replace

import numpy as np

from plasticity.arrays import Floats, Indices, Labels


@dataclass(frozen=True)
class Samples:
    """Some samples of a task, in the order learned."""

    images: Floats  # (images, inputs) of the whole data set
    labels: Labels  # (images,) what each of them is in this task
    rows: Indices  # (n,) which images, in the order learned
    permutation: Indices  # (inputs,) where each input comes from

    @staticmethod
    def of(x: Floats, y: Labels | None = None) -> "Samples":
        """Samples as they are, without a permutation."""
        labels = np.zeros(len(x), np.int64) if y is None else y
        return Samples(x, labels, np.arange(len(x)), np.arange(x.shape[1]))

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, part: slice) -> "Samples":
        return replace(self, rows=self.rows[part])

    def some(self, share: float, rng: np.random.Generator) -> "Samples":
        """A random part, at least one sample; which one does not depend on the order learned."""
        size = max(1, round(share * len(self)))
        return replace(self, rows=np.sort(self.rows)[rng.choice(len(self), size, replace=False)])

    @property
    def x(self) -> Floats:  # (n, inputs)
        return self.images[self.rows].take(self.permutation, axis=1)

    @property
    def y(self) -> Labels:  # (n,)
        return self.labels[self.rows]
