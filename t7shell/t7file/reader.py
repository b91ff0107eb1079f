"""Reading: from the bytes of a file to arrays, lists, dictionaries and objects."""

from __future__ import annotations

import io
import mmap as memory_map
import os
from contextlib import suppress
from typing import Any, BinaryIO, Literal

from t7shell.t7file.file_bytes import FileBytes, Mapped
from t7shell.t7file.model import T7FileError
from t7shell.t7file.object_reader import ObjectReader
from t7shell.t7file.source import AsciiSource, BinarySource

Mode = Literal["binary", "ascii", "b32", "b64"]
MODES = ("binary", "ascii", "b32", "b64")


def load(path: str | os.PathLike[str], mode: Mode | None = None, *, mmap: bool = False) -> Any:
    """Reads the object of a ``.t7`` file.

    ``mode`` is 'binary', 'ascii', 'b32' or 'b64' (binary with longs of 4 or 8 bytes); by default it is
    inferred from the file. With ``mmap`` the arrays of a binary file view the file, mapped copy-on-write, and
    take no memory until they are used; the process ends if another one shortens the file and elements behind
    its end are used. Raises T7FileError with the position of the error, and OSError.
    """
    with open(path, "rb") as file:
        return _load(file, os.fspath(path), mode, mapped=mmap)


def load_headers(path: str | os.PathLike[str]) -> Any:
    """Reads the object of a ``.t7`` file without the elements of large tensors, which are zeros."""
    with open(path, "rb") as file:
        return _load(file, os.fspath(path), None, values=False)


def _load(file: BinaryIO, name: str, mode: str | None, mapped: bool = False, values: bool = True) -> Any:
    if not file.seekable():
        file = io.BytesIO(file.read())
    start = file.read(8)
    if mode is None:
        _check_start(start, name)
        mode = _mode(start)
    if mode == "ascii":
        file.seek(0)
        return ObjectReader(AsciiSource(memoryview(file.read()), name)).whole()
    data: Mapped | FileBytes = FileBytes(file, name, values)
    if mapped and not isinstance(file, io.BytesIO):
        with suppress(OSError, ValueError):
            data = Mapped(memoryview(memory_map.mmap(file.fileno(), 0, access=memory_map.ACCESS_COPY)))
    return _binary(data, mode, name)


def mode_of_file(path: str | os.PathLike[str]) -> str:
    """Infers 'binary' or 'ascii' from the first bytes of a file. Raises T7FileError for other files."""
    with open(path, "rb") as file:
        start = file.read(8)
    _check_start(start, os.fspath(path))
    return _mode(start)


def loads(data: bytes, mode: str | None = None) -> Any:
    """Reads the object that ``data`` holds, as `load` does."""
    mode = _mode(data) if mode is None else mode
    if mode == "ascii":
        return ObjectReader(AsciiSource(memoryview(data), "data")).whole()
    return _binary(FileBytes(io.BytesIO(data), "data"), mode, "data")


def _binary(data: Mapped | FileBytes, mode: str, name: str) -> Any:
    if mode not in MODES:
        raise ValueError(f"mode must be one of {', '.join(MODES)} (got {mode!r})")
    first = ObjectReader(BinarySource(data, name, 4 if mode == "b32" else 8))
    if mode != "binary":
        return first.whole()
    try:
        return first.whole()
    except T7FileError:
        # 32-bit machines wrote longs of 4 bytes; a file is read so if that consumes it to its last byte.
        try:
            return ObjectReader(BinarySource(data, name, 4)).whole()
        except T7FileError:
            pass
        raise


def _mode(data: bytes) -> str:
    return "ascii" if len(data) > 1 and data[0] in b"012345678" and data[1] in b"\r\n" else "binary"


def _check_start(start: bytes, name: str) -> None:
    """Rejects other files: those of torch begin with the type of an object, 0 to 8. Raises T7FileError."""
    if not start:
        raise T7FileError(f"{name}: not a .t7 file: it is empty")
    in_ascii = start[0] in b"012345678" and start[1:2] in (b"", b"\r", b"\n")
    if not in_ascii and (start[0] > 8 or any(start[1:4])):
        raise T7FileError(f"{name}: not a .t7 file: it begins with {start!r}")
