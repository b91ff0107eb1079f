"""Conversions between Floats and doubles beside NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import Runtime


@pytest.mark.parametrize("count", [1, 15, 16, 255, 256, 257, 1003, 100_003])
def test_floats_and_doubles(count: int) -> None:
    x = np.random.default_rng(1).standard_normal(count) * 1e3
    x[: min(count, 6)] = [np.nan, np.inf, 1e300, -1e-300, -0.0, 2.0**-140][: min(count, 6)]
    with Runtime() as lua, np.errstate(over="ignore"):
        floats = lua.execute("return function(x) return x:float() end")(x)
        np.testing.assert_array_equal(floats, x.astype(np.float32))
        doubles = lua.execute("return function(x) return x:double() end")(x.astype(np.float32))
        np.testing.assert_array_equal(doubles, x.astype(np.float32).astype(np.float64))
        np.testing.assert_array_equal(np.signbit(doubles[1:]), np.signbit(x[1:]))


@pytest.mark.parametrize("count", [1, 15, 256, 257, 271, 1003, 100_003])
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32"])
def test_integers_to_fractions(dtype: str, count: int) -> None:
    limits = np.iinfo(dtype)
    x = np.random.default_rng(2).integers(limits.min, limits.max, count, dtype, endpoint=True)
    x[: min(count, 2)] = [limits.min, limits.max][: min(count, 2)]
    with Runtime() as lua:
        floats, doubles, part = lua.execute(
            "return function(x) return x:float(), x:double(), x:narrow(1, x:size(1), 1):float() end"
        )(x)
        np.testing.assert_array_equal(floats, x.astype(np.float32))
        np.testing.assert_array_equal(doubles, x.astype(np.float64))
        np.testing.assert_array_equal(part, x[-1:].astype(np.float32))
