"""Disks of the tests' own, of a few kilobytes, which can be full or read-only."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small(path: Path, kilobytes: int) -> Iterator[Path]:
    """A file system of this size in the folder's place."""
    path.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(path)]
    if os.getuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a disk of the test's own needs root, and the right to mount one")
    try:
        yield path
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True)


@contextmanager
def full(disk: Path) -> Iterator[None]:
    """Not a byte is left on it."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass
    try:
        yield
    finally:
        ballast.unlink()


@contextmanager
def read_only(disk: Path) -> Iterator[None]:
    """As a server's disk after an error: nothing can be written, not even by those who have a file open."""
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    try:
        yield
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)


def grow(disk: Path, kilobytes: int) -> None:
    subprocess.run(["mount", "-o", f"remount,size={kilobytes}k", str(disk)], check=True)
