"""MNIST and FashionMNIST, from files in the idx format that are downloaded once."""

from pathlib import Path
from typing import ClassVar

import numpy as np

from plasticity.data import download
from plasticity.data.dataset import Dataset, check_size, chosen, scaled

CLASSES = 10
IMAGES = 60_000  # of each training set
SHAPE = (28, 28)


class Downloaded:
    files: ClassVar[download.Source]
    rarest: ClassVar[int]  # images of the rarest class of the training set

    def size(self) -> int:
        return IMAGES

    def check(self, N: int) -> None:
        check_size(self.files.folder, N, IMAGES, CLASSES, CLASSES * self.rarest)

    def fetch(self, folder: Path | None) -> None:
        download.files(self.files, folder)

    def load(self, N: int, folder: Path | None) -> Dataset:
        self.check(N)
        images, labels = (read_idx(path) for path in download.files(self.files, folder))
        rows = chosen(labels, N, CLASSES)
        return Dataset(scaled(images[rows]), labels[rows].astype(np.int64), CLASSES, SHAPE)


class MNIST(Downloaded):
    files = download.MNIST
    rarest = 5_421


class FashionMNIST(Downloaded):
    files = download.FASHION_MNIST
    rarest = 6_000


def read_idx(path: Path) -> np.ndarray:
    """The idx format: two zero bytes, a type byte (8: unsigned byte), the number of dimensions, the dimensions."""
    content = path.read_bytes()
    dimensions = np.frombuffer(content, ">i4", count=content[3], offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * content[3]).reshape(dimensions)
