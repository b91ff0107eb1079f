"""The bytes of a file: read piece by piece, or mapped.

Pages of a mapped file that another process cuts short end this process when they are touched, so files are
mapped only where that was asked for.
"""

from __future__ import annotations

import os
import struct
from typing import Any, BinaryIO

import numpy as np

from t7shell.t7file.model import Array, T7FileError

_WINDOW = 2**16  # bytes that are read at once


class Mapped:
    """Bytes that lie in memory; arrays are views of them."""

    def __init__(self, data: memoryview) -> None:
        self.data = data
        self.size = len(data)

    def __getitem__(self, part: slice) -> bytes:
        return bytes(self.data[part])

    def unpack(self, form: struct.Struct, at: int) -> Any:
        """The number at a position."""
        return form.unpack_from(self.data, at)[0]

    def elements(self, at: int, dtype: np.dtype[Any], count: int) -> Array:
        """An array of the elements at a position."""
        found: Array = np.frombuffer(self.data[at : at + count * dtype.itemsize], dtype)
        return found


class FileBytes:
    """The bytes of a file that can seek; arrays are read into memory of their own.

    Without ``values`` larger arrays are not read: their elements are zeros, which take no memory.
    """

    def __init__(self, file: BinaryIO, name: str, values: bool = True) -> None:
        self.file = file
        self.name = name
        self.values = values
        self.size = file.seek(0, os.SEEK_END)
        self._start = 0
        self._window = b""

    def __getitem__(self, part: slice) -> bytes:
        start, stop, _ = part.indices(self.size)
        offset = start - self._start
        if offset >= 0 and stop <= self._start + len(self._window):
            return self._window[offset : offset + stop - start]
        self.file.seek(start)
        return self._checked(self.file.read(max(stop - start, 0)), stop - start)

    def unpack(self, form: struct.Struct, at: int) -> Any:
        """The number at a position."""
        offset = at - self._start
        if offset < 0 or offset + form.size > len(self._window):
            self.file.seek(at)
            self._start, self._window = at, self._checked(self.file.read(_WINDOW), form.size)
            offset = 0
        return form.unpack_from(self._window, offset)[0]

    def elements(self, at: int, dtype: np.dtype[Any], count: int) -> Array:
        """An array of the elements at a position."""
        if not self.values and count * dtype.itemsize > _WINDOW:
            return np.zeros(count, dtype)
        if count * dtype.itemsize <= _WINDOW:
            return np.array(np.frombuffer(self[at : at + count * dtype.itemsize], dtype))
        found: Array = np.empty(count, dtype)
        self.file.seek(at)
        memory = found.view(np.uint8).data
        filled = 0
        while filled < len(memory):
            step = self.file.readinto(memory[filled:])  # type: ignore[attr-defined]
            if not step:
                raise self._cut()
            filled += step
        return found

    def _checked(self, data: bytes, minimum: int) -> bytes:
        if len(data) < minimum:
            raise self._cut()
        return data

    def _cut(self) -> T7FileError:
        return T7FileError(f"{self.name}: the file became shorter while it was read")
