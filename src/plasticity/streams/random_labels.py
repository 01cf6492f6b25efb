"""Memorising: in every task each image gets a random label."""

from dataclasses import dataclass

import numpy as np

from plasticity.ground.limits import whole
from plasticity.ground.seeds import Purpose, generator
from plasticity.streams.ordered import Ordered
from plasticity.streams.samples import Samples


@dataclass(frozen=True)
class RandomLabels(Ordered):
    """Pixels stay where they are. A task goes `passes` times through N / passes random images, the same in every task
    of a seed. What is met once cannot be remembered: in the first pass, accuracy is that of guessing."""

    passes: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("stream.passes", self.passes, 1, most=self.N)

    def samples(self, task: int) -> Samples:
        data = self.dataset
        labels = generator(self.seed, Purpose.LABELS, task).integers(data.classes, size=self.N)
        images = np.sort(generator(self.seed, Purpose.IMAGES).permutation(self.N)[: -(-self.N // self.passes)])
        return Samples(data.images, labels, self.rows(task, images), np.arange(data.inputs))
