"""Reading: from the bytes of a file to arrays, lists, dictionaries and objects."""

from __future__ import annotations

import mmap as memory_map
import os
from typing import Any, Literal, TypeVar, overload

from t7shell.core.memory import contents
from t7shell.core.types import checked
from t7shell.t7file.model import T7FileError
from t7shell.t7file.object_reader import ObjectReader
from t7shell.t7file.source import AsciiSource, BinarySource

Mode = Literal["binary", "ascii", "b32", "b64"]
Value = TypeVar("Value")
MODES = ("binary", "ascii", "b32", "b64")


@overload
def load(path: str | os.PathLike[str], mode: Mode | None = ..., *, mmap: bool = ...) -> Any: ...


@overload
def load(
    path: str | os.PathLike[str], mode: Mode | None = ..., *, mmap: bool = ..., expected: type[Value]
) -> Value: ...


def load(
    path: str | os.PathLike[str],
    mode: Mode | None = None,
    *,
    mmap: bool = False,
    expected: type[Any] | None = None,
) -> Any:
    """Reads the object of a ``.t7`` file.

    ``mode`` is 'binary', 'ascii', 'b32' or 'b64' (binary with longs of 4 or 8 bytes); by default it is
    inferred from the file. With ``mmap`` the arrays of a binary file view the file, mapped copy-on-write, and
    take no memory until they are used. ``expected`` is the type of the object, such as `numpy.ndarray`, also
    for type checkers: another one raises TypeError. Raises T7FileError with the position of the error, and
    OSError.
    """
    name = os.fspath(path)
    with open(name, "rb") as file:
        data = memoryview(contents(file, memory_map.ACCESS_COPY))
    if mode is None:
        _check_start(data, name)
    return checked("load", _read(data, mode, name, mmap), expected)


def mode_of_file(path: str | os.PathLike[str]) -> str:
    """Infers 'binary' or 'ascii' from the first bytes of a file. Raises T7FileError for other files."""
    with open(path, "rb") as file:
        start = memoryview(file.read(8))
    _check_start(start, os.fspath(path))
    return _mode(start)


def loads(data: bytes, mode: str | None = None) -> Any:
    """Reads the object that ``data`` holds, as `load` does."""
    return _read(memoryview(data), mode, "data", False)


def _read(data: memoryview, mode: str | None, name: str, view: bool) -> Any:
    if mode is not None and mode not in MODES:
        raise ValueError(f"mode must be one of {', '.join(MODES)} (got {mode!r})")
    if mode is None:
        mode = _mode(data)
    if mode == "ascii":
        return ObjectReader(AsciiSource(data, name)).whole()
    first = ObjectReader(BinarySource(data, name, 4 if mode == "b32" else 8, view))
    if mode != "binary":
        return first.whole()
    try:
        return first.whole()
    except T7FileError:
        # 32-bit machines wrote longs of 4 bytes; a file is read so if that consumes it to its last byte.
        try:
            return ObjectReader(BinarySource(data, name, 4, view)).whole()
        except T7FileError:
            pass
        raise


def _mode(data: memoryview) -> str:
    return "ascii" if len(data) > 1 and data[0] in b"012345678" and data[1] in b"\r\n" else "binary"


def _check_start(data: memoryview, name: str) -> None:
    """Rejects other files: those of torch begin with the type of an object, 0 to 8. Raises T7FileError."""
    start = bytes(data[:8])
    if not start:
        raise T7FileError(f"{name}: not a .t7 file: it is empty")
    in_ascii = start[0] in b"012345678" and start[1:2] in (b"", b"\r", b"\n")
    if not in_ascii and (start[0] > 8 or any(start[1:4])):
        raise T7FileError(f"{name}: not a .t7 file: it begins with {start!r}")
