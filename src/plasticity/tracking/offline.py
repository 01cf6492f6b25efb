"""wandb's offline file, read back: on a disk that is full wandb cuts it, and says nothing."""

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

from wandb.proto import wandb_internal_pb2 as messages

SIGN, START, BLOCK, HEAD = b":W&B", 7, 32768, 7  # the file's own head has 7 bytes, and so has that of a piece
FULL, FIRST, LAST = 1, 2, 4


def problem(folder: Path, rows: int) -> str | None:
    """Of a run that has so many rows, and whose session has ended."""
    try:
        (path,) = (folder / "wandb").glob("offline-run-*/*.wandb")
        kept = sum(each.WhichOneof("record_type") == "history" for each in records(path))
    except (OSError, ValueError):
        return "its offline file is not there"
    return f"its offline file was cut, and holds {kept} of {rows} rows" if kept < rows else None


def records(path: Path) -> Iterator["messages.Record"]:  # pyright: ignore[reportAttributeAccessIssue]
    """What was written whole, up to the first that was not."""
    for content in _contents(path.read_bytes()):
        record = messages.Record()  # pyright: ignore[reportAttributeAccessIssue]
        record.ParseFromString(content)
        yield record


def _contents(file: bytes) -> Iterator[bytes]:
    """LevelDB's log format: blocks of pieces, each with a checksum, a length and its part in a record."""
    at, whole = START if file.startswith(SIGN) else len(file), b""
    while at + HEAD <= len(file):
        if BLOCK - at % BLOCK < HEAD:
            at += BLOCK - at % BLOCK
            continue
        checksum, length, part = struct.unpack("<IHB", file[at : at + HEAD])
        piece = file[at + HEAD : at + HEAD + length]
        if zlib.crc32(piece, zlib.crc32(bytes([part]))) != checksum:
            return
        at += HEAD + length
        whole = piece if part in (FULL, FIRST) else whole + piece
        if part in (FULL, LAST):
            yield whole
