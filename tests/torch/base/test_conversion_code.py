"""Conversions between types beside NumPy's."""

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


DTYPES = {
    "Double": np.float64, "Float": np.float32, "Long": np.int64, "Int": np.int32, "Short": np.int16,
    "Char": np.int8, "Byte": np.uint8,
}  # fmt: skip
OUTSIDE = [np.nan, np.inf, -np.inf, 2.0**31, -(2.0**31), 2.0**40 + 2.0**20 * 3, 1e18, 2.0**63, -1e300]


def operands(name: str, count: int, seed: int) -> np.ndarray:
    """Numbers of a type, among them its extremes, or fractions outside the range of integers."""
    dtype, rng = DTYPES[name], np.random.default_rng(seed)
    if np.issubdtype(dtype, np.integer):
        limits = np.iinfo(dtype)
        x = rng.integers(max(limits.min, -1000), min(limits.max, 1000), count, dtype, endpoint=True)
        x[[5, 70, 71]] = [limits.min, limits.max, limits.max // 3]
        return x
    with np.errstate(over="ignore"):
        x = (rng.standard_normal(count) * 1e3).astype(dtype)
        x[20 : 20 + len(OUTSIDE)] = OUTSIDE
    return x


def converted(x: np.ndarray, name: str) -> np.ndarray:
    """As x86-64 does: what does not fit 64 bits, or 32 whose lowest stay, is their least integer."""
    if np.issubdtype(x.dtype, np.integer) or not np.issubdtype(DTYPES[name], np.integer):
        with np.errstate(over="ignore"):
            return x.astype(DTYPES[name])
    wide = np.dtype(np.int64 if name == "Long" else np.int32)
    least = np.iinfo(wide).min
    inside = (x > float(least) - 1) & (x < -float(least))
    return np.where(inside, np.where(inside, x, 0).astype(wide), least).astype(DTYPES[name])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("count", [256, 263, 1003, 100_007])
@pytest.mark.parametrize("source", DTYPES)
def test_integers(source: str, count: int) -> None:
    x = operands(source, count, count)
    with Runtime() as lua:
        convert = lua.execute("return function(x, name) return x:type('torch.' .. name .. 'Tensor') end")
        for name in DTYPES:
            if "Float" not in (source, name) or "Double" not in (source, name):
                np.testing.assert_array_equal(convert(x, name), converted(x, name), f"{source} to {name}")


@pytest.mark.parametrize("source", DTYPES)
def test_rows(source: str) -> None:
    x = np.ascontiguousarray(operands(source, 3 * 70 * 90, 5).reshape(3, 70, 90))
    program = """return function(x, name)
       local inside = x:narrow(2, 3, 60):narrow(3, 5, 80)
       local wide = torch.zeros(3, 60, 100):type('torch.' .. name .. 'Tensor')
       wide:narrow(3, 11, 80):copy(inside)
       return inside:type(wide:type()), wide, x:select(1, 2):narrow(2, 9, 40):type(wide:type())
    end"""
    with Runtime() as lua:
        convert = lua.execute(program)
        for name in DTYPES:
            wanted = converted(x.ravel(), name).reshape(x.shape)
            inside, wide, part = convert(x, name)
            np.testing.assert_array_equal(inside, wanted[:, 2:62, 4:84], f"{source} to {name}")
            np.testing.assert_array_equal(wide[:, :, 10:90], inside)
            assert not wide[:, :, :10].any() and not wide[:, :, 90:].any()
            np.testing.assert_array_equal(part, wanted[1, :, 8:48])
