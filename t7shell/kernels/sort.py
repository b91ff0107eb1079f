"""Sorting of many rows at once."""

from __future__ import annotations

import numpy as np

from t7shell.memory import vector


def sort(values: int, places: int, dtype: str, rows: int, count: int, descending: bool) -> None:
    """Sorts ``rows`` rows of ``count`` elements at the address ``values`` and writes positions from 1 to ``places``.

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
