"""Errors of functions in units in the last place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from t7shell import Runtime

Array = np.ndarray[Any, Any]

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5]
SPECIAL += [5e-324, -5e-324, 2.0**-1022, 1e-300, 1.7e308, -1.7e308]


def any_doubles(count: int, seed: int = 4) -> Array:
    """Doubles of all magnitudes; NaN has no payload."""
    bits = np.random.default_rng(seed).integers(0, 2**64, count, dtype=np.uint64).view(np.float64)
    return np.where(np.isnan(bits), np.nan, bits)


def greatest_error(runtime: Runtime, name: str, exact: Callable[..., Array], *operands: Array) -> float:
    """The greatest error of a function of torch, where results are finite; others and signs must be right.

    `exact` computes the function in the type that it is given, here long doubles.
    """
    got = runtime.execute(f"return function(...) return torch.{name}(...) end")(*operands)
    with np.errstate(all="ignore"):
        expected = exact(*[x.astype(np.longdouble) for x in operands])
        rounded = expected.astype(got.dtype)
    finite, known = np.isfinite(rounded), ~np.isnan(rounded)
    np.testing.assert_array_equal(got[~finite], rounded[~finite])
    np.testing.assert_array_equal(np.signbit(got[known]), np.signbit(rounded[known]))
    unit = np.spacing(np.abs(rounded[finite])).astype(np.longdouble)
    return float(np.max(np.abs(got[finite] - expected[finite]) / unit))
