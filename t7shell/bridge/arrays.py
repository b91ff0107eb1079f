"""Tensors and NumPy arrays on the same memory."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from t7shell.engine.errors import T7Error
from t7shell.host import encoding

if TYPE_CHECKING:
    from t7shell.engine.engine import Engine


# The NaN without a payload and sign, by the size of an element in bytes, which LuaJIT reads as a number.
_PLAIN_NAN = {2: 0x7E00, 4: 0x7FC00000, 8: 0x7FF8000000000000}


class _Memory:
    """Memory of Lua with NumPy's array interface; `keeper` is the Lua object that keeps it alive."""

    def __init__(self, interface: dict[str, Any], keeper: Any) -> None:
        self.__array_interface__ = interface
        self.keeper = keeper


class NamedArray(np.ndarray[Any, Any]):
    """An array on the memory of a tensor with names. Arrays derived from it have none."""

    #: A name for each dimension, None if it has none; None for no names at all.
    names: tuple[str | None, ...] | None = None

    def __array_finalize__(self, obj: Any) -> None:
        self.names = None


def _with_names(array: np.ndarray[Any, Any], words: list[str]) -> NamedArray:
    named = array.view(NamedArray)
    named.names = tuple(None if word == "_" else word for word in words)
    return named


def to_numpy(value: Any, engine: Engine) -> np.ndarray[Any, Any] | None:
    """An array on the memory of a tensor, or of a storage (one-dimensional); None for anything else.

    The array keeps the memory alive. A tensor that is resized later may move away from it. Raises T7Error for
    more dimensions than NumPy has.
    """
    found = engine.helper_function("shell.arrays", "describe")(value)
    if found is None:
        return None
    dtype, address, keeper, names, *layout = found
    text, size = _kind(dtype)
    shape = tuple(layout[::2])
    if not address:
        return np.empty(shape, text)
    interface = {
        "version": 3,
        "typestr": text,
        "shape": shape,
        "strides": tuple([stride * size for stride in layout[1::2]]),
        "data": (address, False),
    }
    try:
        array = np.asarray(_Memory(interface, keeper))
    except ValueError:
        raise T7Error(f"a tensor of {len(shape)} dimensions: NumPy supports fewer") from None
    if names is None:
        return array
    return _with_names(array, [encoding.from_lua(word) for word in names.values()])


def array_of(value: Any) -> np.ndarray[Any, Any]:
    """An array on the memory that an object offers, which the array keeps alive.

    The protocols are `__array_interface__`, the buffer protocol and DLPack, in this order. Raises TypeError
    if the object has one of them, but with unsupported elements.
    """
    if isinstance(value, np.ndarray):
        return value
    try:
        if hasattr(value, "__array_interface__"):
            return np.asarray(value)
        try:
            return np.asarray(memoryview(value))
        except (BufferError, TypeError):
            return np.from_dlpack(value)
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as reason:
        kind, elements = type(value), getattr(value, "dtype", getattr(value, "type", "its type"))
        name = f"{kind.__module__}.{kind.__qualname__}"
        raise TypeError(
            f"no tensor on the memory of a {name} with elements of {elements}: {reason}"
        ) from reason


def _has_payload(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A mask of NaNs with a payload, which LuaJIT may misread as other values (see nan_payloads.lua)."""
    bits = array.view(f"u{array.itemsize}")
    plain = _PLAIN_NAN[array.itemsize]
    found: np.ndarray[Any, Any] = np.isnan(array) & ((bits & (2 ** (8 * array.itemsize - 1) - 1)) != plain)
    return found


def _replace_payloads(array: np.ndarray[Any, Any]) -> None:
    """Replaces NaNs with a payload by plain ones, in the array itself.

    Memory between its elements, such as other fields of records, stays: it belongs to other arrays, and every
    number that leaves memory of Python for Lua is examined, since Python may write there at any time.
    """
    with np.errstate(all="ignore"):
        # The sum is NaN if an element is. A BLAS product would wake the threads of BLAS.
        total = np.add.reduce(array, axis=None)
        if total == total:
            return
    wrong = _has_payload(array)
    if wrong.any():
        array[wrong] = np.nan


@lru_cache
def _kind(dtype: str) -> tuple[str, int]:
    """The text of a type in an interface, and the bytes of an element."""
    kind = np.dtype(dtype)
    return kind.str, kind.itemsize


@lru_cache
def _name(dtype: np.dtype[Any]) -> str:
    """The name of a type, cached: NumPy takes 10 us to make it."""
    return str(dtype.name)


def _layout(array: np.ndarray[Any, Any]) -> tuple[int, list[int]]:
    """The extent from the first to the last element, and alternating sizes and strides, in elements."""
    layout: list[int] = []
    reach = 1
    for length, stride in zip(array.shape, array.strides, strict=True):
        step = abs(stride) // array.itemsize
        layout += (length, step)
        reach += (length - 1) * step
    return reach, layout


def from_numpy(array: np.ndarray[Any, Any], engine: Engine) -> Any:
    """A tensor on the memory of an array; bool becomes a ByteTensor, a scalar one dimension of size 1.

    Arrays that a tensor cannot view are copied: negative strides, strides that are not whole elements,
    foreign byte order, read-only memory. NaNs with a payload become plain ones, except between the elements.
    A `NamedArray` passes its names on. Raises TypeError for unsupported element types, and ValueError for
    invalid names.
    """
    if type(array) is not np.ndarray:
        names = array.names if isinstance(array, NamedArray) else None
        if names is not None:
            made = from_numpy(array.view(np.ndarray), engine)
            name_dimensions = engine.helper_function("shell.arrays", "name")
            reason = name_dimensions(made, *("_" if name is None else name for name in names))
            if reason is not None:
                raise ValueError(encoding.from_lua(reason))
            return made
        if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
            raise TypeError("no tensor has masked elements; `array.filled(value)` has none")
        # The shape of a subclass may differ from that of its memory.
        array = np.ndarray.view(array, np.ndarray)
    given = array.dtype
    if array.ndim == 0:
        array = np.atleast_1d(array)
    if given == np.bool_:
        array = array.view(np.uint8)
    if not given.isnative:
        array = array.astype(given.newbyteorder("="))
    name = _name(array.dtype)
    if not engine.helper_function("shell.arrays", "has_type")(name):
        raise TypeError(f"no tensor has elements of the NumPy type {given}")
    if not array.flags.carray and not _fits(array):
        array = array.copy()
    tensor = engine.helper_function("shell.arrays", "tensor")
    if array.size == 0:
        return tensor(name, 0, 0, None)
    reach, layout = _layout(array)
    if array.dtype.kind == "f":
        _replace_payloads(array)
    return tensor(name, array.__array_interface__["data"][0], reach, array, *layout)


def _fits(array: np.ndarray[Any, Any]) -> bool:
    """Whether a tensor can view the memory of the array."""
    if not array.flags.aligned or not array.flags.writeable:
        return False
    # The stride of a dimension of size 1 is never used.
    strides = [stride for length, stride in zip(array.shape, array.strides, strict=True) if length > 1]
    return all(stride >= 0 and stride % array.itemsize == 0 for stride in strides)
