"""Reads numbers, strings and elements of the binary and the ascii format from the bytes of a file."""

from __future__ import annotations

import re
import struct
from typing import Any, TypeAlias

import numpy as np

from t7shell.host.encoding import plain
from t7shell.t7file.file_bytes import FileBytes, Mapped
from t7shell.t7file.model import DTYPES, Array, T7FileError

_WORD = re.compile(rb"[ \t\n\v\f\r]*([^ \t\n\v\f\r]{1,400})")
_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|inf(?:inity)?|nan)\Z", re.I)
_INT32 = struct.Struct("<i")
_INT64 = struct.Struct("<q")
_DOUBLE = struct.Struct("<d")


class _Bytes:
    """Position and messages. `data` are the bytes, of which there are `size`."""

    data: Mapped | FileBytes | memoryview

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self.pos = 0
        self.size = size

    def fail(self, message: str, at: int | None = None) -> T7FileError:
        return T7FileError(f"{self.name}: at byte {(self.pos if at is None else at) + 1}: {plain(message)}")

    def found(self, at: int) -> str:
        rest = bytes(self.data[at : at + 8])
        return f"found {rest!r}" if rest else "the file ends there"

    def check_count(self, count: int, needed: int, what: str, at: int) -> None:
        """Compares a size with the rest of the file before memory is allocated for it."""
        if count < 0:
            raise self.fail(f"{what}: expected a number of at least 0, found {count}", at)
        if needed > self.size - self.pos:
            raise self.fail(f"{what}: found {count}, but {self.size - self.pos} bytes are left", at)

    def integer(self, what: str) -> int:
        raise NotImplementedError

    def text(self, what: str) -> bytes:
        at = self.pos
        count = self.integer(f"length of {what}")
        self.check_count(count, count, f"length of {what}", at)
        start = self.pos
        self.pos += count
        return bytes(self.data[start : self.pos])


class BinarySource(_Bytes):
    """Binary files; longs have 4 or 8 bytes."""

    def __init__(self, data: Mapped | FileBytes, name: str, long_size: int) -> None:
        super().__init__(name, data.size)
        self.data: Mapped | FileBytes = data
        self.long_size = long_size

    def _unpack(self, form: struct.Struct, what: str) -> int | float:
        at = self.pos
        if at + form.size > self.size:
            raise self.fail(f"expected {what}, {self.found(at)}")
        self.pos = at + form.size
        value: int | float = self.data.unpack(form, at)
        return value

    def integer(self, what: str) -> int:
        return int(self._unpack(_INT32, what))

    def long(self, what: str) -> int:
        return int(self._unpack(_INT32 if self.long_size == 4 else _INT64, what))

    def number(self) -> float:
        return float(self._unpack(_DOUBLE, "number"))

    def array(self, kind: str, count: int, what: str) -> Array:
        dtype = DTYPES[kind]
        stored = np.dtype("<i4") if kind == "Long" and self.long_size == 4 else dtype.newbyteorder("<")
        self.check_count(count, count * stored.itemsize, what, self.pos)
        start = self.pos
        self.pos += count * stored.itemsize
        return self.data.elements(start, stored, count).astype(dtype, copy=False)

    def min_bytes(self, count: int) -> int:
        return 12 * count


class AsciiSource(_Bytes):
    """Ascii files: white space separates numbers; a newline ends runs of elements and strings."""

    def __init__(self, data: memoryview, name: str) -> None:
        super().__init__(name, len(data))
        self.data: memoryview = data

    def _word(self, what: str) -> bytes:
        match = _WORD.match(self.data, self.pos)
        if not match:
            raise self.fail(f"expected {what}, {self.found(self.pos)}")
        self.pos = match.end()
        return match.group(1)

    def _skip_newline(self) -> None:
        if self.pos < self.size and self.data[self.pos] == 10:
            self.pos += 1

    def integer(self, what: str) -> int:
        at = self.pos
        word = self._word(what)
        try:
            value = int(word)
        except ValueError:
            raise self.fail(f"expected {what}, found {word[:40]!r}", at) from None
        self._skip_newline()
        return value

    long = integer

    def number(self) -> float:
        at = self.pos
        word = self._word("number")
        if not _NUMBER.match(word):
            raise self.fail(f"expected number, found {word[:40]!r}", at)
        self._skip_newline()
        return float(word)

    def text(self, what: str) -> bytes:
        data = super().text(what)
        if data:
            self._skip_newline()
        return data

    def array(self, kind: str, count: int, what: str) -> Array:
        dtype = DTYPES[kind]
        at = self.pos
        if dtype.itemsize == 1:
            self.check_count(count, count, what, at)
            self.pos += count
            values: Array = np.frombuffer(self.data[at : self.pos], dtype).copy()
        else:
            self.check_count(count, max(2 * count - 1, 0), what, at)
            values = self._numbers(dtype, count, what)
        if count:
            self._skip_newline()
        return values

    def _numbers(self, dtype: np.dtype[Any], count: int, what: str) -> Array:
        words = []
        for _ in range(count):
            at = self.pos
            word = self._word(what)
            if not _NUMBER.match(word):
                raise self.fail(f"{what}: expected number, found {word[:40]!r}", at)
            words.append(word)
        if dtype.kind == "f":
            return np.array([float(word) for word in words]).astype(dtype)
        try:
            return np.array([int(word) for word in words], dtype=np.int64).astype(dtype)
        except (ValueError, OverflowError):
            raise self.fail(f"{what}: a number is no whole number of {dtype}") from None

    def min_bytes(self, count: int) -> int:
        return 6 * count


Source: TypeAlias = BinarySource | AsciiSource
