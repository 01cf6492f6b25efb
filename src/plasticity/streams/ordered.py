"""Streams whose tasks go through the images of a data set, N samples each."""

from dataclasses import dataclass

import numpy as np

from plasticity.data import Dataset
from plasticity.ground.arrays import Indices
from plasticity.ground.errors import Mistake
from plasticity.ground.seeds import Purpose, generator

ORDERS = ("shuffled", "fixed")


@dataclass(frozen=True)
class Ordered:
    dataset: Dataset
    seed: int
    order: str  # shuffled: a new order each time; fixed: file order

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise Mistake(f"order={self.order} is not known; choose {' or '.join(ORDERS)}")

    @property
    def N(self) -> int:
        return len(self.dataset.images)

    def rows(self, task: int, images: Indices | None = None) -> Indices:  # (N,)
        """All images, or these again and again until there are N samples."""
        images = np.arange(self.N) if images is None else images
        turns = -(-self.N // len(images))
        if self.order == "fixed":
            return np.tile(images, turns)[: self.N]
        orders = [generator(self.seed, Purpose.ORDER, task, *([turn] if turn else [])) for turn in range(turns)]
        return np.concatenate([images[rng.permutation(len(images))] for rng in orders])[: self.N]
