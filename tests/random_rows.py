"""Rows of numbers for operations along a dimension, of the lengths at which their code takes other paths."""

from __future__ import annotations

from typing import Any

import numpy as np

from t7shell import Runtime

LENGTHS = [*range(1, 19), 31, 32, 33, 63, 64, 65, 129, 1023, 1025, 9000]
DTYPES = ["float64", "float32", "int64", "int32", "uint8"]


def random_rows(dtype: str, rows: int, n: int) -> np.ndarray[Any, Any]:
    """Rows with equal elements, and for floating types some with nan and infinities."""
    rng = np.random.default_rng(n)
    if np.dtype(dtype).kind != "f":
        return rng.integers(0, 100, (rows, n)).astype(dtype)
    x = rng.standard_normal((rows, n)).astype(dtype)
    x[1] = rng.integers(-2, 3, n)
    x[2, rng.integers(0, n, 1 + n // 3)] = np.nan
    x[3, rng.integers(0, n, 1 + n // 3)] = np.inf
    x[4, rng.integers(0, n, 1 + n // 3)] = -np.inf
    return x


def call(lua: Runtime, source: str, x: np.ndarray[Any, Any]) -> Any:
    lua.globals()["x"] = x
    return lua.execute(source)
