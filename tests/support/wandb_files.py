"""Reading back what wandb's offline mode wrote."""

import json
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wandb.proto import wandb_internal_pb2 as messages

START, BLOCK, HEAD = 7, 32768, 7  # bytes of the file's own head, of a block, and of a piece's head
FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4


@dataclass
class Offline:
    run: Any = None
    rows: list[dict[str, Any]] = field(default_factory=list)
    axes: dict[str, str] = field(default_factory=dict)  # a key's x-axis
    summary: dict[str, Any] = field(default_factory=dict)
    exit_code: int | None = None

    @property
    def config(self) -> dict[str, Any]:
        return {item.key: json.loads(item.value_json) for item in self.run.config.update}


def read(path: Path) -> Offline:
    found = Offline()
    for content in _records(path.read_bytes()):
        record = messages.Record()  # pyright: ignore[reportAttributeAccessIssue]
        record.ParseFromString(content)
        match record.WhichOneof("record_type"):
            case "run":
                found.run = record.run
            case "history":
                found.rows.append(_items(record.history.item))
            case "summary":
                found.summary |= _items(record.summary.update)
            case "metric":
                found.axes[record.metric.name] = record.metric.step_metric
            case "exit":
                found.exit_code = record.exit.exit_code
    return found


def _items(items: Any) -> dict[str, Any]:
    return {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in items}


def _records(content: bytes) -> Iterator[bytes]:
    """LevelDB's log format: blocks of pieces, each with a checksum, a length and its part in a record."""
    assert content[:4] == b":W&B"
    at, whole = START, b""
    while at + HEAD <= len(content):
        if BLOCK - at % BLOCK < HEAD:
            at += BLOCK - at % BLOCK
            continue
        checksum, length, part = struct.unpack("<IHB", content[at : at + HEAD])
        piece = content[at + HEAD : at + HEAD + length]
        assert zlib.crc32(piece, zlib.crc32(bytes([part]))) == checksum
        at += HEAD + length
        whole = piece if part in (FULL, FIRST) else whole + piece
        if part in (FULL, LAST):
            yield whole
