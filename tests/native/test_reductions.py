"""Sums, products, norms and spreads of Floats, of all lengths and layouts, beside NumPy in doubles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime

REDUCTIONS: dict[str, Callable[..., Any]] = {
    "sum": np.sum,
    "prod": np.prod,
    "mean": np.mean,
    "std": lambda x, axis: np.std(x, axis, ddof=1),
    "var": lambda x, axis: np.var(x, axis, ddof=1),
    "norm": lambda x, axis: np.sqrt(np.sum(x * x, axis)),
    "norm1": lambda x, axis: np.sum(np.abs(x), axis),
}
CALLS = {"norm": "x:norm(2{})", "norm1": "x:norm(1{})"}


@pytest.fixture(scope="module")
def lua() -> Runtime:
    return Runtime()


def reduced(lua: Runtime, name: str, x: np.ndarray, axis: int | None, view: str = "x") -> Any:
    dimension = "" if axis is None else (", " if "norm" in name else "") + str(axis + 1)
    call = CALLS.get(name, f"x:{name}({{}})").format(dimension)
    return lua.execute(f"return function(x) x = {view} return {call} end")(x)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("count", [2, 3, 4, 5, 15, 16, 17, 31, 33, 1000, 65535, 65536, 100001])
def test_all_elements(lua: Runtime, name: str, count: int) -> None:
    x = np.random.default_rng(count).standard_normal(count).astype(np.float32)
    expected = REDUCTIONS[name](x.astype(np.float64), axis=None)
    np.testing.assert_allclose(reduced(lua, name, x, None), expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("shape", [(2, 3), (33, 40), (3, 1000), (1000, 3), (7, 40, 9), (20, 80, 70)])
def test_along_a_dimension(lua: Runtime, name: str, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)
    # Sums of columns are Floats, which lose digits with each addition.
    atol = 1e-4 if name == "sum" else 1e-6
    for axis in range(x.ndim):
        expected = np.expand_dims(REDUCTIONS[name](x.astype(np.float64), axis=axis), axis)
        np.testing.assert_allclose(reduced(lua, name, x, axis), expected, rtol=1e-6, atol=atol)
        turned = reduced(lua, name, np.ascontiguousarray(x.swapaxes(0, 1)), axis, "x:transpose(1, 2)")
        np.testing.assert_allclose(turned, expected, rtol=1e-6, atol=atol)


def test_squares_of_large_floats(lua: Runtime) -> None:
    """Norms square all elements in double precision, those along a dimension in the type, as in Torch7."""
    x = np.full((2, 40), 1e30, np.float32)
    np.testing.assert_allclose(reduced(lua, "norm", x, None), np.sqrt(80) * 1e30, rtol=1e-6)
    assert np.isinf(reduced(lua, "norm", x, 0)).all()
    assert np.isinf(reduced(lua, "norm", x, 1)).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_special_numbers(lua: Runtime, value: float) -> None:
    x = np.ones((20, 37), np.float32)
    x[3, 35] = value
    assert reduced(lua, "sum", x, None) == value or np.isnan(value)
    columns, rows = reduced(lua, "sum", x, 0), reduced(lua, "sum", x, 1)
    np.testing.assert_array_equal(columns, x.sum(0, keepdims=True))
    np.testing.assert_array_equal(rows, x.sum(1, keepdims=True))
    assert np.isnan(reduced(lua, "sum", np.full(70000, np.nan, np.float32), None))


@pytest.mark.parametrize("shape", [(1, 40), (3, 7), (4, 34), (19, 35), (16, 64), (300, 1001), (70000, 3)])
def test_doubles_follow_each_other(lua: Runtime, shape: tuple[int, ...]) -> None:
    """Each row, and each column, is added up from its first element on: no other order of rounding."""
    x = np.random.default_rng(shape[1]).standard_normal(shape)
    for axis in range(2):
        for name, accumulate in (("sum", np.add.accumulate), ("prod", np.multiply.accumulate)):
            expected = accumulate(x, axis).take([-1], axis)
            np.testing.assert_array_equal(reduced(lua, name, x, axis), expected)
            turned = reduced(lua, name, np.ascontiguousarray(x.T), axis, "x:t()")
            np.testing.assert_array_equal(turned, expected)
