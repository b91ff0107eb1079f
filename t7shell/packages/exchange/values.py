"""Nested values with arrays, as data files contain them, between Python and Lua.

`Reader` passes a Python value to Lua piece by piece, `Writer` builds one from the pieces that Lua passes.
The Lua half is `lua/torch/utility/exchange.lua`. Elements go straight between an array and the memory of a
tensor.

==================================  ==========================================================
piece                               Python value
==================================  ==========================================================
'tensor', type, size, size, ...     array; `fill` copies its elements to an address
'table', count                      dict, or list as a dict of 1, 2, ...; a key and a value each
'string', text                      str (as UTF-8), bytes
'number', 'boolean', 'nil'          int and float, bool, None
==================================  ==========================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from t7shell.host.failures import returning_failures
from t7shell.host.memory import Array, vector

Piece = tuple[Any, ...]

# The tensor that has the elements of a NumPy type: the same one, or the next that holds all its values.
TENSORS = {
    "float64": "Double", "float32": "Float", "float16": "Half",
    "int64": "Long", "int32": "Int", "int16": "Short",
    "int8": "Char", "uint8": "Byte", "bool": "Byte", "uint16": "Int", "uint32": "Long", "uint64": "Long",
    "longdouble": "Double",
}  # fmt: skip
# The first type above is the element type of the tensor itself.
DTYPES = {kind: dtype for dtype, kind in reversed(TENSORS.items())}


@lru_cache(256)
def tensor_type(dtype: np.dtype[Any]) -> str:
    """'Double' for float64, and so on. Raises TypeError for elements that no tensor has."""
    name = TENSORS.get(dtype.newbyteorder("=").name)
    if name is None:
        raise TypeError(f"no tensor has elements of the type {dtype}")
    return name


def copy_to(array: Array, address: float) -> None:
    """Copies the elements of an array, in the order of rows, to the memory of a tensor of its type."""
    dtype = DTYPES[tensor_type(array.dtype)]
    if array.size:
        target = vector(int(address), dtype, array.size, np.dtype(dtype).itemsize)
        target.reshape(array.shape)[...] = array


def array_at(kind: str, address: float, sizes: tuple[float, ...]) -> Array:
    """A view of the memory of a contiguous tensor; it does not keep the memory alive."""
    shape = tuple(int(size) for size in sizes)
    count = prod(shape) if shape else 0
    dtype = DTYPES[kind]
    if count == 0:
        return np.empty((0,) if 0 not in shape else shape, dtype)
    return vector(int(address), dtype, count, np.dtype(dtype).itemsize).reshape(shape)


def from_lua(text: str) -> str:
    """A string of Lua as text, where it is UTF-8; else each byte is a character."""
    raw = text.encode("latin-1")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return text


class Reader:
    """Passes a value to Lua: `piece` is called until the value is complete."""

    def __init__(self, value: Any) -> None:
        self.pieces = self._walk(value)
        # The array that the last piece announced.
        self.array: Array | None = None

    def _walk(self, value: Any) -> Iterator[Piece]:
        if isinstance(value, np.ndarray):
            self.array = value
            yield ("tensor", tensor_type(value.dtype), *map(float, value.shape))
        elif isinstance(value, (dict, list, tuple)):
            entries = value.items() if isinstance(value, dict) else enumerate(value, 1)
            yield "table", float(len(value))
            for key, item in entries:
                yield from self._walk(key)
                yield from self._walk(item)
        elif value is None:
            yield ("nil",)
        elif isinstance(value, (bool, np.bool_)):
            yield "boolean", bool(value)
        elif isinstance(value, (int, float, np.integer, np.floating)):
            yield "number", float(value)
        elif isinstance(value, str):
            yield "string", value.encode("utf-8", "surrogateescape")
        elif isinstance(value, bytes):
            yield "string", value
        else:
            raise TypeError(f"cannot convert a {type(value).__name__} to a value of Lua")


@returning_failures(TypeError)
def piece(reader: Reader) -> Piece:
    """The next piece of a reader; (None, message) for a value that Lua cannot hold."""
    return next(reader.pieces)


def fill(reader: Reader, address: float) -> None:
    """Copies the elements of the array that `piece` announced to an address."""
    assert reader.array is not None
    copy_to(reader.array, address)
    reader.array = None


class Writer:
    """Builds a value from the pieces that Lua passes."""

    def __init__(self) -> None:
        self.value: Any = None
        self.key: Any = None
        # The tables that are being filled, the innermost one last.
        self.tables: list[dict[Any, Any]] = []

    def add(self, value: Any) -> None:
        """Sets the value of the current key, or the whole value if no table is open."""
        if self.tables:
            self.tables[-1][self.key] = value
        else:
            self.value = value


def writer() -> Writer:
    """A new Writer."""
    return Writer()


def begin(target: Writer) -> None:
    """Opens a table; keys and values follow."""
    table: dict[Any, Any] = {}
    target.add(table)
    target.tables.append(table)


def end(target: Writer) -> None:
    """Closes the table that was opened last."""
    target.tables.pop()


def key(target: Writer, name: Any) -> None:
    """The key of the next value: a string or a number."""
    target.key = from_lua(name) if isinstance(name, str) else name


def plain(target: Writer, value: Any) -> None:
    """A string, number or boolean."""
    target.add(from_lua(value) if isinstance(value, str) else value)


def tensor(target: Writer, kind: str, address: float, *sizes: float) -> None:
    """The elements of a contiguous tensor, which are copied."""
    target.add(array_at(kind, address, sizes).copy())
