"""Writing: from arrays, lists, dictionaries and objects to the bytes of a file, as Torch7 writes them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Literal, overload

import numpy as np

from t7shell.host.atomic_write import replacing_path
from t7shell.t7file.model import (
    DTYPES,
    GENERATOR,
    ON_DEVICE,
    TAG,
    TIMER,
    TYPES,
    Array,
    Function,
    Key,
    Object,
    Storage,
    T7FileError,
)
from t7shell.t7file.sink import AsciiSink, BinarySink

Path = str | os.PathLike[str]
Mode = Literal["binary", "ascii", "b64"]


@overload
def save(obj: object, path: Path, mode: Mode = ...) -> None: ...


@overload
def save(obj: Path, path: object, mode: Mode = ...) -> None: ...


def save(obj: object, path: object, mode: Mode = "binary") -> None:
    """Writes an object to a file, 'binary' or 'ascii', atomically.

    Takes what `load` gives: None, bool, numbers, str, bytes, lists, tuples, dictionaries, arrays, `Object`,
    `Storage`, `Function`; also a `Model`, and tables, objects and functions of a `Runtime`, which Lua writes.
    Arrays that are views of one array share their storage in the file. Object and path
    may come in either order: the path is a str or `os.PathLike`. Raises T7FileError for anything else,
    TypeError where neither is a path or both may be, and OSError.
    """
    obj, path = _in_order(obj, path)
    _check_mode(mode)
    save_by_lua = getattr(type(obj), "_save", None)
    if save_by_lua:
        save_by_lua(obj, path, mode)
        return
    pieces = _pieces(obj, mode)
    with replacing_path(path) as temporary, open(temporary, "wb") as file:
        file.writelines(pieces)


def _in_order(obj: object, path: object) -> tuple[object, Path]:
    """Tells the object from the path."""
    if not isinstance(path, (str, os.PathLike)):
        obj, path = path, obj
        if not isinstance(path, (str, os.PathLike)):
            kinds = f"{type(path).__name__} and {type(obj).__name__}"
            raise TypeError(f"save: expected an object and a path (got {kinds})")
    elif isinstance(obj, os.PathLike):
        obj, path = path, obj
    elif isinstance(obj, str) and isinstance(path, str) and obj.endswith(".t7") and path[-3:] != ".t7":
        raise TypeError(f"save: expected an object and a path (got two strings, {obj!r} first)")
    return obj, path


def dumps(obj: Any, mode: str = "binary") -> bytes:
    """Returns the bytes that `save` writes."""
    return b"".join(_pieces(obj, mode))


def _check_mode(mode: str) -> None:
    if mode not in ("binary", "b64", "ascii"):
        raise ValueError(f"mode: expected 'binary' or 'ascii' (got {mode!r})")


def _pieces(obj: Any, mode: str) -> list[bytes | memoryview]:
    _check_mode(mode)
    return _Writer(AsciiSink() if mode == "ascii" else BinarySink()).write(obj)


class _Writer:
    def __init__(self, sink: BinarySink) -> None:
        self.sink = sink
        self.indices: dict[int, int] = {}
        self.storages: dict[tuple[int, int, str], Storage] = {}
        # Objects are identified by address: keeping them prevents reuse of their addresses.
        self.kept: list[Any] = []
        self.count = 0

    def write(self, obj: Any) -> list[bytes | memoryview]:
        """Returns the bytes of the file in pieces, views of arrays among them."""
        stack: list[Iterator[Any]] = [iter([obj])]
        while stack:
            for value in stack[-1]:
                parts = self._begin(value)
                if parts is not None:
                    stack.append(parts)
                    break
            else:
                stack.pop()
        return self.sink.parts

    def _begin(self, value: Any) -> Iterator[Any] | None:
        """Writes an object; returns the objects that must follow it, or None."""
        sink = self.sink
        if value is None:
            sink.integer(TAG.NIL)
        elif isinstance(value, (bool, np.bool_)):
            sink.integer(TAG.BOOLEAN)
            sink.integer(int(value))
        elif isinstance(value, (int, float, np.number)) or getattr(value, "ndim", None) == 0:
            sink.integer(TAG.NUMBER)
            sink.number(_as_number(value))
        elif isinstance(value, (str, bytes)):
            sink.integer(TAG.STRING)
            sink.text(value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value)
        else:
            return self._reference(value)
        return None

    def _reference(self, value: Any) -> Iterator[Any] | None:
        if isinstance(value, (dict, list, tuple)):
            return self._indexed(TAG.TABLE, value, self._table)
        if isinstance(value, Storage):
            return self._indexed(TAG.TORCH, self._canonical(value), self._storage)
        if isinstance(value, np.ndarray):
            if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
                raise T7FileError("cannot write masked elements; `array.filled(value)` has none")
            return self._indexed(TAG.TORCH, value, self._tensor)
        if isinstance(value, Object):
            return self._indexed(TAG.TORCH, value, self._object)
        if isinstance(value, Function):
            tag = TAG.FUNCTION if value.tag == TAG.FUNCTION else TAG.OLD_FUNCTION
            return self._indexed(tag, value, self._function)
        raise T7FileError(f"cannot write a {type(value).__module__}.{type(value).__qualname__}")

    def _indexed(self, tag: int, value: Any, write: Any) -> Iterator[Any] | None:
        """Writes the tag and index of an object; returns its contents when they are not written yet."""
        self.sink.integer(tag)
        known = self.indices.get(id(value))
        if known is None:
            self.count += 1
            self.indices[id(value)] = self.count
            self.kept.append(value)
        self.sink.integer(known or self.count)
        parts: Iterator[Any] | None = None if known else write(value)
        return parts

    def _table(self, value: Any) -> Iterator[Any]:
        self.sink.integer(len(value))
        pairs = value.items() if isinstance(value, dict) else enumerate(value, 1)
        for key, item in pairs:
            if key is None or key != key:
                raise T7FileError(f"cannot write {key!r} as the key of a table")
            yield key.value if isinstance(key, Key) else key
            yield item

    def _name(self, typename: str, version: int = 1) -> None:
        if version:
            self.sink.text(b"V %d" % version)
        self.sink.text(typename.encode("latin-1"))

    def _storage(self, value: Array) -> None:
        kind = _kind(value)
        self._name(f"torch.{kind}Storage")
        self.sink.long(value.size)
        self.sink.array(np.ascontiguousarray(value).reshape(-1))

    def _tensor(self, value: Array) -> Iterator[Any]:
        kind = _kind(value)
        self._name(f"torch.{kind}Tensor")
        if value.size == 0:
            self.sink.integer(0)
            self.sink.long(1)
            yield None
            return
        if not value.dtype.isnative or value.dtype.kind == "b":
            value = value.astype(DTYPES[kind])
        root = _root(value)
        if root is None:
            value = root = np.ascontiguousarray(value)
            self.kept.append(root)
        address = value.__array_interface__["data"][0] - root.__array_interface__["data"][0]
        sizes, strides = value.shape, [step // value.itemsize for step in value.strides]
        self.sink.integer(value.ndim)
        self.sink.array(np.array(sizes, np.int64))
        self.sink.array(np.array(strides, np.int64))
        self.sink.long(address // value.itemsize + 1)
        yield self._storage_of(root)

    def _storage_of(self, root: Array) -> Storage:
        """Returns the one storage of an array that owns its memory, for all its views."""
        key = (root.__array_interface__["data"][0], root.size, root.dtype.str)
        storage = self.storages.get(key)
        if storage is None:
            storage = root.reshape(-1, order="C" if root.flags.c_contiguous else "F").view(Storage)
            self.storages[key] = storage
            self.kept.append(root)
        return storage

    def _canonical(self, value: Storage) -> Storage:
        """Returns the one object for all arrays that are this storage."""
        root = _root(value)
        return self._storage_of(root) if root is not None and root.size == value.size else value

    def _object(self, value: Object) -> Iterator[Any]:
        self._name(value.typename, value.version)
        if value.typename == TIMER:
            return
        if value.typename == GENERATOR:
            self.sink.array(np.frombuffer(value.fields["state"], np.uint8))
            return
        if value.typename == ON_DEVICE and isinstance(value.fields, dict):
            yield [value.fields.get("_type"), value.fields.get("device")]
        yield value.fields

    def _function(self, value: Function) -> Iterator[Any]:
        self.sink.text(value.code)
        yield value.upvalues


def _as_number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, OverflowError):
        raise T7FileError(f"cannot write the number {value!r:.60}: it is no double") from None


def _kind(value: Array) -> str:
    if value.dtype.kind == "b":
        return "Byte"
    kind = TYPES.get(value.dtype.newbyteorder("="))
    if kind is None:
        raise T7FileError(f"cannot write an array of {value.dtype}: no tensor has such elements")
    return kind


def owner(value: Array) -> Array | None:
    """Returns the array that a view was made of; stride tricks insert an object between the two."""
    for candidate in (value.base, getattr(value.base, "base", None)):
        if isinstance(candidate, np.ndarray):
            return candidate
    return None


def _root(value: Array) -> Array | None:
    """Returns the array whose memory a view shares, if a storage can describe the view."""
    root: Array = value
    while (below := owner(root)) is not None and below.dtype == value.dtype:
        root = below
    if not (root.flags.c_contiguous or root.flags.f_contiguous):
        return None
    if any(step < 0 or step % value.itemsize for step in value.strides):
        return None
    return root
