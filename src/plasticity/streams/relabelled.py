"""Pixels stay where they are; in every task the classes have new labels."""

from dataclasses import dataclass

import numpy as np

from plasticity.ground.seeds import Purpose, generator
from plasticity.streams.ordered import Ordered
from plasticity.streams.samples import Samples


@dataclass(frozen=True)
class Relabelled(Ordered):
    """Every task has a random permutation of the labels: images of one class share a label that no other class has."""

    def samples(self, task: int) -> Samples:
        data = self.dataset
        labels = generator(self.seed, Purpose.LABELS, task).permutation(data.classes)[data.labels]
        return Samples(data.images, labels, self.rows(task), np.arange(data.inputs))
