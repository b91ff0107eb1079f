"""Sums of many elements: those that are read plainly because there is no NaN, and those that are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from t7shell import Runtime
from tests.runtimes import runtime_fixture

lua = runtime_fixture()

# Around the least length that is searched for NaN, and two pieces of a shared sum.
LENGTHS = [1, 7, 255, 256, 257, 1000, 65535, 65536, 2 * 65536 + 3]


def call(lua: Runtime, source: str, x: np.ndarray[Any, Any]) -> Any:
    """Runs a source on a clone of an array: memory that nobody else writes to."""
    lua.globals()["given"] = x
    return lua.execute("local x = given:clone() " + source)


def close(value: float, expected: float) -> bool:
    return value == pytest.approx(expected, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint8", "int8", "int16"])
def test_sums(dtype: str, lua: Runtime) -> None:
    for n in LENGTHS:
        x = (np.random.default_rng(n).random(n) * 100 + 1).astype(dtype)
        wide = x.astype("int64" if x.dtype.kind in "iu" else "float64")
        assert close(call(lua, "return x:sum()", x), wide.sum())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_terms(dtype: str, lua: Runtime) -> None:
    for n in LENGTHS[1:]:
        x = np.random.default_rng(n).normal(3, 2, n).astype(dtype)
        wide = x.astype("float64")
        norm, one, spread = call(lua, "return x:norm(), x:norm(1), x:std()", x)
        assert close(norm, np.sqrt((wide**2).sum())) and close(one, np.abs(wide).sum())
        assert spread == pytest.approx(wide.std(ddof=1), rel=1e-9)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_special_elements(dtype: str, special: float, lua: Runtime) -> None:
    for n in LENGTHS[2:]:
        x = np.ones(n, dtype)
        x[n // 2] = special
        total, norm, one = call(lua, "return x:sum(), x:norm(), x:norm(1)", x)
        assert close(total, special) and close(norm, abs(special)) and close(one, abs(special))
        rows = np.ones((3, n), dtype)
        rows[1, n - 1] = special
        source = "return x:sum(2), x:t():sum(1), x:sum(1), x:std(2)"
        along, turned, columns, spread = (np.asarray(part) for part in call(lua, source, rows))
        np.testing.assert_array_equal(along[:, 0], [n, special, n])
        np.testing.assert_array_equal(turned[0], [n, special, n])
        np.testing.assert_array_equal(columns[0], rows.astype("float64").sum(axis=0))
        np.testing.assert_array_equal(np.isnan(spread[:, 0]), [False, True, False])


def test_both_infinities(lua: Runtime) -> None:
    x = np.ones(1000, "float32")
    x[3], x[700] = np.inf, -np.inf
    assert np.isnan(call(lua, "return x:sum()", x))


def test_bits_of_no_number(lua: Runtime) -> None:
    x = np.ones(1000, "float32")
    x.view("uint32")[500] = 0xFFFFFFFF
    for source in (
        "x:sum()",
        "x:norm()",
        "x:norm(1)",
        "x:view(2, 500):sum(2)[2][1]",
        "x:view(2, 500):t():sum(1)[1][2]",
    ):
        value, kind = call(lua, f"local v = {source} return v, type(v)", x)
        assert np.isnan(value) and kind == "number"


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8"])
def test_layouts(dtype: str, lua: Runtime) -> None:
    x = (np.random.default_rng(3).random((40, 30, 20)) * 100).astype(dtype)
    source = """
       local a, b, c = x:transpose(1, 3), x:narrow(3, 2, 9), x:select(2, 4):t()
       return a:sum(), b:sum(), c:sum(), a:max(), b:max(), c:max()"""
    views = [x, x[:, :, 1:10], x[:, 3]]
    wide = [view.astype("int64" if x.dtype.kind in "iu" else "float64") for view in views]
    expected = [float(view.sum()) for view in wide] + [float(view.max()) for view in wide]
    for value, right in zip(call(lua, source, x), expected, strict=True):
        assert close(value, right)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_distances_and_spreads_of_layouts(dtype: str, lua: Runtime) -> None:
    x, y = np.random.default_rng(4).normal(size=(2, 40, 30, 20)).astype(dtype)
    lua.globals()["other"] = y
    source = """
       local y = other:clone()
       local a, b = x:transpose(1, 3), y:transpose(1, 3)
       local c, d = x:narrow(3, 2, 9), y:narrow(3, 2, 9)
       return x:dist(y), a:dist(b), c:dist(d), a:dist(b:clone()), a:dist(b, 1),
          a:std(), c:std(), a:norm(), c:norm()"""
    wide, narrow = x.astype("float64") - y, (x.astype("float64") - y)[:, :, 1:10]
    part, whole = x.astype("float64")[:, :, 1:10], np.linalg.norm(wide)
    expected = [
        whole,
        whole,
        np.linalg.norm(narrow),
        whole,
        np.abs(wide).sum(),
        x.astype("float64").std(ddof=1),
        part.std(ddof=1),
        np.linalg.norm(x.astype("float64")),
        np.linalg.norm(part),
    ]
    for value, right in zip(call(lua, source, x), expected, strict=True):
        assert value == pytest.approx(right, rel=1e-6)


@pytest.mark.parametrize("shape", [(3, 5), (100, 100), (9, 700), (700, 9), (5, 33, 40), (300, 301)])
def test_sums_of_floats_along_dimensions(shape: tuple[int, ...], lua: Runtime) -> None:
    """As in Torch7: in doubles where elements follow each other, else rounded to Floats after each one."""
    x = np.random.default_rng(5).random(shape).astype("float32")

    def summed(x: np.ndarray[Any, Any], dim: int) -> np.ndarray[Any, Any]:
        if x.strides[dim] == 4:
            return x.astype("float64").sum(axis=dim, keepdims=True).astype("float32")
        return np.add.accumulate(x, dim, dtype="float32").take([-1], dim)

    for dim in range(len(shape)):
        sums, turned = call(lua, f"return x:sum({dim + 1}), x:transpose(1, 2):sum({dim + 1})", x)
        np.testing.assert_array_equal(np.asarray(sums), summed(x, dim))
        np.testing.assert_array_equal(np.asarray(turned), summed(x.swapaxes(0, 1), dim))
        product = x.astype("float64").prod(axis=dim, keepdims=True)
        np.testing.assert_allclose(
            np.asarray(call(lua, f"return x:prod({dim + 1})", x)), product, rtol=1e-4, atol=1e-38
        )


def test_sums_of_columns_as_the_original(lua: Runtime) -> None:
    """What Torch7 printed, by %.9g, of numbers of its generator."""
    source = """
       torch.manualSeed(1)
       local x, text = torch.rand(10000, 3):float(), {}
       for _, value in ipairs{x:sum(1)[1][1], x:sum(1)[1][3], x:t():sum(2)[1][1], x:mean(1)[1][2],
             x:narrow(1, 1, 40):prod(1)[1][1]} do
          text[#text + 1] = ('%.9g'):format(value)
       end
       return table.concat(text, ' ')"""
    assert lua.execute(source) == "5021.89551 4985.14014 5021.89551 0.500671268 5.30302751e-19"


def sequential(terms: np.ndarray[Any, Any]) -> float:
    """The sum in the order of the elements; NumPy's own adds pairwise."""
    return float(np.add.accumulate(terms)[-1])


@pytest.mark.parametrize("n", [1, 3, 1000, 65535])
def test_doubles_follow_each_other(n: int, lua: Runtime) -> None:
    """Totals of fewer than 65536 doubles have the bits of a loop over the elements, as in Torch7."""
    x = np.random.default_rng(n).random(n) + 0.1
    total, norm, one, product = call(lua, "return x:sum(), x:norm(), x:norm(1), x:prod()", x)
    assert (total, norm, one) == (sequential(x), np.sqrt(sequential(x * x)), sequential(x))
    assert product == np.multiply.accumulate(x)[-1]
    if n > 1:
        mean = sequential(x) / n
        assert call(lua, "return x:var()", x) == sequential((x - mean) ** 2) / (n - 1)
    matrix = np.random.default_rng(n).random((n, 2))
    narrow = np.ascontiguousarray(np.hstack([matrix, matrix]))
    if n < 30000:
        assert call(lua, "return x:narrow(2, 1, 2):sum()", narrow) == sequential(matrix.ravel())


def test_sums_of_zeros_with_signs(lua: Runtime) -> None:
    """Sums start from 0: that of negative zeros is 0."""
    for count in (1, 3, 100):
        x = np.full((count, 3), -0.0)
        total, along = call(lua, "return 1 / x:sum(), x:sum(1)", x)
        assert total == np.inf and not np.signbit(np.asarray(along)).any()


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
def test_integers_wrap(dtype: str, lua: Runtime) -> None:
    """Along a dimension in the type, in total as 64 bits do."""
    for shape in ((70, 33), (3, 100001), (100001, 3)):
        x = np.random.default_rng(shape[1]).integers(0, 127, shape).astype(dtype)
        total, rows, columns = call(lua, "return x:sum(), x:sum(2), x:sum(1)", x)
        assert total == x.sum(dtype="int64")
        np.testing.assert_array_equal(np.asarray(rows)[:, 0], x.sum(1, dtype="int64").astype(dtype))
        np.testing.assert_array_equal(np.asarray(columns)[0], x.sum(0, dtype="int64").astype(dtype))
        products = np.multiply.reduce(x.astype("int64"), 1).astype(dtype)
        np.testing.assert_array_equal(np.asarray(call(lua, "return x:prod(2)", x))[:, 0], products)
