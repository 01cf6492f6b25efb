"""The idx format, in which MNIST and its relatives come."""

import gzip
from pathlib import Path

import numpy as np

TYPES = {8: np.dtype(np.uint8), 12: np.dtype(">i4")}  # by the third byte of a file


def read_idx(path: Path) -> np.ndarray:
    """Of a file, gzipped or plain."""
    content = path.read_bytes()
    return array(gzip.decompress(content) if path.suffix == ".gz" else content)


def array(content: bytes) -> np.ndarray:
    """Two zero bytes, the type of the values, the number of dimensions, the dimensions, the values."""
    dimensions = np.frombuffer(content, ">i4", count=content[3], offset=4)
    return np.frombuffer(content, TYPES[content[2]], offset=4 + 4 * content[3]).reshape(dimensions)
