"""Where a run can go on from: the network and the records at a task boundary, in one checked file."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from plasticity.arrays import Snapshot
from plasticity.files import replace, set_aside
from plasticity.record import Record
from plasticity.runs import rows as rows_file

FORMAT = 2
DIGEST = 32  # bytes of sha256 before everything else
NAMES = ("checkpoint.new", "checkpoint", "checkpoint.previous")


class Unusable(Exception):
    """Why a checkpoint cannot be trusted."""


# Whatever a file with the right digest and the wrong content makes of itself.
UNREADABLE = (
    Unusable, OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError, EOFError, BadZipFile
)  # fmt: skip


@dataclass(frozen=True)
class Checkpoint:
    identity: str  # of the run that wrote it
    rows: tuple[Record, ...]  # of the tasks done
    network: Snapshot

    def to_bytes(self) -> bytes:
        meta = json.dumps({"format": FORMAT, "identity": self.identity, "arrays": list(self.network)})
        text = np.frombuffer(rows_file.text(self.rows, rows_file.columns(self.rows)).encode(), np.uint8)
        packed = BytesIO()
        np.savez(packed, allow_pickle=False, meta=np.array(meta), rows=text, **_named(self.network))
        content = packed.getvalue()
        return hashlib.sha256(content).digest() + content

    @staticmethod
    def from_bytes(content: bytes, identity: str) -> "Checkpoint":
        digest, content = content[:DIGEST], content[DIGEST:]
        if hashlib.sha256(content).digest() != digest:
            raise Unusable("it is damaged")
        with np.load(BytesIO(content), allow_pickle=False) as arrays:
            meta = json.loads(str(arrays["meta"]))
            if meta["format"] != FORMAT:
                raise Unusable(f"its format is {meta['format']}, this version reads {FORMAT}")
            if meta["identity"] != identity:
                raise Unusable("it is another run's")
            network = {name: arrays[f"network.{name}"] for name in meta["arrays"]}
            if not all(np.issubdtype(values.dtype, np.number) for values in network.values()):
                raise Unusable("its network is not made of numbers")
            return Checkpoint(identity, _rows(arrays["rows"].tobytes().decode()), network)


def _rows(text: str) -> tuple[Record, ...]:
    """All that were written: with only some of them the network would be further than its rows."""
    rows = tuple(rows_file.parse(text))
    if rows_file.text(rows, rows_file.columns(rows)) != text:
        raise Unusable("its rows are damaged")
    return rows


def _named(network: Snapshot) -> Snapshot:
    return {f"network.{name}": values for name, values in network.items()}


def save(folder: Path, checkpoint: Checkpoint) -> None:
    """The one before is kept, so that there is always a whole one."""
    content = checkpoint.to_bytes()
    current = folder / "checkpoint"
    fresh = folder / "checkpoint.new"
    replace(fresh, content)
    if current.exists():
        current.replace(folder / "checkpoint.previous")
    fresh.replace(current)


def load(
    folder: Path, identity: str, restore: Callable[[Snapshot], None]
) -> tuple[tuple[Record, ...] | None, list[str]]:
    """Restores the furthest checkpoint that can be used and gives its rows; and a warning for each one set aside."""
    for torn in folder.glob(".checkpoint*.[0-9]*"):  # by a kill, while it was written
        torn.unlink()
    usable, warnings = [], []
    for name in NAMES:
        path = folder / name
        if path.exists():
            try:
                usable.append((path, Checkpoint.from_bytes(path.read_bytes(), identity)))
            except UNREADABLE as reason:
                warnings.append(_aside(path, reason))
    for path, found in sorted(usable, key=lambda pair: -len(pair[1].rows)):
        try:
            restore(found.network)
            return found.rows, warnings
        except UNREADABLE as reason:
            warnings.append(_aside(path, reason))
    return None, warnings


def _aside(path: Path, reason: Exception) -> str:
    why = str(reason) if isinstance(reason, Unusable) else f"it cannot be decoded ({type(reason).__name__}: {reason})"
    return f"{path.name} cannot be used, {why}; set aside as {set_aside(path).name}"


def rows(folder: Path) -> int:
    """How many rows the last checkpoint holds; for onlookers, so nothing is checked or set aside."""
    try:
        content = (folder / "checkpoint").read_bytes()[DIGEST:]
        with np.load(BytesIO(content), allow_pickle=False) as arrays:
            return len(rows_file.parse(arrays["rows"].tobytes().decode()))
    except UNREADABLE:
        return 0


def remove(folder: Path) -> None:
    for name in NAMES:
        (folder / name).unlink(missing_ok=True)
