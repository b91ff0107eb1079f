"""Memory that both sides see: NumPy views of buffers by address, and files mapped into memory."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import weakref
from typing import Any

import numpy as np


def vector(address: int, dtype: str, count: int, step: int) -> np.ndarray[Any, Any]:
    """A one-dimensional view of ``count`` elements, ``step`` bytes apart, at an address.

    The view does not keep the memory alive: it is for the length of one call.
    """
    kind = np.dtype(dtype)
    size = (count - 1) * step + kind.itemsize if count else 0
    buffer = memoryview((ctypes.c_char * size).from_address(address)).cast("B")
    array: np.ndarray[Any, Any] = np.ndarray((count,), kind, buffer=buffer, strides=(step,))
    return array


def convert(to: int, to_dtype: str, to_step: int, source: int, dtype: str, step: int, count: int) -> None:
    """Copies elements between types as C converts them; steps are in elements."""
    target = vector(int(to), to_dtype, int(count), int(to_step) * np.dtype(to_dtype).itemsize)
    values = vector(int(source), dtype, int(count), int(step) * np.dtype(dtype).itemsize)
    with np.errstate(all="ignore"):
        np.copyto(target, values, casting="unsafe")


def _open_file(path: str, flags: int) -> int:
    return os.open(path.encode("latin-1"), flags, 0o666)


def _open_shared_memory(name: str, flags: int) -> int:
    """Opens an object in the shared memory of the system; its name is that of no file."""
    try:
        from _posixshmem import shm_open
    except ImportError:
        raise ValueError("this system has no shared memory with names") from None
    descriptor: int = shm_open(_shared_name(name), flags, mode=0o600)
    return descriptor


def _shared_name(name: str) -> str:
    return "/" + os.fsdecode(name.encode("latin-1")).lstrip("/")


def _forget_shared_memory(name: str) -> None:
    """Removes the name of an object in shared memory; who has mapped it keeps it."""
    from _posixshmem import shm_unlink

    with contextlib.suppress(FileNotFoundError):
        shm_unlink(_shared_name(name))


def map_file(
    path: str, shared: bool, count: int, item_size: int, in_memory: bool = False
) -> tuple[Any, ...]:
    """Maps a file: (address, elements, keeper), or (None, message).

    A shared mapping is written back, and its file is made as long as ``count`` elements ask for; a private
    one is copied on write. ``count`` -1 means the whole file. ``in_memory`` maps an object in the shared
    memory of the system instead, whose name goes when the keeper is collected.
    """
    shown = path.encode("latin-1").decode("utf-8", "replace")
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
        access = mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY
        mapping = mmap.mmap(descriptor, size, access=access)
    except (OSError, OverflowError, ValueError) as error:
        return None, f"unable to map file <{shown}>: {error}"
    finally:
        os.close(descriptor)
    window = (ctypes.c_char * size).from_buffer(mapping)
    if in_memory:
        weakref.finalize(window, _forget_shared_memory, path)
    return ctypes.addressof(window), size // int(item_size), window
