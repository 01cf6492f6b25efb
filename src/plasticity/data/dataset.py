"""Where images come from: the first N/10 of each class, in file order, scaled to [0, 1]."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from plasticity.arrays import Floats, Labels
from plasticity.data import download
from plasticity.errors import Mistake

CLASSES = 10
# The largest N there can be: ten times the rarest class of the training set.
LARGEST = {"mnist": 54_210, "fmnist": 60_000, "toy": 60_000}


@dataclass(frozen=True)
class Dataset:
    images: Floats  # (N, inputs) in [0, 1]
    labels: Labels  # (N,)


def check(name: str, N: int) -> None:
    if name not in LARGEST:
        raise Mistake(f"dataset={name} is not known; choose {', '.join(LARGEST)}")
    if N <= 0 or N % CLASSES:
        raise Mistake(f"N={N} is not a positive multiple of the {CLASSES} classes")
    if N > LARGEST[name]:
        raise Mistake(f"N={N} is more than {name} has: at most {LARGEST[name]}, with as many of each class")


def load(name: str, N: int, folder: Path | None) -> Dataset:
    check(name, N)
    if name == "toy":
        return toy(N)
    images, labels = (read_idx(path) for path in download.files(name, folder))
    rows = first_of_each_class(labels, N)
    scaled = images[rows].reshape(N, -1).astype(np.float32) / np.float32(255)
    return Dataset(scaled, labels[rows].astype(np.int64))


def first_of_each_class(labels: Labels, N: int) -> np.ndarray:
    """Rows of the first N/10 samples of every class, in file order."""
    chosen = [np.flatnonzero(labels == label)[: N // CLASSES] for label in range(CLASSES)]
    return np.sort(np.concatenate(chosen))


def read_idx(path: Path) -> np.ndarray:
    """The idx format: two zero bytes, a type byte (8: unsigned byte), the number of dimensions, the dimensions."""
    content = path.read_bytes()
    dimensions = np.frombuffer(content, ">i4", count=content[3], offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * content[3]).reshape(dimensions)


def toy(N: int, inputs: int = 784) -> Dataset:
    """Ten noisy prototypes, sparse like pen strokes: learnt within a few hundred samples, made without a download."""
    rng = np.random.default_rng(0)
    prototypes = rng.random((CLASSES, inputs)) * (rng.random((CLASSES, inputs)) < 0.2)
    labels = np.arange(N) % CLASSES
    rng.shuffle(labels)
    strokes = rng.random((N, inputs), np.float32) < 0.7
    images = prototypes[labels].astype(np.float32) * strokes
    return Dataset(images, labels)
