"""Reading: from the bytes of a file to arrays, lists, dictionaries and objects."""

from __future__ import annotations

import io
import mmap as memory_map
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, Literal, TypeVar, overload

import numpy as np

from t7shell.host.types import checked
from t7shell.t7file.file_bytes import FileBytes, Mapped
from t7shell.t7file.model import OTHER_FILES, Object, T7FileError
from t7shell.t7file.object_reader import MoreFollows, ObjectReader
from t7shell.t7file.source import AsciiSource, BinarySource

Mode = Literal["binary", "ascii", "b32", "b64"]
Value = TypeVar("Value")
MODES = ("binary", "ascii", "b32", "b64")


# A file: its name, its bytes, or an open file.
Source = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO


@overload
def load(path: Source, mode: Mode | None = ..., *, mmap: bool = ...) -> Any: ...


@overload
def load(path: Source, mode: Mode | None = ..., *, mmap: bool = ..., expected: type[Value]) -> Value: ...


def load(
    path: Source, mode: Mode | None = None, *, mmap: bool = False, expected: type[Any] | None = None
) -> Any:
    """Reads the object of a ``.t7`` file, the first where there are several, with a warning.

    ``path`` is the name of the file, its bytes, or an open file. ``mode`` is 'binary', 'ascii', 'b32' or
    'b64' (binary with longs of 4 or 8 bytes); by default it is inferred from the file. With ``mmap`` the
    arrays of a binary file view the file, mapped copy-on-write, and take no memory until they are used; the
    process ends if another one shortens the file and elements after its end are used. ``expected`` is the
    type of the object, such as `numpy.ndarray`, also for type checkers: another one raises TypeError. Raises
    T7FileError with the position of the error, and OSError.
    """
    with _opened(path) as (file, name):
        return checked("load", _read(file, name, mode, mapped=mmap), expected)


def load_all(path: Source, mode: Mode | None = None) -> list[Any]:
    """Reads all objects of a file, which a program wrote one after the other, as a list; see `load`."""
    with _opened(path) as (file, name):
        return list(_read(file, name, mode, several=True))


def load_headers(path: str | os.PathLike[str]) -> Any:
    """Reads the object of a ``.t7`` file without the elements of large tensors, which are zeros."""
    with _opened(path) as (file, name):
        return _read(file, name, None, values=False)


def loads(data: bytes, mode: Mode | None = None) -> Any:
    """Reads the object that ``data`` holds, as `load` does."""
    return load(data, mode)


@contextmanager
def _opened(path: Source) -> Iterator[tuple[BinaryIO, str]]:
    """A file that can seek, and its name."""
    if isinstance(path, (bytes, bytearray, memoryview)):
        yield io.BytesIO(path), "data"
    elif isinstance(path, (str, os.PathLike)):
        with open(path, "rb") as file:
            yield file if file.seekable() else io.BytesIO(file.read()), os.fspath(path)
    elif not hasattr(path, "read"):
        raise TypeError(f"load: expected a path, bytes or an open file (got {type(path).__name__})")
    else:
        found = path.read()
        if not isinstance(found, bytes):
            raise TypeError(f"load: expected a file of bytes (got one of {type(found).__name__})")
        yield io.BytesIO(found), str(getattr(path, "name", "data"))


def mode_of_file(path: str | os.PathLike[str]) -> str:
    """Infers 'binary' or 'ascii' from the first bytes of a file. Raises T7FileError for other files."""
    with open(path, "rb") as file:
        start = file.read(64)
    _check_start(start, os.fspath(path))
    return _mode(start)


def _read(
    file: BinaryIO,
    name: str,
    mode: str | None,
    mapped: bool = False,
    values: bool = True,
    several: bool = False,
) -> Any:
    if mode is not None and mode not in MODES:
        raise ValueError(f"mode must be one of {', '.join(MODES)} (got {mode!r})")
    if mode is None:
        start = file.read(64)
        _check_start(start, name)
        mode = _mode(start)
    file.seek(0)

    def read(reader: ObjectReader) -> Any:
        return reader.all() if several else reader.whole()

    try:
        if mode == "ascii":
            return read(ObjectReader(AsciiSource(memoryview(file.read()), name)))
        data: Mapped | FileBytes = FileBytes(file, name, values)
        if mapped and not isinstance(file, io.BytesIO):
            with suppress(OSError, ValueError):
                data = Mapped(memoryview(memory_map.mmap(file.fileno(), 0, access=memory_map.ACCESS_COPY)))
        return read(ObjectReader(BinarySource(data, name, 4 if mode == "b32" else 8)))
    except T7FileError as reason:
        if mode == "binary":
            # 32-bit machines wrote longs of 4 bytes; a file is read so if that consumes it to its last byte.
            with suppress(T7FileError):
                return read(ObjectReader(BinarySource(data, name, 4)))
        # A number or string at the start of other data is rather a damaged file.
        if isinstance(reason, MoreFollows) and isinstance(reason.value, (list, dict, Object, np.ndarray)):
            warnings.warn(str(reason), stacklevel=4)
            return reason.value
        raise


def _mode(data: bytes) -> str:
    return "ascii" if len(data) > 1 and data[0] in b"012345678" and data[1] in b"\r\n" else "binary"


def _check_start(start: bytes, name: str) -> None:
    """Rejects other files: those of torch begin with the type of an object, 0 to 8. Raises T7FileError."""
    if not start:
        raise T7FileError(f"{name}: not a .t7 file: it is empty")
    in_ascii = start[0] in b"012345678" and start[1:2] in (b"", b"\r", b"\n")
    if not in_ascii and (start[0] > 8 or any(start[1:4])):
        plain = start.removeprefix(b"\xef\xbb\xbf").lstrip()
        plain = plain.lower() if plain.startswith(b"<") else plain
        for begin, kind, remedy in OTHER_FILES:
            if start.startswith(begin) or plain.startswith(begin):
                raise T7FileError(f"{name}: not a .t7 file: it is {kind}; {remedy}")
        raise T7FileError(f"{name}: not a .t7 file: it begins with {start[:8]!r}")
