"""What a data set is, and which of its images a task of N samples has."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from plasticity.ground.arrays import Floats, Indices, Labels
from plasticity.ground.errors import Mistake


@dataclass(frozen=True)
class Dataset:
    images: Floats  # (N, inputs), flat
    labels: Labels  # (N,) from 0 to classes − 1
    classes: int
    shape: tuple[int, ...]  # of one image

    @property
    def inputs(self) -> int:
        return self.images.shape[1]


class Source(Protocol):
    """What `dataset=…` names: a class with these methods, made from the keys of its yaml."""

    def size(self) -> int:
        """The number of images of the whole training set: what N=all means."""
        ...

    def check(self, N: int) -> None:
        """Refuses an N that cannot be had, in one sentence, without a download."""
        ...

    def fetch(self, folder: Path | None) -> None:
        """Has the files there, downloaded if need be."""
        ...

    def load(self, N: int, folder: Path | None) -> Dataset: ...


def check_size(name: str, N: int, size: int, classes: int, largest: int) -> None:
    """`largest`: the classes times the rarest class, for as many images of each."""
    if N == size:
        return
    if N <= 0 or N % classes:
        near = min(max(N - N % classes, classes), largest)
        hint = f"N={near} is, and N=all takes every image"
        raise Mistake(f"N={N} is not a positive multiple of the {classes} classes; {hint}")
    if N > largest:
        hint = f"at most {largest} with as many of each class, or N=all for all {size}"
        raise Mistake(f"N={N} is more than {name} has: {hint}")


def chosen(labels: Labels, N: int, classes: int) -> Indices:
    """Every image if N is all of them; else the first N / classes of each class, as in the paper. In file order."""
    if len(labels) == N:
        return np.arange(N)
    return np.sort(np.concatenate([np.flatnonzero(labels == label)[: N // classes] for label in range(classes)]))


def scaled(images: np.ndarray) -> Floats:  # (N, …) → (N, inputs)
    """Bytes become numbers in [0, 1]; numbers stay as they are."""
    flat = images.reshape(len(images), -1)
    return flat.astype(np.float32) / np.float32(255) if images.dtype == np.uint8 else flat.astype(np.float32)
