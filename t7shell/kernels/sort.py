"""Sorting of many rows at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from t7shell.memory import vector


class _Keys:
    """Memory for ``count`` 64-bit integers, and the sort methods of views of it, by rows and count."""

    def __init__(self, count: int) -> None:
        self._memory = np.empty(count, np.int64)
        self._sorts: dict[tuple[int, int], Callable[[int], None]] = {}
        self.address: int = self._memory.ctypes.data

    def sort(self, rows: int, count: int) -> None:
        run = self._sorts.get((rows, count))
        if run is None:
            if len(self._sorts) > 100:
                self._sorts.clear()
            view = self._memory[: int(rows * count)].reshape(int(rows), int(count))
            run = self._sorts[rows, count] = view.sort
        run(1)


def sort_buffer(count: int) -> tuple[int, Callable[[int, int], None]]:
    """The address of memory for ``count`` 64-bit integers, and what sorts rows of them, each by itself.

    The memory lives as long as the function, which is called with the rows and the elements of each.
    """
    keys = _Keys(int(count))
    return keys.address, keys.sort


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
