"""Files of the format idx: a head with the element type and the sizes, then the elements, high byte first."""

from __future__ import annotations

import gzip
import zlib
from math import prod
from pathlib import Path

import numpy as np

from t7shell.host import encoding
from t7shell.host.failures import returning_failures
from t7shell.packages.exchange.values import Reader

_TYPES = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}


@returning_failures(OSError, EOFError, ValueError, zlib.error, MemoryError)
def read(path: str) -> Reader:
    """The elements of a file, which may be packed by gzip."""
    content = Path(encoding.path_of(path)).read_bytes()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] not in _TYPES:
        raise ValueError("not a file of the format idx")
    dtype, dims = np.dtype(_TYPES[content[2]]), content[3]
    head = 4 + 4 * dims
    sizes = [int.from_bytes(content[at : at + 4], "big") for at in range(4, head, 4)]
    wanted = prod(sizes) * dtype.itemsize
    if len(content) - head != wanted:
        raise ValueError(f"expected {wanted} bytes of elements (got {len(content) - head})")
    values = np.frombuffer(content, dtype, offset=head).reshape(sizes)
    return Reader(values.astype(dtype.newbyteorder("=")))
