"""Messages of protobuf as bytes (``.caffemodel``): the blobs of a network by the names of its layers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from t7shell.host.memory import Array
from t7shell.packages.loadcaffe.text_format import FormatError

# Numbers of fields: of a network; of layers in the old and the current format; of blobs.
OLD_LAYERS, LAYERS = 2, 100
NAME = {OLD_LAYERS: 4, LAYERS: 1}
BLOBS = {OLD_LAYERS: 6, LAYERS: 7}
SIZES = (1, 2, 3, 4)
DATA, SHAPE, DOUBLE_DATA = 5, 7, 8
DIM = 1

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def fields(data: memoryview) -> Iterator[tuple[int, Any]]:
    """Yields the number and the value of each field of a message. A value is a number, or bytes.

    Raises FormatError if the message is damaged.
    """
    at, end = 0, len(data)
    while at < end:
        key, at = _varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, at = _varint(data, at)
            yield number, value
            continue
        if kind == _BYTES:
            size, at = _varint(data, at)
        elif kind in (_FIXED64, _FIXED32):
            size = 8 if kind == _FIXED64 else 4
        else:
            raise FormatError(f"field {number} has the unknown type {kind}")
        if size > end - at:
            raise FormatError(f"field {number} of {size} bytes, but {end - at} are left")
        yield number, data[at : at + size]
        at += size


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise FormatError("the file ends within a number")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise FormatError("a number is longer than 10 bytes")


def blobs(data: memoryview) -> dict[str, list[Array]]:
    """Returns the blobs of all layers that have some. Raises FormatError for another kind of file."""
    found: dict[str, list[Array]] = {}
    layers = 0
    for number, value in fields(data):
        if number not in NAME or not isinstance(value, memoryview):
            continue
        layers += 1
        name, arrays = "", []
        for part, inner in fields(value):
            if part == NAME[number] and isinstance(inner, memoryview):
                name = bytes(inner).decode("utf-8", "replace")
            elif part == BLOBS[number] and isinstance(inner, memoryview):
                arrays.append(_blob(inner))
        if arrays:
            found[name] = arrays
    if not layers:
        raise FormatError("no layers: not a network of Caffe")
    return found


def _blob(data: memoryview) -> Array:
    parts: list[Array] = []
    old, shape = {}, None
    for number, value in fields(data):
        if number in SIZES and isinstance(value, int):
            old[number] = value
        elif number == SHAPE and isinstance(value, memoryview):
            shape = _dimensions(value)
        elif number in (DATA, DOUBLE_DATA) and isinstance(value, memoryview):
            dtype = np.dtype("<f4" if number == DATA else "<f8")
            if len(value) % dtype.itemsize:
                raise FormatError(f"a blob of {len(value)} bytes")
            parts.append(np.frombuffer(value, dtype).astype(np.float32))
    array = np.concatenate(parts) if parts else np.zeros(0, np.float32)
    sizes = shape if shape is not None else [old.get(number, 1) for number in SIZES]
    count = 1
    for size in sizes:
        count *= size
    if count != array.size:
        raise FormatError(f"a blob of sizes {sizes} with {array.size} elements")
    return array.reshape(sizes)


def _dimensions(data: memoryview) -> list[int]:
    found = []
    for number, value in fields(data):
        if number != DIM:
            continue
        if isinstance(value, int):
            found.append(value)
            continue
        at = 0
        while at < len(value):
            size, at = _varint(value, at)
            found.append(size)
    return found
