"""Samples as views: permuting a network's weights is cheaper than permuting images."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from plasticity.ground.arrays import Floats, Indices, Labels


@dataclass(frozen=True)
class Samples:
    """Some samples of a task, in the order learned."""

    images: Floats  # (images, inputs) of the whole data set
    labels: Labels  # (images,) what each of them is in this task
    rows: Indices  # (n,) which images, in the order learned
    permutation: Indices  # (inputs,) where each input comes from; or, where that changes in a task, (views, inputs)
    view: Indices | None = None  # (n,) through which of several permutations each sample is seen

    @staticmethod
    def of(x: Floats, y: Labels | None = None) -> "Samples":
        """Samples as they are, without a permutation."""
        labels = np.zeros(len(x), np.int64) if y is None else y
        return Samples(x, labels, np.arange(len(x)), np.arange(x.shape[1]))

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, part: slice | Indices) -> "Samples":
        return replace(self, rows=self.rows[part], view=None if self.view is None else self.view[part])

    def some(self, share: float, rng: np.random.Generator) -> "Samples":
        """A random part, at least one sample; which one does not depend on the order learned."""
        return self[self._by_image[rng.choice(len(self), max(1, round(share * len(self))), replace=False)]]

    @cached_property
    def _by_image(self) -> Indices:  # (n,)
        """Places of samples in the order of their images."""
        short = np.min_scalar_type(len(self.images))  # is sorted 10 × as fast
        return np.argsort(self.rows.astype(short), kind="stable")

    def pieces(self, most: int) -> Iterator[tuple[slice, "Samples"]]:
        """One after the other, each of at most so many samples that are seen through one permutation; and which."""
        changes = () if self.view is None else np.flatnonzero(np.diff(self.view)) + 1
        for begin, end in pairwise([0, *changes, len(self)]):
            for start in range(begin, end, most):
                part = slice(start, min(start + most, end))
                yield part, Samples(self.images, self.labels, self.rows[part], self.permutation_of(start))

    def permutation_of(self, sample: int) -> Indices:  # (inputs,)
        return self.permutation if self.view is None else self.permutation[self.view[sample]]

    @property
    def alike(self) -> "Samples":
        """The same, seen through one permutation: if there are several, as images of their own."""
        return self if self.view is None else Samples.of(self.x, self.y)

    @property
    def x(self) -> Floats:  # (n, inputs)
        images = self.images[self.rows]
        if self.view is None:
            return images.take(self.permutation, axis=1)
        return np.take_along_axis(images, self.permutation[self.view], axis=1)

    @property
    def y(self) -> Labels:  # (n,)
        return self.labels[self.rows]
