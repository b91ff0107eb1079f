"""What is computed for each row of a tensor, over the lengths at which the way of computing it changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from t7shell import Runtime

LENGTHS = [*range(1, 19), 31, 32, 33, 63, 64, 65, 129, 1023, 1025, 9000]
DTYPES = ["float64", "float32", "int64", "int32", "uint8"]


@pytest.fixture(scope="module")
def lua() -> Runtime:
    return Runtime()


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


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["max", "min"])
def test_extremes_and_their_first_places(name: str, dtype: str, lua: Runtime) -> None:
    for n in LENGTHS:
        x = random_rows(dtype, 20, n)
        values, places = call(lua, f"return torch.{name}(x, 2)", x)
        at = getattr(x, "arg" + name)(axis=1)
        np.testing.assert_array_equal(np.asarray(places)[:, 0] - 1, at)
        np.testing.assert_array_equal(np.asarray(values)[:, 0], x[np.arange(20), at])


def test_an_extreme_keeps_the_sign_of_zero(lua: Runtime) -> None:
    for n in LENGTHS[1:]:
        x = np.zeros((1, n))
        x[0, 0] = -0.0
        values, places = call(lua, "return torch.max(x, 2)", x)
        assert np.asarray(places)[0, 0] == 1
        assert np.signbit(np.asarray(values)[0, 0])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_spreads(dtype: str, lua: Runtime) -> None:
    for n in LENGTHS[1:]:
        x = random_rows(dtype, 6, n)
        x[5] = 1e6 + np.arange(n) % 2
        with np.errstate(invalid="ignore"):
            expected = x.astype("float64").std(axis=1, ddof=1)
            biased = x.astype("float64").var(axis=1)
        spreads, variances = call(lua, "return torch.std(x, 2), torch.var(x, 2, true)", x)
        np.testing.assert_allclose(np.asarray(spreads)[:, 0], expected, rtol=1e-6)
        np.testing.assert_allclose(np.asarray(variances)[:, 0], biased, rtol=1e-6)
        assert call(lua, "return x:select(1, 6):std()", x) == pytest.approx(expected[5], rel=1e-6)


def test_norms_stay_the_same_when_blas_takes_over(lua: Runtime) -> None:
    x = np.random.default_rng(1).standard_normal((3, 40))
    expected = np.linalg.norm(x)
    assert call(lua, "return x:norm()", x) == pytest.approx(expected, rel=1e-14)
    long = np.random.default_rng(2).standard_normal(100003)
    assert call(lua, "return x:norm()", long) == pytest.approx(np.linalg.norm(long), rel=1e-12)
    assert call(lua, "return x:norm()", x) == pytest.approx(expected, rel=1e-14)
    wide = np.random.default_rng(3).standard_normal((4, 3000))
    spread = np.asarray(call(lua, "return x:std(2)", wide))
    np.testing.assert_allclose(spread[:, 0], wide.std(axis=1, ddof=1), rtol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("largest", [False, True])
def test_the_best_of_rows(largest: bool, dtype: str, lua: Runtime) -> None:
    for n in LENGTHS:
        x = random_rows(dtype, 8, n)
        for k in {1, min(n, 3), min(n, 8), min(n, 11)}:
            source = f"return torch.topk(x, {k}, 2, {str(largest).lower()}, true)"
            values, places = (np.asarray(part) for part in call(lua, source, x))
            ordered = np.sort(x, axis=1)
            expected = ordered[:, ::-1][:, :k] if largest else ordered[:, :k]
            np.testing.assert_array_equal(values, expected)
            np.testing.assert_array_equal(np.take_along_axis(x, places - 1, axis=1), values)
            assert all(len(set(row)) == k for row in places.tolist())


def test_the_best_of_rows_into_given_results(lua: Runtime) -> None:
    x = np.random.default_rng(4).standard_normal((5, 40))
    expected = np.sort(x, axis=1)[:, :3]
    source = """
       local values, places = torch.Tensor(3, 5):t(), torch.LongTensor(2)
       local same = x:clone()
       torch.topk(values, places, x, 3, 2)
       torch.topk(same, places, same, 3, 2)
       local first = torch.topk(x:t(), 3, 1)
       return values, same, first:t()"""
    for result in call(lua, source, x):
        np.testing.assert_array_equal(np.asarray(result), expected)


def test_masks_of_few_and_of_many_elements(lua: Runtime) -> None:
    for n in LENGTHS:
        x = np.random.default_rng(n).standard_normal(n)
        lua.globals()["m"] = (x > 0.3).astype("uint8")
        np.testing.assert_array_equal(np.asarray(call(lua, "return x:maskedSelect(m)", x)), x[x > 0.3])
        wrong = (x > 0.3).astype("uint8")
        wrong[-1] = 2
        lua.globals()["m"] = wrong
        assert call(lua, "return pcall(function() return x:maskedSelect(m) end)", x)[0] is False


def test_rows_by_index(lua: Runtime) -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    source = """
       local places = torch.LongTensor{2, 1, 2}
       local own = x:clone()
       own.index(own, own, 1, places)
       return x:index(1, places), x:index(2, places), x:transpose(1, 3):index(3, places), own"""
    rows, columns, moved, own = (np.asarray(part) for part in call(lua, source, x))
    np.testing.assert_array_equal(rows, x[[1, 0, 1]])
    np.testing.assert_array_equal(columns, x[:, [1, 0, 1]])
    np.testing.assert_array_equal(moved, x.transpose(2, 1, 0)[:, :, [1, 0, 1]])
    np.testing.assert_array_equal(own, x[[1, 0, 1]])


def test_columns_by_index(lua: Runtime) -> None:
    for shape in [(1, 9), (3, 40), (50, 2), (2, 3, 20), (1, 1)]:
        x = np.random.default_rng(5).standard_normal(shape)
        chosen = np.random.default_rng(6).integers(0, shape[-1], 7)
        lua.globals()["places"] = chosen + 1
        source = """
           local given = torch.Tensor(2)
           given.index(given, x, x:dim(), places)
           return x:index(x:dim(), places), given"""
        for result in call(lua, source, x):
            np.testing.assert_array_equal(np.asarray(result), x[..., chosen])
