"""Each task has a few of the classes, in turn."""

from dataclasses import dataclass

import numpy as np

from plasticity.ground.arrays import Indices
from plasticity.ground.limits import whole
from plasticity.ground.seeds import Purpose, generator
from plasticity.streams.ordered import Ordered
from plasticity.streams.samples import Samples


@dataclass(frozen=True)
class RotatingClasses(Ordered):
    """Pixels and labels stay as they are, and so do the outputs: one for each class of the data set, most of which a
    task never asks for. A seed has the classes in a random order: task 0 has the first `classes` of them, task 1 the
    next, and after the last comes the first again. A task has N samples, as everywhere: it goes through the images of
    its classes again and again, each time in a new order.
    """

    classes: int  # per task

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("stream.classes", self.classes, 1, most=self.dataset.classes)

    def samples(self, task: int) -> Samples:
        data = self.dataset
        images = np.flatnonzero(np.isin(data.labels, self.classes_of(task)))
        return Samples(data.images, data.labels, self.rows(task, images), np.arange(data.inputs))

    def classes_of(self, task: int) -> Indices:
        turn = generator(self.seed, Purpose.TURNS).permutation(self.dataset.classes)
        return turn[(task * self.classes + np.arange(self.classes)) % len(turn)]
