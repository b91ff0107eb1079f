"""Spreads, norms, and what is scaled by them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime
from tests.random_rows import LENGTHS, call, random_rows
from tests.runtimes import runtime_fixture


@pytest.fixture(scope="module")
def run() -> Callable[[str], Any]:
    """Runs Lua source; tensors come back as arrays, several results as a tuple."""
    runtime = Runtime()
    return runtime.execute


def test_renorm_scales_slices_down(run: Callable[[str], Any]) -> None:
    x = np.arange(1.0, 9).reshape(2, 2, 2)
    sums = x.sum(axis=(0, 2), keepdims=True)
    got = run("return torch.renorm(torch.range(1, 8):resize(2, 2, 2), 1, 2, 10)")
    np.testing.assert_allclose(got, x * np.where(sums > 10, 10 / sums, 1), rtol=1e-6)


lua = runtime_fixture()


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


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("count", [1, 3, 1024, 65535, 200001])
def test_sums_of_magnitudes(dtype: str, count: int, lua: Runtime) -> None:
    x = np.random.default_rng(count).standard_normal((count, 2)).astype(dtype)
    lua.globals()["x"] = x
    expected = np.abs(x.astype("float64"))
    lua.execute(
        "local threads = torch.getnumthreads()\n"
        "column, got = x:select(2, 2), {}\n"
        "for k = 1, 2 do torch.setnumthreads(k)\n"
        "got[k] = torch.Tensor{x:norm(1), column:norm(1), x:norm(1, 1)[1][1]} end\n"
        "torch.setnumthreads(threads)"
    )
    one = np.array(lua.eval("got[1]"))
    np.testing.assert_array_equal(one, np.array(lua.eval("got[2]")))
    np.testing.assert_allclose(one[:2], [expected.sum(), expected[:, 1].sum()], rtol=1e-13)
    np.testing.assert_allclose(one[2], expected[:, 0].sum(), rtol=1e-13 if dtype == "float64" else 1e-7)
    assert np.isnan(lua.eval("torch.FloatTensor(70000):fill(0/0):norm(1)"))
    assert lua.eval("torch.FloatTensor{-math.huge, 1}:norm(1)") == np.inf


@pytest.mark.parametrize("kind", ["Double", "Float"])
@pytest.mark.parametrize("bins", [1, 3, 1024, 1025])
@pytest.mark.parametrize("count", [1, 257, 40000])
def test_every_element_is_in_the_bin_of_its_rounded_position(
    kind: str, bins: int, count: int, run: Callable[[str], Any]
) -> None:
    """Of few bins, which are counted in tables, and of many; some elements are outside of the bounds."""
    x, histogram = run(f"""
        torch.manualSeed({bins})
        local x = torch.randn({count}):type('torch.{kind}Tensor')
        return x, torch.histc(x, {bins}, -1, 1.5)
    """)
    x = np.asarray(x)
    inside = x[(x >= -1) & (x <= 1.5)]
    place = (inside - x.dtype.type(-1)) / x.dtype.type(2.5) * x.dtype.type(bins)
    expected = np.bincount(np.minimum(place.astype(int), bins - 1), minlength=bins)
    np.testing.assert_array_equal(np.asarray(histogram), expected)


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        ("-3", "inf inf 0.69336127"),
        ("0", "0 0 inf"),
        ("-1 / (1/0)", "0 inf 0"),
        ("3", "0 0 1.4422496"),
        ("1/0", "1 1 1"),
    ],
)
def test_norms_and_distances_of_nothing(run: Callable[[str], Any], p: str, expected: str) -> None:
    """The root of 0, as in Torch7; that of a count for the power 0, whose sign counts."""
    source = f"""
    local x, y, p = torch.Tensor(), torch.ones(3), {p}
    return string.format('%.8g %.8g %.8g', x:norm(p), x:dist(x, p), y:dist(torch.zeros(3), p))
    """
    assert run(source) == expected


def test_histograms_of_nothing_have_bounds(run: Callable[[str], Any]) -> None:
    # As in Torch7.
    assert run("return torch.Tensor():histc(3, 1, 2)").tolist() == [0, 0, 0]
    assert run("return torch.histc(torch.ones(2), torch.Tensor(), 2, 5)").tolist() == [0, 0]
    assert not run("return (pcall(torch.histc, torch.Tensor(), 3))")
