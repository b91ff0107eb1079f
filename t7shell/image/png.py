"""Writing PNG files: several times as fast as Pillow's encoder, at about the same size."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

# The colour types of the format, by the number of planes: grey, grey with alpha, RGB, RGBA.
_COLOUR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}
_MEMORY_LEVEL = 9
# Bytes that are filtered and compressed at a time: what is made of them stays in the cache.
_CHUNK = 1 << 15


def encode(pixels: Array) -> bytes:
    """The content of a PNG file of bytes of height x width x 1 to 4 planes."""
    height, width, planes = pixels.shape
    if max(height, width) >= 2**31 or min(height, width) < 1:
        raise ValueError(f"1 to 2^31 - 1 rows and columns expected, got {height}x{width}")
    head = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[planes], 0, 0, 0)
    content = _compressed(pixels.reshape(height, width * planes), planes)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + content + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = zlib.crc32(content, zlib.crc32(kind))
    return b"".join((struct.pack(">I", len(content)), kind, content, struct.pack(">I", check)))


def _compressed(rows: Array, planes: int) -> bytes:
    """The chunks of the rows. What does not shrink is stored, so that it is read without decoding."""
    step = max(1, _CHUNK // rows.shape[1])
    parts = []
    # Longer matches cost three times the time and save a tenth at most.
    packer = zlib.compressobj(1, zlib.DEFLATED, zlib.MAX_WBITS, _MEMORY_LEVEL, zlib.Z_RLE)
    for first in range(0, len(rows), step):
        parts.append(packer.compress(_filtered(rows, first, min(first + step, len(rows)), planes).data))
    parts.append(packer.flush())
    if sum(map(len, parts)) >= rows.size:
        plain = np.zeros((rows.shape[0], rows.shape[1] + 1), np.uint8)
        plain[:, 1:] = rows
        parts = [zlib.compress(plain.data, 0)]
    return b"".join(_chunk(b"IDAT", part) for part in parts if part)


def _filtered(rows: Array, first: int, last: int, planes: int) -> Array:
    """Rows as they are, or less what stands to the left, above, or the mean of both, by the smallest sum."""
    part = rows[first:last]
    above = np.zeros_like(part)
    above[0 if first else 1 :] = rows[max(first - 1, 0) : last - 1]
    left = np.zeros_like(part)
    left[:, planes:] = part[:, :-planes]
    choices = np.empty((4, len(part), part.shape[1] + 1), np.uint8)
    choices[:, :, 0] = np.arange(4)[:, None]
    choices[0, :, 1:] = part
    np.subtract(part, left, out=choices[1, :, 1:])
    np.subtract(part, above, out=choices[2, :, 1:])
    # The mean, rounded down, in bytes.
    np.subtract(part, (left & above) + ((left ^ above) >> 1), out=choices[3, :, 1:])
    costs = np.abs(choices.view(np.int8)).view(np.uint8).sum(2, dtype=np.int64)
    best: Array = choices[costs.argmin(0), np.arange(len(part))]
    return best
