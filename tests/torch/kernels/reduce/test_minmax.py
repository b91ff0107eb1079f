"""Extremes and their places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime
from tests.random_rows import DTYPES, LENGTHS, call, random_rows
from tests.runtimes import runtime_fixture


@pytest.fixture(scope="module")
def run() -> Callable[[str], Any]:
    """Runs Lua source; tensors come back as arrays, several results as a tuple."""
    runtime = Runtime()
    return runtime.execute


@pytest.mark.parametrize(("name", "expected"), [("max", [3, 2]), ("min", [3, 2])])
def test_nan_wins_and_ties_go_to_the_first(run: Callable[[str], Any], name: str, expected: list[int]) -> None:
    for padding in (0, 40):
        got = run(
            "local x = torch.Tensor{{1, 5, 0/0, 0/0}, {3, 4, 4, 3}}"
            f" x = torch.cat(x, torch.zeros(2, {padding} + 1):add(3.5))"
            f" x[2][2], x[2][3] = {'4, 4' if name == 'max' else '1, 1'}"
            f" local best, place = x:{name}(2) return best, place, x:{name}()"
        )
        assert got[1][:, 0].tolist() == expected
        assert np.isnan(got[0][0, 0]) and np.isnan(got[2])


lua = runtime_fixture()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["max", "min"])
def test_extremes_and_their_first_places(name: str, dtype: str, lua: Runtime) -> None:
    for n in LENGTHS:
        x = random_rows(dtype, 20, n)
        values, places = call(lua, f"return torch.{name}(x, 2)", x)
        at = getattr(x, "arg" + name)(axis=1)
        np.testing.assert_array_equal(np.asarray(places)[:, 0] - 1, at)
        np.testing.assert_array_equal(np.asarray(values)[:, 0], x[np.arange(20), at])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_extremes_of_the_limits_of_numbers(dtype: str, lua: Runtime) -> None:
    limits = np.finfo(dtype)
    one = np.ones(1, dtype)[0]
    least, next_one = limits.smallest_subnormal, np.nextafter(one, 2)
    numbers = [np.inf, -np.inf, limits.max, -limits.max, least, 0.0, one, next_one]
    for n in [2, 3, 8, 9, 16, 32]:
        x = np.random.default_rng(n).choice(np.array(numbers, dtype), (200, n))
        x[:60] = np.where(np.isinf(x[:60]), 0, x[:60])
        # One row of infinities, and one of numbers that differ least.
        x[60], x[61], x[62], x[62, 0] = np.inf, -np.inf, least, 0
        for name in ("max", "min"):
            values, places = call(lua, f"return torch.{name}(x, 2)", x)
            at = getattr(x, "arg" + name)(axis=1)
            np.testing.assert_array_equal(np.asarray(places)[:, 0] - 1, at)
            np.testing.assert_array_equal(np.asarray(values)[:, 0], x[np.arange(200), at])


def test_an_extreme_keeps_the_sign_of_zero(lua: Runtime) -> None:
    for n in LENGTHS[1:]:
        x = np.zeros((1, n))
        x[0, 0] = -0.0
        values, places = call(lua, "return torch.max(x, 2)", x)
        assert np.asarray(places)[0, 0] == 1
        assert np.signbit(np.asarray(values)[0, 0])


@pytest.mark.parametrize("kind", ["Byte", "Char", "Short", "Int", "Long", "Float", "Double"])
@pytest.mark.parametrize("shape", [(40, 50), (9, 1100), (300, 16), (3, 20, 17), (2, 3, 20, 16)])
@pytest.mark.parametrize("values", [3, 100])
def test_the_best_of_columns_is_the_first_of_equals(
    run: Callable[[str], Any], kind: str, shape: tuple[int, ...], values: int
) -> None:
    """NumPy finds the first of equals too, and the first nan before anything else."""
    x = np.random.default_rng(values).integers(0, values, shape).astype(float)
    if kind in ("Float", "Double"):
        x[x == 0] = -0.0
        x[..., 5, ::7] = np.nan
        x[..., 8, ::14] = np.nan
    both = run(
        f"return function(x, d) x = x:type('torch.{kind}Tensor') local a, i = x:max(d) local b, j = x:min(d)"
        " return a, i, b, j end"
    )
    for axis in range(len(shape)):
        most, most_at, least, least_at = both(x, axis + 1)
        assert np.array_equal(most, x.max(axis, keepdims=True), equal_nan=True)
        assert np.array_equal(least, x.min(axis, keepdims=True), equal_nan=True)
        assert np.array_equal(most_at - 1, x.argmax(axis, keepdims=True))
        assert np.array_equal(least_at - 1, x.argmin(axis, keepdims=True))


def test_columns_of_a_transposed_matrix_are_read_where_they_lie(run: Callable[[str], Any]) -> None:
    x = np.random.default_rng(4).standard_normal((64, 50))
    best, place = run("return function(x) return x:t():max(2) end")(x)
    assert np.array_equal(best.ravel(), x.max(0)) and np.array_equal(place.ravel() - 1, x.argmax(0))
    best, place = run("return function(x) return x:narrow(2, 11, 30):max(1) end")(x)
    x = x[:, 10:40]
    assert np.array_equal(best.ravel(), x.max(0)) and np.array_equal(place.ravel() - 1, x.argmax(0))


def numbers(kind: str, shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(12)
    x = rng.standard_normal(shape)
    if kind == "ties":
        x = np.round(x)
    elif kind == "zeros":
        x = np.where(rng.random(shape) < 0.5, -0.0, 0.0)
    elif kind == "infinities":
        x[rng.random(shape) < 0.5] = -np.inf
        x[rng.random(shape) < 0.05] = np.inf
    elif kind == "nan":
        x[rng.random(shape) < 0.03] = np.nan
    return x.astype(dtype)


# Rows and columns of less than a vector, of a few and of what is left behind them, and work for two cores.
VECTORS = [(5, 4), (3, 9), (33, 37), (7, 100), (100, 7), (1, 50), (50, 1), (4, 5, 40), (1100, 33), (33, 1100)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", ["normal", "ties", "zeros", "infinities", "nan"])
def test_extremes_by_vectors(lua: Runtime, kind: str, dtype: str) -> None:
    for shape in VECTORS:
        x = numbers(kind, shape, dtype)
        lua.globals()["x"] = x
        for layout in ("", ":transpose(1, x:dim()):clone():transpose(1, x:dim())"):
            for axis in range(len(shape)):
                for name, place_of in (("max", np.argmax), ("min", np.argmin)):
                    best, at = lua.execute(f"return (x:clone(){layout}):{name}({axis + 1})")
                    place = np.expand_dims(place_of(x, axis=axis), axis)
                    expected = np.take_along_axis(x, place, axis)
                    np.testing.assert_array_equal(np.asarray(at), place + 1)
                    np.testing.assert_array_equal(np.asarray(best), expected)
                    real = ~np.isnan(expected)
                    assert (np.signbit(np.asarray(best)[real]) == np.signbit(expected[real])).all()
