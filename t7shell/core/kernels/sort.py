"""Sorting of many rows at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from t7shell.core.memory import vector


def key_sorter(address: int, count: int) -> Callable[..., None]:
    """Returns f(rows, elements per row, rank), for rows of the ``count`` 64-bit integers at an address.

    It sorts them; with a rank, from 0, it brings only the element of that rank to its place, smaller ones
    before it.
    """
    memory = vector(int(address), "int64", int(count), 8)
    views: dict[tuple[int, int], np.ndarray[tuple[int, int], np.dtype[np.int64]]] = {}

    def run(rows: int, elements: int, rank: int | None = None) -> None:
        view = views.get((rows, elements))
        if view is None:
            if len(views) > 100:
                views.clear()
            view = views[rows, elements] = memory[: int(rows * elements)].reshape(int(rows), int(elements))
        if rank is None:
            view.sort(1)
        else:
            view.partition(int(rank), 1)

    return run


def sort(values: int, indices: int, dtype: str, rows: int, count: int, descending: bool) -> None:
    """Sorts rows of ``count`` elements at the address ``values``; indices from 1 are written to ``indices``.

    Equal elements keep their order; nan counts as the largest.
    """
    rows, count = int(rows), int(count)
    kind = np.dtype(dtype)
    x = vector(int(values), dtype, rows * count, kind.itemsize).reshape(rows, count)
    index = vector(int(indices), "int64", rows * count, 8).reshape(rows, count)
    if descending:
        order = count - 1 - np.argsort(x[:, ::-1], axis=1, kind="stable")[:, ::-1]
    else:
        order = np.argsort(x, axis=1, kind="stable")
    x[...] = np.take_along_axis(x, order, axis=1)
    np.add(order, 1, out=index)
