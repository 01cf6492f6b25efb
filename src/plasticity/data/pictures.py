"""USPS, SVHN and CIFAR-10, each from files in a format of its own that are downloaded once."""

import bz2
import pickle
import tarfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from plasticity.data import download
from plasticity.data.downloaded import Downloaded, Whole
from plasticity.ground.errors import Mistake

GREY = np.array([0.299, 0.587, 0.114])  # of red, green and blue (ITU-R BT.601)


class USPS(Downloaded):
    files = download.Source(
        "USPS",
        {"usps.bz2": "ec16c51db3855ca6c91edd34d0e9b197"},
        addresses=lambda known: [known.split_list["train"][0]],
    )
    images = 7_291
    rarest = 542
    shape = (16, 16)

    def read(self, *paths: Path) -> Whole:
        """Lines of a label, from 1, and place:value, from place 1; values from −1 to 1, and 0 where a place is not
        named."""
        lines = [line.split() for line in bz2.decompress(paths[0].read_bytes()).decode().splitlines() if line.strip()]
        images, labels = np.zeros((len(lines), 256), np.float32), np.array([int(line[0]) - 1 for line in lines])
        for image, (_, *pairs) in zip(images, lines, strict=True):
            places, values = zip(*(pair.split(":") for pair in pairs), strict=True)
            image[np.array(places, int) - 1] = np.array(values, np.float32)
        return ((images + 1) / 2).reshape(-1, *self.shape), labels


class SVHN(Downloaded):
    """House numbers, in grey."""

    files = download.Source(
        "SVHN",
        {"train_32x32.mat": "e26dedcc434d2e4c54c9b2d4a06d8373"},
        addresses=lambda known: [known.split_list["train"][0]],
    )
    images = 73_257
    rarest = 4_659

    def read(self, *paths: Path) -> Whole:
        """(height, width, colours, images), and the digit 0 has the label 10."""
        from scipy.io import loadmat

        content = loadmat(paths[0], variable_names=["X", "y"])
        return grey(content["X"].transpose(3, 0, 1, 2)), content["y"].astype(np.int64).ravel() % 10


@dataclass(frozen=True)
class CIFAR10(Downloaded):
    colour: bool = False  # three numbers per pixel, or one
    files = download.Source(
        "CIFAR10",
        {"cifar-10-python.tar.gz": "c58f30108f718f92721af3b95e74349a"},
        addresses=lambda known: [known.url],
    )
    images = 50_000
    rarest = 5_000

    def __post_init__(self) -> None:
        if not isinstance(self.colour, bool):
            raise Mistake(f"dataset.colour={self.colour} is not possible; it must be true or false")

    def read(self, *paths: Path) -> Whole:
        """Five batches, each image as its red, its green and its blue pixels."""
        with tarfile.open(paths[0]) as packed:
            batches = [_batch(packed, f"cifar-10-batches-py/data_batch_{number}") for number in range(1, 6)]
        images = np.concatenate([batch["data"] for batch in batches]).reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        return images if self.colour else grey(images), np.concatenate([batch["labels"] for batch in batches])


def grey(images: np.ndarray) -> np.ndarray:  # (n, height, width, 3) bytes → (n, height, width) bytes
    return np.stack([np.rint(image @ GREY) for image in images]).astype(np.uint8)


def _batch(packed: tarfile.TarFile, name: str) -> dict[str, Any]:
    file = packed.extractfile(name)
    assert file is not None, name
    return Arrays(BytesIO(file.read()), encoding="latin1").load()


class Arrays(pickle.Unpickler):
    """Of arrays and plain values, and of nothing that could run."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("_codecs", "encode"):
            return super().find_class(module, name)
        if module.split(".")[0] == "numpy" and name in ("_reconstruct", "ndarray", "dtype", "_frombuffer"):
            return super().find_class(module.replace("numpy.core", "numpy._core"), name)
        raise pickle.UnpicklingError(f"{module}.{name} has no place in a file of images")
