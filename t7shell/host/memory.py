"""Memory shared with Lua: NumPy views of buffers by address, and files mapped into memory."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import mmap
import os
import weakref
from typing import Any

import numpy as np

from t7shell.host import encoding

Array = np.ndarray[Any, Any]


def array(
    address: int, dtype: str, shape: tuple[int, ...], strides: tuple[int, ...]
) -> np.ndarray[Any, Any]:
    """A view of the elements at an address; strides, which are not negative, are in bytes.

    The view does not keep the memory alive: use it within one call.
    """
    kind = np.dtype(dtype)
    extent = sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    size = extent + kind.itemsize if 0 not in shape else 0
    buffer = memoryview((ctypes.c_char * size).from_address(address)).cast("B")
    view: np.ndarray[Any, Any] = np.ndarray(shape, kind, buffer=buffer, strides=strides)
    return view


def vector(address: int, dtype: str, count: int, step: int) -> np.ndarray[Any, Any]:
    """A one-dimensional view of ``count`` elements, ``step`` bytes apart, as `array` makes it."""
    return array(address, dtype, (count,), (step,))


def _open_file(path: str, flags: int) -> int:
    return os.open(path.encode("latin-1"), flags, 0o666)


def _open_shared_memory(name: str, flags: int) -> int:
    """Opens an object in the shared memory of the system."""
    try:
        from _posixshmem import shm_open
    except ImportError:
        raise ValueError("this system has no shared memory with names") from None
    descriptor: int = shm_open(_shared_name(name), flags, mode=0o600)
    return descriptor


def _shared_name(name: str) -> str:
    return "/" + encoding.path_of(name).lstrip("/")


def _forget_shared_memory(name: str) -> None:
    """Removes the name of an object in shared memory; existing mappings stay valid."""
    from _posixshmem import shm_unlink

    with contextlib.suppress(FileNotFoundError):
        shm_unlink(_shared_name(name))


def _allocate(descriptor: int, size: int, length: int) -> None:
    """Allocates blocks for all bytes of a file: a write into a mapping without a block ends the process.

    Raises OSError, after restoring the length of the file.
    """
    try:
        os.posix_fallocate(descriptor, 0, size)
    except (AttributeError, OSError) as error:
        code = getattr(error, "errno", errno.EOPNOTSUPP)
        # Not supported by this system or file system.
        if code not in (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS, errno.ENODEV):
            os.ftruncate(descriptor, length)
            raise


def map_file(
    path: str, shared: bool, count: int, item_size: int, in_memory: bool = False
) -> tuple[Any, ...]:
    """Maps a file: (address, elements, keeper), or (None, message).

    A shared mapping is written back, and its file is extended to ``count`` elements; a private one is copied
    on write. ``count`` -1 means the whole file. ``in_memory`` maps an object in the shared
    memory of the system instead, whose name is removed when the keeper is collected.
    """
    shown = encoding.shown(path)
    size = int(count) * int(item_size)
    try:
        flags = os.O_RDWR | os.O_CREAT if shared and count > 0 else os.O_RDWR if shared else os.O_RDONLY
        descriptor = (_open_shared_memory if in_memory else _open_file)(path, flags)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        return None, f"unable to open file <{shown}>: {reason}"
    try:
        length = os.fstat(descriptor).st_size
        if count < 0:
            size = length - length % int(item_size)
        elif size > length:
            if not shared:
                return None, f"file <{shown}> has {length} bytes, {size} are asked for"
            os.ftruncate(descriptor, size)
        if size == 0:
            return None, f"file <{shown}> is empty and cannot be mapped"
        if shared:
            _allocate(descriptor, size, length)
        access = mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY
        mapping = mmap.mmap(descriptor, size, access=access)
    except (OSError, OverflowError, ValueError) as error:
        words = (error.strerror if isinstance(error, OSError) else None) or str(error)
        return None, f"unable to map file <{shown}>: {words}"
    finally:
        os.close(descriptor)
    window = (ctypes.c_char * size).from_buffer(mapping)
    if in_memory:
        weakref.finalize(window, _forget_shared_memory, path)
    return ctypes.addressof(window), size // int(item_size), window
