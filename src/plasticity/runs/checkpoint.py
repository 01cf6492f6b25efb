"""Where a run can go on from: the network and the records at a task boundary, in one checked file."""

import hashlib
import json
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from plasticity.arrays import State
from plasticity.files import replace, set_aside
from plasticity.runs import records
from plasticity.runs.records import Record

FORMAT = 1
DIGEST = 32  # bytes of sha256 before everything else
NAMES = ("checkpoint.new", "checkpoint", "checkpoint.previous")


class Unusable(Exception):
    """Why a checkpoint cannot be trusted."""


@dataclass(frozen=True)
class Checkpoint:
    identity: str  # of the run that wrote it
    rows: tuple[Record, ...]  # of the tasks done
    network: State

    def to_bytes(self) -> bytes:
        meta = json.dumps({"format": FORMAT, "identity": self.identity, "arrays": list(self.network)})
        rows = np.array([list(row.row().values()) for row in self.rows], np.float64)
        packed = BytesIO()
        np.savez(packed, allow_pickle=False, meta=np.array(meta), rows=rows, **_named(self.network))
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
            rows = tuple(records.record(values.tolist()) for values in arrays["rows"])
            return Checkpoint(identity, rows, {name: arrays[f"network.{name}"] for name in meta["arrays"]})


def _named(network: State) -> State:
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


def load(folder: Path, identity: str) -> tuple[Checkpoint | None, list[str]]:
    """The furthest usable checkpoint, and a warning for each one that had to be set aside."""
    for torn in folder.glob(".checkpoint*.[0-9]*"):  # by a kill, while it was written
        torn.unlink()
    usable, warnings = [], []
    for name in NAMES:
        path = folder / name
        if path.exists():
            try:
                usable.append(Checkpoint.from_bytes(path.read_bytes(), identity))
            except Unusable as reason:
                warnings.append(f"{name} cannot be used, {reason}; set aside as {set_aside(path).name}")
    return max(usable, key=lambda checkpoint: len(checkpoint.rows), default=None), warnings


def rows(folder: Path) -> int:
    """How many rows the last checkpoint holds; for onlookers, so nothing is checked or set aside."""
    try:
        content = (folder / "checkpoint").read_bytes()[DIGEST:]
        with np.load(BytesIO(content), allow_pickle=False) as arrays:
            return len(arrays["rows"])
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return 0


def remove(folder: Path) -> None:
    for name in NAMES:
        (folder / name).unlink(missing_ok=True)
