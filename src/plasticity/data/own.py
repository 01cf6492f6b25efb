"""A data set of one's own: an .npz file, or a folder with one sub-folder of pictures for each class."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from PIL import Image

from plasticity.data.dataset import Dataset, check_size, chosen, scaled
from plasticity.ground.errors import Mistake

PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff")
Whole = tuple[np.ndarray, np.ndarray]  # images (n, …), labels (n,)


@dataclass(frozen=True)
class Own:
    """`path`: an .npz with `images` (n, …) and `labels` (n,), or a folder with a sub-folder of pictures per class.

    Labels are numbered from 0 in their order, sub-folders in that of their names. Bytes are scaled to [0, 1].
    """

    path: str

    def size(self) -> int:
        return len(self._labels())

    def check(self, N: int) -> None:
        labels = self._labels()
        counts = np.bincount(labels)
        check_size(self.path, N, len(labels), len(counts), len(counts) * int(counts.min()))

    def fetch(self, folder: Path | None) -> None: ...

    def load(self, N: int, folder: Path | None = None) -> Dataset:
        self.check(N)
        images, _ = read(Path(self.path))
        labels = self._labels()
        classes = int(labels.max()) + 1
        rows = chosen(labels, N, classes)
        return Dataset(scaled(images[rows]), labels[rows], classes, images.shape[1:])

    def _labels(self) -> np.ndarray:
        """From 0, without gaps."""
        return np.unique(read(Path(self.path))[1], return_inverse=True)[1].astype(np.int64)

    @staticmethod
    def identity(settings: Mapping[str, Any]) -> dict[str, Any]:
        """What is in the files changes a run's numbers; where they lie does not."""
        images, labels = read(Path(settings["path"]))
        content = hashlib.sha256(images.tobytes() + labels.tobytes() + repr((images.shape, images.dtype)).encode())
        return {"content": content.hexdigest()}


@cache
def read(path: Path) -> Whole:
    path = path.expanduser()
    if not path.exists():
        raise Mistake(f"dataset.path={path} does not exist; name an .npz file or a folder of pictures")
    images, labels = _folder(path) if path.is_dir() else _npz(path)
    if images.ndim < 2 or labels.shape != (len(images),):
        raise Mistake(
            f"dataset.path={path} has images of shape {images.shape} and labels of shape {labels.shape}; "
            "it needs one label for each image"
        )
    if len(np.unique(labels)) < 2:
        raise Mistake(f"dataset.path={path} has fewer than two classes")
    if not (np.issubdtype(images.dtype, np.number) and np.isfinite(images).all()):
        raise Mistake(f"dataset.path={path} has images that are not finite numbers")
    return images, labels


def _npz(path: Path) -> Whole:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return arrays["images"], arrays["labels"]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise Mistake(f"dataset.path={path} cannot be read as an .npz of images and labels: {error}") from error


def _folder(path: Path) -> Whole:
    images, labels = [], []
    for number, folder in enumerate(sorted(inside for inside in path.iterdir() if inside.is_dir())):
        for file in sorted(folder.iterdir()):
            if file.suffix.lower() in PICTURES:
                images.append(_picture(file))
                labels.append(number)
    shapes = {image.shape for image in images}
    if len(shapes) != 1:
        found = "has no pictures" if not shapes else f"has pictures of several shapes: {sorted(shapes)[:3]}"
        raise Mistake(f"dataset.path={path} {found}; it needs a sub-folder for each class, with pictures of one size")
    return np.stack(images), np.array(labels)


def _picture(file: Path) -> np.ndarray:
    try:
        with Image.open(file) as picture:
            return np.asarray(picture.convert("L" if picture.mode in ("1", "L", "P", "I;16") else "RGB"))
    except OSError as error:
        raise Mistake(f"{file} cannot be read as a picture: {error}") from error
