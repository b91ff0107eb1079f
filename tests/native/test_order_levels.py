"""Sorting, running sums and moves by indices at every level, beside NumPy."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from tests.native.levels import TYPES, libraries, long, pointer
from tests.native.test_reduce_levels import numbers

LIBRARIES = libraries()
SHAPES = [(1, 1), (7, 9), (5, 11), (5, 12), (9, 33), (3, 1003), (2, 5000)]


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> ctypes.CDLL:
    return LIBRARIES[request.param]


@pytest.mark.parametrize("dtype", TYPES)
def test_sorted_rows(library: ctypes.CDLL, dtype: str) -> None:
    for rows, n in SHAPES:
        x = numbers((rows, n), dtype)
        values, indices = np.zeros_like(x), np.zeros(x.shape, np.int64)
        sizes = long(rows), long(n)
        assert library.t7_sort_rows(TYPES[dtype], 0, pointer(values), pointer(indices), pointer(x), *sizes)
        np.testing.assert_array_equal(values, np.sort(x, 1))
        np.testing.assert_array_equal(np.take_along_axis(x, indices - 1, 1), values)
        median, place = np.zeros(rows, x.dtype), np.zeros(rows, np.int64)
        library.t7_kth_rows(TYPES[dtype], pointer(median), pointer(place), pointer(x), *sizes, long(n // 2))
        np.testing.assert_array_equal(median, values[:, n // 2])
        best, at = np.zeros((rows, n), x.dtype), np.zeros((rows, n), np.int64)
        for k in {1, min(5, n), n}:
            arguments = pointer(best), pointer(at), pointer(x), *sizes, long(k)
            library.t7_topk_rows(TYPES[dtype], 1, 1, *arguments)
            np.testing.assert_array_equal(
                best.reshape(-1)[: rows * k].reshape(rows, k), values[:, ::-1][:, :k]
            )


@pytest.mark.parametrize("dtype", TYPES)
def test_running_sums(library: ctypes.CDLL, dtype: str) -> None:
    wide = "float64" if np.dtype(dtype).kind == "f" else "int64"
    for rows, n in SHAPES:
        x = numbers((rows, n), dtype)
        for axis, (n_step, inner_step, length, count) in enumerate([(n, 1, rows, n), (1, n, n, rows)]):
            to: np.ndarray[Any, Any] = np.zeros_like(x)
            steps = long(0), long(n_step), long(inner_step)
            sizes = long(1), long(length), long(count)
            library.t7_scan(TYPES[dtype], 0, pointer(to), *steps, pointer(x), *steps, *sizes)
            with np.errstate(invalid="ignore", over="ignore"):
                expected = np.cumsum(x, axis, wide).astype(dtype)
            np.testing.assert_array_equal(to, expected)


@pytest.mark.parametrize("dtype", TYPES)
def test_moves(library: ctypes.CDLL, dtype: str) -> None:
    for n in (1, 3, 16, 1003):
        random = np.random.default_rng(n)
        x = numbers((1, n), dtype).reshape(-1)
        indices, mask = random.integers(1, n + 1, n), random.integers(0, 2, n).astype(np.uint8)
        size, moved = x.dtype.itemsize, np.zeros_like(x)
        steps = long(0), long(0), pointer(indices), long(0), long(1), long(n), long(1)
        library.t7_gather(size, pointer(moved), long(0), long(1), pointer(x), *steps)
        np.testing.assert_array_equal(moved, x[indices - 1])
        chosen = np.zeros(n + 1, dtype)
        library.t7_masked_select(size, pointer(chosen), pointer(x), pointer(mask), long(n))
        np.testing.assert_array_equal(chosen[: mask.sum()], x[mask == 1])
        filled = x.copy()
        library.t7_masked_copy(size, pointer(filled), pointer(moved), pointer(mask), long(n))
        np.testing.assert_array_equal(filled[mask == 1], moved[: mask.sum()])
        np.testing.assert_array_equal(filled[mask == 0], x[mask == 0])
