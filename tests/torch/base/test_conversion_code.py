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
