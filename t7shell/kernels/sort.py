"""Sorting of many rows at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from t7shell.memory import vector

_keys: np.ndarray[Any, Any] = np.empty(0, np.int64)
# The sort methods of views of that memory, by rows and count.
_sorts: dict[tuple[int, int], Callable[[int], None]] = {}


def sort_buffer(count: int) -> int:
    """The address of memory for ``count`` 64-bit integers, valid until the next call."""
    global _keys
    _keys = np.empty(int(count), np.int64)
    _sorts.clear()
    return _keys.ctypes.data


def sort_keys(rows: int, count: int) -> None:
    """Sorts ``rows`` rows of ``count`` integers in the memory of ``sort_buffer``, each by itself."""
    run = _sorts.get((rows, count))
    if run is None:
        if len(_sorts) > 100:
            _sorts.clear()
        run = _sorts[rows, count] = _keys[: int(rows * count)].reshape(int(rows), int(count)).sort
    run(1)


def sort(values: int, places: int, dtype: str, rows: int, count: int, descending: bool) -> None:
    """Sorts rows of ``count`` elements at the address ``values``; positions, from 1, go to ``places``.

    Equal elements keep their order; nan counts as the largest.
    """
    rows, count = int(rows), int(count)
    kind = np.dtype(dtype)
    x = vector(int(values), dtype, rows * count, kind.itemsize).reshape(rows, count)
    index = vector(int(places), "int64", rows * count, 8).reshape(rows, count)
    if descending:
        order = count - 1 - np.argsort(x[:, ::-1], axis=1, kind="stable")[:, ::-1]
    else:
        order = np.argsort(x, axis=1, kind="stable")
    x[...] = np.take_along_axis(x, order, axis=1)
    np.add(order, 1, out=index)
