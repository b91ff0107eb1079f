"""Space on the disk for what the HDF5 library writes later.

The library keeps parts of a file in memory. If the disk is full when it writes them, it loses them without an
error, or ends the process. So the space for them is reserved first, by a call of Linux, before each change of
a file: a change for which there is none fails.
"""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from functools import cache
from typing import Any

import h5py

from t7shell.host.failures import FULL

# Bytes beyond the end of a file: more than the library keeps of a dataset, and of the description of a file.
AHEAD = 2**21
# What a change adds to a file, besides data.
_CHANGE = 2**14
_KEEP_SIZE = 1
_FULL = FULL if sys.platform == "linux" else set()

# How far the space of open files reaches, by their names.
_ends: dict[str, int] = {}


@cache
def _fallocate() -> Any:
    function = ctypes.CDLL(None, use_errno=True).fallocate
    function.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
    return function


def reserve(thing: Any, size: int = 0) -> None:
    """Reserves space for a change of the open file of an object that adds up to ``size`` bytes of data.

    Raises OSError if the disk is full.
    """
    # Asking the library for the file takes longer than a small change.
    spent = getattr(thing, "_t7_spent", AHEAD) + size + _CHANGE
    if not _FULL or spent < AHEAD / 2:
        thing._t7_spent = spent
        return
    file = h5py.h5i.get_file_id(thing.id)
    name = os.fsdecode(h5py.h5f.get_name(file))
    needed = file.get_filesize() + size + AHEAD
    if needed > _ends.get(name, 0):
        end = needed + AHEAD
        if _fallocate()(file.get_vfd_handle(), _KEEP_SIZE, 0, end):
            number = ctypes.get_errno()
            if number in _FULL:
                raise OSError(number, os.strerror(number))
            # The file system cannot reserve space.
        _ends[name] = end
    thing._t7_spent = 0


def release(name: str) -> None:
    """Frees the space of a closed file that it did not use."""
    if _ends.pop(name, None):
        with suppress(OSError):
            os.truncate(name, os.path.getsize(name))
