"""Reductions give the same bits at every level, whose vectors have other widths; NaNs may have other signs.

At v2 too: reductions need no fused multiply-add.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from t7shell import native
from tests.native.levels import TYPES, libraries, long, pointer

SHAPES = [(1, 1), (3, 3), (40, 9), (15, 16), (17, 17), (33, 100), (2, 1003), (70000, 3)]


def numbers(shape: tuple[int, int], dtype: str) -> np.ndarray[Any, Any]:
    x = np.random.default_rng(shape[1]).standard_normal(shape)
    if np.dtype(dtype).kind != "f":
        return (x * 50).astype(dtype)
    flat = x.reshape(-1)
    flat[::11], flat[5::13], flat[7::29] = -0.0, 1e-310, 1e30
    if x.size > 100:
        flat[50], flat[90] = np.nan, np.inf
    return x.astype(dtype)


def bits(x: Any) -> bytes:
    return bytes(np.where(x == x, x, np.asarray(0, x.dtype)).tobytes()) + bytes((x == x).tobytes())


ROOT = 6


def results(library: ctypes.CDLL, x: np.ndarray[Any, Any]) -> list[bytes]:
    """The bytes of all reductions along both dimensions and of all elements."""
    rows, columns = x.shape
    kind, given = TYPES[x.dtype.name], []
    layouts = [(columns, 1, rows, columns), (rows, columns, columns, 1)]
    library.t7_reduce_all.restype = library.t7_minmax_all.restype = ctypes.c_double
    # Of v2, which has no fused multiply-add, roots of sums differ in last digits.
    for how in (k for k in range(11 if x.dtype.kind == "f" else 2) if k != ROOT):
        p = ctypes.c_double(3)
        for n, n_step, inner, inner_step in layouts:
            to = np.zeros(inner, x.dtype)
            sizes = map(long, (1, 0, n, n_step, inner, inner_step))
            library.t7_reduce_along(kind, how, p, pointer(to), pointer(x), *sizes)
            given.append(bits(to))
        total = library.t7_reduce_all(kind, how, p, pointer(x), long(x.size))
        given.append(bits(np.float64(total)))
    for largest in (0, 1):
        for n, n_step, inner, inner_step in layouts:
            to, at = np.zeros(inner, x.dtype), np.zeros(inner, np.int64)
            sizes = map(long, (1, 0, n, n_step, inner, inner_step))
            library.t7_minmax_along(kind, largest, pointer(to), pointer(at), pointer(x), *sizes)
            given += [bits(to), bits(at)]
        total = library.t7_minmax_all(kind, largest, pointer(x), long(x.size))
        given.append(bits(np.float64(total)))
    return given


@pytest.mark.parametrize("dtype", TYPES)
def test_same_bits(dtype: str) -> None:
    loaded = libraries()
    if len(loaded) < 2:
        pytest.skip(f"one library runs here: {native.runnable()}")
    for shape in SHAPES:
        x = numbers(shape, dtype)
        first, *others = (results(library, x) for library in loaded.values())
        assert all(other == first for other in others)
