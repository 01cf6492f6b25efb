"""The paper's stream: in every task the same images under a new random permutation of their pixels."""

from dataclasses import dataclass

import numpy as np

from plasticity.data import Dataset
from plasticity.errors import Mistake
from plasticity.seeds import Purpose, generator
from plasticity.streams.samples import Samples

ORDERS = ("shuffled", "fixed")


@dataclass(frozen=True)
class Permuted:
    dataset: Dataset
    seed: int
    order: str  # shuffled: a new order in every task; fixed: file order

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise Mistake(f"order={self.order} is not known; choose {' or '.join(ORDERS)}")

    def samples(self, task: int) -> Samples:
        N, inputs = self.dataset.images.shape
        permutation = generator(self.seed, Purpose.PERMUTATION, task).permutation(inputs)
        shuffled = self.order == "shuffled"
        rows = generator(self.seed, Purpose.ORDER, task).permutation(N) if shuffled else np.arange(N)
        return Samples(self.dataset.images, self.dataset.labels, rows, permutation)
