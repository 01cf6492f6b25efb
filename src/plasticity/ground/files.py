"""Writing a file so that it is whole or not there, whatever happens."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

OTHERS_CAN_WRITE = 0o022


def replace(path: Path, content: bytes) -> None:
    """The whole new content under the path's name or, whatever happens, the old one."""
    scratch = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with scratch.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # the new name, too, must outlive a power cut
    finally:
        os.close(folder)


def set_aside(path: Path) -> Path:
    """Under a name that no other has; returns it."""
    number = 1
    while (aside := path.with_name(f"unusable-{number}-{path.name}")).exists():
        number += 1
    return path.replace(aside)


def write(folder: Path, texts: Mapping[str, str]) -> Iterator[Path]:
    """Whole files, by their names below the folder; says each when it is there."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        replace(path, text.encode())
        yield path


def ours(folder: Path) -> bool:
    """Whether nobody else can write there; what is ours is made so. For what is run as code when it is read back."""
    about = folder.stat()
    if about.st_uid == os.getuid() and about.st_mode & OTHERS_CAN_WRITE:
        folder.chmod(about.st_mode & ~OTHERS_CAN_WRITE)
    return about.st_uid == os.getuid()
