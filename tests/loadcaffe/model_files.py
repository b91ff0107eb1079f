"""Models of Caffe as bytes, in both formats of layers."""

from __future__ import annotations

import struct


def varint(n: int) -> bytes:
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)


def field(number: int, data: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(data)) + data


def new_blob(array) -> bytes:
    shape = field(1, b"".join(map(varint, array.shape)))
    return field(7, shape) + field(5, array.astype("<f4").tobytes())


def old_blob(array) -> bytes:
    """The four sizes, and numbers that are not packed."""
    sizes = (1,) * (4 - array.ndim) + array.shape
    head = b"".join(varint(number << 3) + varint(n) for number, n in enumerate(sizes, 1))
    return head + b"".join(varint(5 << 3 | 5) + struct.pack("<f", x) for x in array.ravel())


def model(layers, old=False) -> bytes:
    data = field(1, b"network")
    for name, arrays in layers.items():
        if old:
            content = field(4, name.encode()) + b"".join(field(6, old_blob(a)) for a in arrays)
        else:
            content = field(1, name.encode()) + b"".join(field(7, new_blob(a)) for a in arrays)
        data += field(2 if old else 100, content)
    return data
