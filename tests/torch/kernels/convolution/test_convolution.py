"""Convolutions: SciPy is the second source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy

from tests.numbers import arrays, literal

Lua = Callable[[str], str]
Array = np.ndarray[Any, Any]

MODES = {"V": "valid", "F": "full"}
NAMES = {"conv2": scipy.signal.convolve, "xcorr2": scipy.signal.correlate,
         "conv3": scipy.signal.convolve, "xcorr3": scipy.signal.correlate}  # fmt: skip


def numbers(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).integers(0, 6, shape).astype(float)


def expected(name: str, x: Array, k: Array, mode: str) -> Array:
    return np.asarray(NAMES[name](x, k, MODES[mode], method="direct"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["Double", "Float", "Byte", "Int", "Long"])
def test_one_image(lua: Lua, name: str, mode: str, kind: str) -> None:
    sizes, kernel = ((7, 9), (3, 2)) if name.endswith("2") else ((4, 6, 5), (2, 3, 1))
    x, k = numbers(1, *sizes), numbers(2, *kernel)
    source = f"local y = torch.{name}({literal(x, kind)}, {literal(k, kind)}, '{mode}')"
    (y,) = arrays(lua, source, "y")
    wanted = expected(name, x, k, mode)
    assert np.array_equal(y, wanted % 256 if kind == "Byte" else wanted)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", MODES)
def test_planes(lua: Lua, name: str, mode: str) -> None:
    sizes, kernel = ((5, 4), (2, 3)) if name.endswith("2") else ((3, 5, 4), (2, 1, 3))
    x, each, pairs = numbers(1, 2, *sizes), numbers(2, 2, *kernel), numbers(3, 4, 2, *kernel)
    source = f"""
    local x, each, pairs = {literal(x)}, {literal(each)}, {literal(pairs)}
    local a, b = torch.{name}(x, each, '{mode}'), torch.{name}(x, pairs, '{mode}')
    """
    a, b = arrays(lua, source, "a", "b")
    assert np.array_equal(a, [expected(name, x[i], each[i], mode) for i in range(2)])
    sums = [sum(expected(name, x[i], pairs[o, i], mode) for i in range(2)) for o in range(4)]
    assert np.array_equal(b, sums)


# Rows longer than a piece of work, images of several pieces, and enough of them to be parallelized.
@pytest.mark.parametrize("name", ["conv2", "xcorr2"])
@pytest.mark.parametrize("sizes", [(3, 2500), (5, 1024), (200, 40), (70, 64), (1, 1)])
@pytest.mark.parametrize("kind", ["Double", "Float", "Short"])
def test_larger_images(lua: Lua, name: str, sizes: tuple[int, int], kind: str) -> None:
    x, k = numbers(6, *sizes), numbers(7, min(3, sizes[0]), min(4, sizes[1]))
    source = f"local x, k = {literal(x, kind)}, {literal(k, kind)}"
    source += f" local y, z = torch.{name}(x, k), torch.{name}(x, k, 'F')"
    y, z = arrays(lua, source, "y", "z")
    assert np.array_equal(y, expected(name, x, k, "V")) and np.array_equal(z, expected(name, x, k, "F"))


@pytest.mark.parametrize("name", ["conv3", "xcorr3"])
@pytest.mark.parametrize("sizes", [(9, 30, 20), (4, 2, 1100), (12, 40, 40)])
def test_larger_volumes(lua: Lua, name: str, sizes: tuple[int, int, int]) -> None:
    x, k = numbers(8, *sizes), numbers(9, 3, 2, 3)
    (y,) = arrays(lua, f"local y = torch.{name}({literal(x)}, {literal(k)})", "y")
    assert np.array_equal(y, expected(name, x, k, "V"))


def test_layouts_and_results(lua: Lua) -> None:
    x, k = numbers(4, 6, 6), numbers(5, 3, 3)
    source = f"""
    local x, k = {literal(x)}, {literal(k)}
    local r, wide, same = torch.Tensor(2), torch.zeros(4, 9):narrow(2, 2, 4), x:clone()
    local full = torch.conv2(x:t():contiguous():t(), k:t():contiguous():t(), 'F')
    torch.conv2(r, x, k) torch.conv2(wide, x, k) same:conv2(same, k, 'V')
    """
    r, wide, same, full = arrays(lua, source, "r", "wide", "same", "full")
    valid = expected("conv2", x, k, "V")
    assert np.array_equal(r, valid) and np.array_equal(wide, valid) and np.array_equal(same, valid)
    assert np.array_equal(full, expected("conv2", x, k, "F"))


def test_images_longer_than_a_piece(lua: Lua) -> None:
    source = "torch.manualSeed(1) local x, k = torch.Tensor(70, 90):random(9), torch.Tensor(4, 5):random(9)"
    x, k, y = arrays(lua, source + " local y = torch.xcorr2(x, k)", "x", "k", "y")
    assert np.array_equal(y, expected("xcorr2", x, k, "V"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("torch.conv2(torch.ones(2, 2), torch.ones(3, 1))", "got image [2x2] and kernel [3x1]"),
        ("torch.conv2(torch.ones(3, 3), torch.ones(2, 2), 'S')", "must be 'V' or 'F' (got 'S')"),
        ("torch.conv2(torch.ones(3), torch.ones(2))", "got [3] and [2]"),
        ("torch.conv3(torch.ones(3, 3), torch.ones(2, 2))", "got [3x3] and [2x2]"),
        ("torch.conv2(torch.ones(2, 3, 3), torch.ones(3, 2, 2))", "differ in number (got [2x3x3]"),
        ("torch.xcorr3(torch.ones(2, 3, 3, 3), torch.ones(1, 3, 2, 2, 2))", "kernels [1x3x2x2x2]"),
        ("torch.conv2(torch.Tensor(), torch.ones(1, 1))", "got [] and [1x1]"),
    ],
)
def test_bad_arguments(lua: Lua, call: str, message: str) -> None:
    assert message in lua(f"print(select(2, pcall(function() return {call} end)))")


@pytest.mark.parametrize("columns", [1, 3, 7, 8, 15, 16, 17, 31, 40, 63, 64, 65, 130, 200])
@pytest.mark.parametrize("kind", ["Double", "Float", "Char"])
def test_every_number_of_columns(lua: Lua, columns: int, kind: str) -> None:
    x, k = numbers(10, 5, columns + 2) - 2, numbers(11, 2, 3) - 2
    (y,) = arrays(lua, f"local y = torch.xcorr2({literal(x, kind)}, {literal(k, kind)})", "y")
    assert np.array_equal(y, expected("xcorr2", x, k, "V"))


def test_nan_reaches_only_windows_that_hold_it(lua: Lua) -> None:
    """Whatever of a row is computed besides."""
    for columns in (4, 12, 20, 90):
        source = f"""
        local x = torch.ones(6, {columns})
        x[3][{columns}], x[4][1] = 0 / 0, 0 / 0
        local y = torch.xcorr2(x, torch.ones(2, 3))
        """
        (y,) = arrays(lua, source, "y")
        wanted = np.full((5, columns - 2), 6.0)
        wanted[1:3, -1], wanted[2:4, 0] = np.nan, np.nan
        assert np.array_equal(y, wanted, equal_nan=True)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["Double", "Float"])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_kernels_with_infinities_reach_only_what_their_window_holds(lua: Lua, name: str, kind: str) -> None:
    """A full output outside of the image is no product with a zero of a margin, which would be nan."""
    n = int(name[-1])
    x, k = numbers(1, 2, *(4, 3, 5)[:n]), numbers(2, 3, 2, *(2, 3, 2)[:n])
    k[0, 0].flat[0], k[1, 1].flat[-1], k[2, 0].flat[1] = np.inf, -np.inf, np.nan
    x[1].flat[2] = np.inf
    wanted = np.zeros((3, *(a + b - 1 for a, b in zip(x.shape[1:], k.shape[2:], strict=True))))
    for o, i in np.ndindex(3, 2):
        weights = k[o, i] if name.startswith("conv") else np.flip(k[o, i])
        for place in np.ndindex(weights.shape):
            part = tuple(slice(p, p + size) for p, size in zip(place, x.shape[1:], strict=True))
            wanted[(o, *part)] += weights[place] * x[i]
    source = "local nan, inf = 0 / 0, 1 / 0"
    source += f" local y = torch.{name}({literal(x, kind)}, {literal(k, kind)}, 'F')"
    (y,) = arrays(lua, source, "y")
    np.testing.assert_array_equal(y, wanted)
