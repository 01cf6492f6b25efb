"""Toy data, generated: for tests, and for trying things without a download."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from plasticity.data.dataset import Dataset, check_size
from plasticity.ground.errors import Mistake

SIZE = 60_000


@dataclass(frozen=True)
class Toy:
    """A noisy prototype for each class, sparse like pen strokes: learned within a few hundred samples."""

    inputs: int = 784
    classes: int = 10

    def __post_init__(self) -> None:
        for name, least in (("inputs", 1), ("classes", 2)):
            value = getattr(self, name)
            if not (isinstance(value, int) and value >= least):
                raise Mistake(f"dataset.{name}={value} is not possible; it must be {least} or more")

    def size(self) -> int:
        return SIZE - SIZE % self.classes

    def check(self, N: int) -> None:
        check_size("the toy data", N, self.size(), self.classes, self.size())

    def fetch(self, folder: Path | None) -> None: ...

    def load(self, N: int, folder: Path | None = None) -> Dataset:
        self.check(N)
        rng = np.random.default_rng(0)
        prototypes = rng.random((self.classes, self.inputs)) * (rng.random((self.classes, self.inputs)) < 0.2)
        labels = np.arange(N) % self.classes
        rng.shuffle(labels)
        strokes = rng.random((N, self.inputs), np.float32) < 0.7
        images = prototypes[labels].astype(np.float32) * strokes
        return Dataset(images, labels, self.classes, (self.inputs,))
