"""Where a run can go on from: the network and the records at a task boundary, in one checked file."""

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np

from plasticity.ground.arrays import Snapshot
from plasticity.ground.errors import Mistake, printable, reason
from plasticity.ground.files import replace, set_aside
from plasticity.record import Record
from plasticity.runs import rows as rows_file

FORMAT = 2
DIGEST = 32  # bytes of sha256 before everything else
NAMES = ("checkpoint.new", "checkpoint", "checkpoint.previous")


class Unusable(Exception):
    """Why a checkpoint cannot be trusted."""


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
            if not all(values.dtype.kind in "biuf" and np.isfinite(values).all() for values in network.values()):
                raise Unusable("its network is not made of finite numbers")
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
    for path in (folder / name for name in NAMES):
        try:
            content = _content(path)
            usable += [(path, Checkpoint.from_bytes(content, identity))] if content is not None else []
        except Mistake:
            raise
        except Exception as error:  # whatever a file with the right digest and the wrong content makes of itself
            warnings.append(_aside(path, error))
    for path, found in sorted(usable, key=lambda pair: -len(pair[1].rows)):
        try:
            restore(found.network)
            return found.rows, warnings
        except Exception as error:
            warnings.append(_aside(path, error))
    return None, warnings


def _content(path: Path) -> bytes | None:
    """None if it is not there. A disk's trouble says nothing about the file, which is left where it is."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except IsADirectoryError as error:
        raise Unusable("it is a folder") from error
    except OSError as error:
        hint = "run the same command again when it can, or with force=true to start over"
        raise Mistake(f"{path} cannot be read ({reason(error)}); {hint}") from error


def _aside(path: Path, error: Exception) -> str:
    why = str(error) if isinstance(error, Unusable) else f"it cannot be decoded ({type(error).__name__}: {error})"
    return printable(f"{path.name} cannot be used, {why}; set aside as {set_aside(path).name}")


def rows(folder: Path) -> int:
    """How many rows the last checkpoint holds; for onlookers, so little is read, and nothing checked or set aside."""
    try:
        with (folder / "checkpoint").open("rb") as file:
            file.seek(DIGEST)
            with np.load(file, allow_pickle=False) as arrays:
                return len(rows_file.tabulated(arrays["rows"].tobytes().decode()))
    except Exception:  # as above
        return 0


def readable(folder: Path, identity: str) -> list[Checkpoint]:
    """Those that can be used, for onlookers, too: nothing is set aside."""
    found = []
    for name in NAMES:
        with suppress(Exception):  # as above
            found.append(Checkpoint.from_bytes((folder / name).read_bytes(), identity))
    return found


def remove(folder: Path) -> None:
    for name in NAMES:
        (folder / name).unlink(missing_ok=True)
