"""MNIST and its relatives, from files in the idx format that are downloaded once."""

import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar
from zipfile import ZipFile

import numpy as np

from plasticity.data import download
from plasticity.data.dataset import Dataset, check_size, chosen, scaled
from plasticity.data.download import IMAGES, LABELS
from plasticity.data.idx import array, read_idx
from plasticity.ground.errors import Mistake

Whole = tuple[np.ndarray, np.ndarray]  # images (n, …), labels (n,) from 0
SIZE = 60_000  # images of MNIST's training set, and of most of its relatives'


class Downloaded:
    """A training set. What is known of it beforehand answers questions before it is downloaded."""

    files: ClassVar[download.Source]
    images: int = SIZE
    classes: int = 10
    rarest: int  # images of the rarest class

    def size(self) -> int:
        return self.images

    def check(self, N: int) -> None:
        check_size(self.files.folder, N, self.images, self.classes, self.classes * self.rarest)

    def fetch(self, folder: Path | None) -> None:
        download.files(self.files, folder)

    def load(self, N: int, folder: Path | None) -> Dataset:
        self.check(N)
        images, labels = self.read(*download.files(self.files, folder))
        rows = chosen(labels, N, self.classes)
        if len(rows) != N:
            raise Mistake(f"N={N} is more than {self.files.folder} has: it gives {len(rows)} images; use a smaller N")
        return Dataset(scaled(images[rows]), labels[rows].astype(np.int64), self.classes, images.shape[1:])

    def read(self, *paths: Path) -> Whole:
        images, labels = (read_idx(path) for path in paths)
        return images, labels


class MNIST(Downloaded):
    files = download.MNIST
    rarest = 5_421


class FashionMNIST(Downloaded):
    files = download.FASHION_MNIST
    rarest = 6_000


class KMNIST(Downloaded):
    files = download.Source(
        "KMNIST",
        {f"{IMAGES}.gz": "bdb82020997e1d708af4cf47b453dcf7", f"{LABELS}.gz": "e144d726b3acfaa3e44228e80efcd344"},
        addresses=lambda known: [f"{known.mirrors[0]}{name}" for name, _ in known.resources[:2]],
    )
    rarest = 6_000


class QMNIST(Downloaded):
    files = download.Source(
        "QMNIST",
        {
            "qmnist-train-images-idx3-ubyte.gz": "ed72d4157d28c017586c42bc6afe6370",
            "qmnist-train-labels-idx2-int.gz": "0058f8dd561b90ffdd0f734c6a30e5e4",
        },
        addresses=lambda known: [address for address, _ in known.resources["train"]],
    )
    rarest = 5_421

    def read(self, *paths: Path) -> Whole:
        images, facts = (read_idx(path) for path in paths)
        return images, facts[:, 0]  # then who wrote it, and where it is in NIST


@dataclass(frozen=True)
class EMNIST(Downloaded):
    """Handwritten letters, or letters and digits, as many of each class."""

    split: str
    files = download.Source(
        "EMNIST", {"gzip.zip": "58c8d27c78d21e728a6bc7b3cc06412e"}, addresses=lambda known: [known.url]
    )
    splits: ClassVar = {"balanced": (47, 2_400, 0), "letters": (26, 4_800, 1)}  # classes, images of each, first label

    def __post_init__(self) -> None:
        if self.split not in self.splits:
            raise Mistake(f"dataset.split={self.split} is not known; choose {' or '.join(self.splits)}")

    @property
    def classes(self) -> int:  # type: ignore[override]
        return self.splits[self.split][0]

    @property
    def rarest(self) -> int:  # type: ignore[override]
        return self.splits[self.split][1]

    @property
    def images(self) -> int:  # type: ignore[override]
        return self.classes * self.rarest

    def read(self, *paths: Path) -> Whole:
        """The files' images are transposed, and letters are numbered from 1."""
        with ZipFile(paths[0]) as packed:
            names = (f"gzip/emnist-{self.split}-train-{kind}.gz" for kind in ("images-idx3-ubyte", "labels-idx1-ubyte"))
            images, labels = (array(gzip.decompress(packed.read(name))) for name in names)
        return images.transpose(0, 2, 1), labels.astype(np.int64) - self.splits[self.split][2]
