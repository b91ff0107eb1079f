"""PNG files of 16 bits a channel and several channels, which Pillow reads as 8 bits."""

from __future__ import annotations

import io
import struct
import sys
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from t7shell.packages.image.opening import open_picture

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# Channels by the colour type of the header: RGB, grey with alpha, RGB with alpha.
_CHANNELS = {2: 3, 4: 2, 6: 4}
# First row and column, and steps between rows and columns, of the passes of an interlaced file.
_PASSES = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1))
_WHOLE = ((0, 0, 1, 1),)


def is_deep(head: bytes) -> bool:
    """Whether the first 26 bytes of a file are those of such a picture."""
    return head[:8] == _SIGNATURE and len(head) >= 26 and head[24] == 16 and head[25] in _CHANNELS


def decode(content: bytes) -> np.ndarray[Any, Any]:
    """The channels of a file as int32, channels x height x width, up to 65535. Raises ValueError."""
    if len(content) < 29:
        raise ValueError("damaged picture: it ends within its header")
    width, height = struct.unpack(">II", content[16:24])
    channels, interlaced = _CHANNELS[content[25]], content[28] == 1
    size, position = 2 * channels, 0
    parts = []
    for top, left, down, across in _PASSES if interlaced else _WHOLE:
        rows, columns = -(-(height - top) // down), -(-(width - left) // across)
        if rows > 0 and columns > 0:
            parts.append((top, left, down, across, rows, columns))
    wanted = sum(rows * (1 + columns * size) for *_, rows, columns in parts)
    try:
        body = b"".join(body for kind, body in _chunks(content) if kind == b"IDAT")
        data = zlib.decompressobj().decompress(body, min(wanted, sys.maxsize))
    except zlib.error as reason:
        raise ValueError(f"damaged picture: {reason}") from None
    if wanted == 0 or len(data) < wanted:
        raise ValueError("damaged picture: pixels are missing")
    out = np.empty((channels, height, width), np.int32)
    for top, left, down, across, rows, columns in parts:
        length = rows * (1 + columns * size)
        part = np.frombuffer(data, np.uint8, length, position).reshape(rows, -1)
        position += length
        for channel in range(channels):
            high, low = (_unfiltered(part, 2 * channel + byte, size) for byte in range(2))
            out[channel, top::down, left::across] = high.astype(np.int32) << 8 | low
    return out


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    position = 8
    while position + 8 <= len(content):
        length, kind = struct.unpack(">I4s", content[position : position + 8])
        yield kind, content[position + 8 : position + 8 + length]
        position += length + 12


def _unfiltered(part: np.ndarray[Any, Any], byte: int, size: int) -> np.ndarray[Any, Any]:
    """One byte of each pixel, rows x columns.

    A filter combines a byte with the same byte of other pixels only, so these bytes with the filters of their
    rows are a grey picture, which Pillow reads.
    """
    plane = np.concatenate([part[:, :1], part[:, 1 + byte :: size]], axis=1)
    rows, columns = plane.shape[0], plane.shape[1] - 1
    head = struct.pack(">IIBBBBB", columns, rows, 8, 0, 0, 0, 0)
    body = zlib.compress(plane.tobytes(), 1)
    chunks = ((b"IHDR", head), (b"IDAT", body), (b"IEND", b""))
    text = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    with open_picture(io.BytesIO(_SIGNATURE + text), ("PNG",)) as picture:
        return np.asarray(picture)
