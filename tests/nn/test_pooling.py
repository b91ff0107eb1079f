"""Pooling beyond what holds for all layers: indices, values that are no numbers, random windows, errors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from t7shell import Runtime

Lua = Callable[[str], str]


@pytest.fixture(autouse=True)
def _nn(lua: Lua) -> None:
    lua("require 'nn'")


def test_indices_count_from_one_in_each_plane(lua: Lua) -> None:
    assert (
        lua(
            "local m = nn.SpatialMaxPooling(2, 2)\n"
            "m:forward(torch.Tensor{{{1, 2, 9, 1}, {3, 0, 1, 1}}, {{5, 5, 0, 0}, {5, 5, 0, 7}}})\n"
            "print(table.concat(m.indices:view(-1):totable(), ' '), m.indices:type(), m.iheight, m.iwidth)"
        )
        == "5 3 1 8\ttorch.LongTensor\t2\t4\n"
    )


@pytest.mark.parametrize("code", ["m.indices:fill(17)", "m.indices:fill(-5)", "m.indices[1][1][1] = 2^40"])
def test_indices_that_were_changed_are_no_addresses(lua: Lua, code: str) -> None:
    assert "indices must be those of elements of the input" in lua(
        "local m, x = nn.SpatialMaxPooling(2, 2), torch.rand(1, 4, 4)\n"
        f"local g = m:forward(x):clone() {code}\n"
        "print(select(2, pcall(m.backward, m, x, g)))"
    )
    assert "indices must be those of forward" in lua(
        "local m, x = nn.SpatialMaxPooling(2, 2), torch.rand(1, 4, 4)\n"
        "local g = m:forward(x):clone() m.indices = torch.LongTensor(3)\n"
        "print(select(2, pcall(m.backward, m, x, g)))"
    )


def test_nan_is_never_the_largest_and_infinity_is(lua: Lua) -> None:
    assert (
        lua(
            "local nan, inf = 0/0, 1/0\n"
            "local m = nn.SpatialMaxPooling(2, 2)\n"
            "local y = m:forward(torch.Tensor{{{nan, 1, 2, inf, nan, nan}, {0, nan, -inf, 3, nan, nan}}})\n"
            "print(y[1][1][1], y[1][1][2], y[1][1][3] < -1e308)\n"
            "print(table.concat(m.indices:view(-1):totable(), ' '))\n"
            "print(m:backward(y.new(1, 2, 6):copy(torch.range(1, 12)), torch.ones(1, 1, 3)):sum())"
        )
        == "1\tinf\ttrue\n2 4 0\n2\n"
    )


def windows_of(x: np.ndarray, kernel: int, stride: int, pad: int, dilation: int, fill: float) -> np.ndarray:
    """planes x results x results x kernel x kernel."""
    span = dilation * (kernel - 1) + 1
    padded = np.pad(x, ((0, 0), (pad, pad), (pad, pad)), constant_values=fill)
    views = np.lib.stride_tricks.sliding_window_view(padded, (span, span), axis=(1, 2))
    return views[:, ::stride, ::stride, ::dilation, ::dilation]


# Results are computed by vectors of up to sixteen, the last of which overlaps the one before, and at edges
# one by one.
@pytest.mark.parametrize(("dtype", "name"), [("float32", "float"), ("float64", "double")])
@pytest.mark.parametrize(
    ("kernel", "stride", "pad", "dilation"),
    [
        (2, 2, 0, 1),
        (3, 2, 0, 1),
        (3, 2, 1, 1),
        (3, 1, 1, 1),
        (2, 1, 0, 1),
        (5, 3, 2, 1),
        (1, 2, 0, 1),
        (3, 2, 1, 2),
    ],
)
def test_rows_of_all_lengths(
    runtime: Runtime, dtype: str, name: str, kernel: int, stride: int, pad: int, dilation: int
) -> None:
    sizes = f"{kernel}, {kernel}, {stride}, {stride}, {pad}, {pad}"
    runtime.execute(
        f"maxima = nn.SpatialDilatedMaxPooling({sizes}, {dilation}, {dilation}):{name}()\n"
        f"averages = nn.SpatialAveragePooling({sizes}):{name}()"
    )
    for width in range(dilation * (kernel - 1) + 1, 45):
        x = np.random.default_rng(width).integers(-9, 9, (2, width, width)).astype(dtype)
        windows = windows_of(x, kernel, stride, pad, dilation, -np.inf)
        flat = windows.reshape(*windows.shape[:3], -1)
        places = np.arange(1.0, width * width + 1).reshape(1, width, width)
        places = windows_of(places, kernel, stride, pad, dilation, 0).reshape(1, *flat.shape[1:])
        first = flat.argmax(-1)[..., None]
        runtime.globals()["x"] = x
        runtime.execute("y, indices = maxima:forward(x), maxima.indices")
        assert np.array_equal(runtime.eval("y"), flat.max(-1)), width
        expected = np.take_along_axis(np.broadcast_to(places, flat.shape), first, -1)[..., 0]
        assert np.array_equal(runtime.eval("indices"), expected), width
        if dilation == 1:
            sums = windows_of(x, kernel, stride, pad, 1, 0).sum((-1, -2))
            assert np.allclose(runtime.eval("averages:forward(x)"), sums / kernel**2, rtol=1e-6), width


def test_equal_elements_go_to_the_first(lua: Lua) -> None:
    assert (
        lua(
            "local m = nn.SpatialMaxPooling(3, 3, 2, 2)\n"
            "m:forward(torch.zeros(1, 5, 5))\n"
            "print(table.concat(m.indices:view(-1):totable(), ' '))\n"
            "m = nn.SpatialMaxPooling(5, 5)\n"
            "m:forward(torch.zeros(1, 5, 5))\n"
            "print(m.indices[1][1][1])"
        )
        == "1 3 11 13\n1\n"
    )


# In ceil mode windows may begin behind the plane. Without padding they stay, and have neither a largest
# element nor a place; dilation and padding leave such windows too.
@pytest.mark.parametrize(
    ("make", "size", "places", "empty"),
    [
        ("SpatialMaxPooling(1, 1, 3, 3):ceil()", "1, 2, 2", "1 0 0 0", 3),
        ("SpatialDilatedMaxPooling(2, 1, 1, 1, 1, 0, 3, 1)", "2, 1, 2", "0 0", 2),
    ],
)
def test_windows_without_an_element_have_no_place(
    lua: Lua, make: str, size: str, places: str, empty: int
) -> None:
    assert lua(
        f"local m, x = nn.{make}, torch.ones({size})\n"
        "local y = m:forward(x)\n"
        "print(table.concat(m.indices:view(-1):totable(), ' '), y:lt(-1e308):sum())\n"
        "print(m:backward(x, torch.ones(y:size())):sum() - y:nElement())"
    ) == (f"{places}\t{empty}\n{-empty}\n")


# Once one dimension is padded, windows that begin behind the plane are left out in all of them.
@pytest.mark.parametrize(
    ("make", "input", "output"),
    [
        ("SpatialMaxPooling(1, 4, 3, 3, 0, 2):ceil()", "4, 5, 5", "4x3x2"),
        ("SpatialAveragePooling(1, 4, 2, 2, 0, 2):ceil()", "1, 2, 8", "1x2x4"),
        ("VolumetricMaxPooling(3, 1, 4, 3, 2, 2, 1, 0, 2):ceil()", "1, 1, 2, 8", "1x1x2x4"),
        ("SpatialMaxPooling(1, 4, 3, 3):ceil()", "4, 5, 5", "4x2x3"),
    ],
)
def test_ceil_mode_with_padding_in_one_dimension(lua: Lua, make: str, input: str, output: str) -> None:
    assert (
        lua(f"print(table.concat((#nn.{make}:forward(torch.ones({input}))):totable(), 'x'))") == f"{output}\n"
    )


def test_unpooling_puts_maxima_where_they_were(lua: Lua) -> None:
    assert lua(
        "local p = nn.SpatialMaxPooling(2, 2, 2, 2)\n"
        "local u = nn.SpatialMaxUnpooling(p)\n"
        "local x = torch.range(1, 32):mul(12.9898):sin():view(2, 1, 4, 4)\n"
        "local y = p:forward(x):clone()\n"
        "local z = u:forward(y)\n"
        "print(torch.ne(z, 0):sum(), (z - torch.cmul(x, torch.ne(z, 0):double())):abs():max())\n"
        "print((u:backward(y, x) - y):abs():max())\n"
        "p.indices:fill(99)\n"
        "print(select(2, pcall(u.forward, u, y)):match('indices must be those of elements of the output'))\n"
        "print(pcall(nn.SpatialMaxUnpooling, nn.Linear(1, 1)))"
    ).replace("\t", " ").splitlines()[:3] == ["8 0", "0", "indices must be those of elements of the output"]


def test_volumetric_unpooling_and_a_module_before_forward(lua: Lua) -> None:
    out = lua(
        "local p = nn.VolumetricMaxPooling(2, 2, 2)\n"
        "local u = nn.VolumetricMaxUnpooling(p)\n"
        "local _, message = pcall(u.forward, u, torch.ones(1, 1, 1, 1))\n"
        "print(message:match('forward of the pooling module must come first'))\n"
        "local x = torch.range(1, 16):view(2, 2, 2, 2)\n"
        "print(u:forward(p:forward(x)):sum(), u)"
    )
    assert out == (
        "forward of the pooling module must come first\n24\t"
        "nn.VolumetricMaxUnpooling associated to nn.VolumetricMaxPooling(2x2x2, 2,2,2)\n"
    )


@pytest.mark.parametrize("name", ["Spatial", "Volumetric"])
def test_modules_that_know_each_other_change_their_type(lua: Lua, name: str) -> None:
    out = lua(
        f"local p = nn.{name}MaxPooling(2, 2, 2)\n"
        f"local u = nn.{name}MaxUnpooling(p):float()\n"
        "print(p:type(), u:type(), p.unpooling == u)\n"
        "local both = nn.Sequential():add(p):add(u):double()\n"
        "print(p:type(), u:type(), both:forward(torch.ones(1, 2, 2, 2):double()):sum())"
    )
    types = ["torch.FloatTensor\ttorch.FloatTensor\ttrue", "torch.DoubleTensor\ttorch.DoubleTensor"]
    lines = out.splitlines()
    assert [lines[0], lines[1].rpartition("\t")[0]] == types
    # Equal elements: the first of each window is its maximum.
    assert lines[1].rpartition("\t")[2] == ("2" if name == "Spatial" else "1")


def test_fractional_windows_cover_the_input_and_stay_when_fixed(runtime: Runtime) -> None:
    runtime.execute(
        "torch.manualSeed(4) x = torch.rand(2, 3, 9, 11)\n"
        "m = nn.SpatialFractionalMaxPooling(2, 2, 5, 4):fixPoolingRegions()\n"
        "y = m:forward(x):clone() again = m:forward(x):clone() g = m:backward(x, y):clone() index = m.indices"
    )
    x, y, index = (np.array(runtime.eval(n)) for n in ("x", "y", "index"))
    assert y.shape == (2, 3, 4, 5) and np.array_equal(y, np.array(runtime.eval("again")))
    for plane, out, places in zip(x.reshape(6, -1), y.reshape(6, -1), index.reshape(6, -1), strict=True):
        assert np.array_equal(plane[places - 1], out)
    # The last window ends where the input does.
    rows = (index[:, :, -1] - 1) // 11
    assert set(np.unique(rows)) <= {7, 8}
    assert np.isclose(np.array(runtime.eval("g")).sum(), y.sum())


@pytest.mark.parametrize("kind", ["Double", "Float"])
def test_fractional_maxima_of_rows_of_more_windows_than_a_vector_has(runtime: Runtime, kind: str) -> None:
    runtime.execute(
        "torch.manualSeed(9) x = torch.rand(2, 3, 12, 40):mul(4):floor() x[1][1][2][5] = 0 / 0\n"
        f"x = x:type('torch.{kind}Tensor') x[2][3]:fill(-math.huge)\n"
        f"m = nn.SpatialFractionalMaxPooling(3, 2, 19, 5):type('torch.{kind}Tensor'):fixPoolingRegions()\n"
        "m.randomSamples = torch.rand(2, 3, 2):mul(64):floor():div(64):type(x:type())\n"
        "m:forward(x) y, index, u = m.output, m.indices, m.randomSamples"
    )
    x, y, index, u = (np.array(runtime.eval(n)) for n in ("x", "y", "index", "u"))
    for plane in np.ndindex(2, 3):
        begins = []
        for sample, size, window, outputs in ((u[plane][0], 40, 3, 19), (u[plane][1], 12, 2, 5)):
            step = x.dtype.type(size - window) / x.dtype.type(outputs - 1)
            steps = [int((i + sample) * step) - int(sample * step) for i in range(outputs - 1)]
            begins.append([*steps, size - window])
        for row, column in np.ndindex(5, 19):
            top, left = begins[1][row], begins[0][column]
            window = np.where(np.isnan(x[plane]), -np.inf, x[plane])[top : top + 2, left : left + 3]
            if np.isneginf(window).all():
                assert index[plane][row, column] == 0
                continue
            at = np.unravel_index(np.argmax(window), window.shape)
            assert y[plane][row, column] == window[at]
            assert index[plane][row, column] == (top + at[0]) * 40 + left + at[1] + 1


def test_gradients_of_windows_of_features(lua: Lua) -> None:
    assert (
        lua(
            "local m = nn.FeatureLPPooling(2, 2, 3, true)\n"
            "local x = torch.Tensor{{1, 2, 0, 0}, {3, 1, 2, 2}}\n"
            "local y = m:forward(x)\n"
            "print(('%.4f %.4f %.4f %.4f'):format(y[1][1], y[1][2], y[2][1], y[2][2]))\n"
            "local r = m:backward(x, torch.ones(2, 2))\n"
            "print(('%.4f %.4f %.4f %.4f'):format(r[1][1], r[1][2], r[1][3], r[2][3]))"
        )
        == "2.0801 0.0000 3.0366 2.5198\n0.2311 0.9245 0.0000 0.6300\n"
    )


def test_norms_of_windows(lua: Lua) -> None:
    assert lua(
        "local m = nn.SpatialLPPooling(1, 2, 2, 2)\n"
        "print(m:forward(torch.Tensor{{{3, 4}, {0, 12}}})[1][1][1], torch.type(m), m:parameters())"
    ).split()[:2] == ["13", "nn.SpatialLPPooling"]


@pytest.mark.parametrize(
    "code, message",
    [
        (
            "nn.SpatialMaxPooling(2, 2, 2, 2, 2, 0):forward(torch.ones(1, 4, 4))",
            "padding must be at most half of the kernel",
        ),
        ("nn.SpatialMaxPooling(5, 5):forward(torch.ones(1, 4, 4))", "input too small: windows of 5"),
        (
            "nn.SpatialMaxPooling(0, 1):forward(torch.ones(1, 4, 4))",
            "kW must be a number of at least 1 (got 0)",
        ),
        (
            "nn.SpatialReflectionPadding(4, 1, 1, 1):forward(torch.ones(1, 4, 4))",
            "padding must be smaller than the input",
        ),
        ("nn.SpatialZeroPadding(-3, -2):forward(torch.ones(1, 4, 4))", "would be -2"),
        (
            "nn.SpatialFractionalMaxPooling(2, 2, 4, 4):forward(torch.ones(1, 4, 9))",
            "at least 5 elements in dimension 2",
        ),
        ("nn.SpatialFractionalMaxPooling(2, 2, 0.5, 2)", "ratios between 0 and 1 (got 2)"),
        ("nn.TemporalDynamicKMaxPooling(4):forward(torch.ones(3, 2))", "must have at least 4 frames"),
        ("nn.SpatialUpSamplingNearest(1.5)", "whole number of at least 1 (got 1.5)"),
        ("nn.UpSampling(2, 'cubic')", "mode must be 'nearest' or 'linear'"),
        (
            "nn.SpatialAdaptiveMaxPooling(0, 2):forward(torch.ones(1, 4, 4))",
            "W must be a number of at least 1 (got 0)",
        ),
        ("nn.FeatureLPPooling(1, 1, 2)", "width must be from 2 to 16"),
    ],
)
def test_wrong_calls_say_what_was_expected(lua: Lua, code: str, message: str) -> None:
    assert message in lua(f"print(select(2, pcall(function() {code} end)))")


def test_interpolation_of_wide_rows_takes_little_memory(runtime: Runtime) -> None:
    """Rows of the output before they are interpolated along would take 2^32 elements at once."""
    runtime.execute(
        "m = nn.SpatialUpSamplingBilinear{oheight = 2^15, owidth = 1}:float()\n"
        "x = torch.FloatTensor(1, 1, 2, 2^17):zero()\n"
        "x[{1, 1, 2, 1}] = 1\n"
        "y = m:forward(x)\n"
        "sums = m:backward(x, y:clone():fill(1))[{1, 1, {}, 1}]"
    )
    rows = np.arange(2**15) / (2**15 - 1)
    np.testing.assert_allclose(np.array(runtime.eval("y"))[0, 0, :, 0], rows, atol=1e-6)
    np.testing.assert_allclose(np.array(runtime.eval("sums")), [(1 - rows).sum(), rows.sum()], rtol=1e-4)


PLANES = """
local modules = {
   nn.SpatialAdaptiveMaxPooling(2, 3), nn.SpatialAdaptiveAveragePooling(2, 3), nn.SpatialAveragePooling(7, 5),
   nn.SpatialAveragePooling(2, 2, 2, 2), nn.SpatialAveragePooling(3, 3, 2, 2, 1, 1),
   nn.SpatialUpSamplingBilinear(2), nn.SpatialSubSampling(1, 2, 2, 2, 2),
}
local x = torch.randn(19, 1, 5, 7):type(of)
x[3][1][2]:fill(0 / 0)
local function same(a, b)
   return a:eq(b):add(a:ne(a):cmul(b:ne(b))):min() == 1
end
for _, m in ipairs(modules) do
   local y = m:type(of):forward(x):clone()
   local g = torch.randn(y:size()):type(of)
   local r, indices = m:updateGradInput(x, g):clone(), m.indices and m.indices:clone()
   for p = 1, 19 do
      assert(same(y[p], m:forward(x[p])) and same(r[p], m:updateGradInput(x[p], g[p])), torch.type(m) .. p)
      assert(not indices or indices:select(2, p):equal(m.indices), 'indices')
   end
end
print 'same'
"""


@pytest.mark.parametrize("kind", ["Double", "Float"])
def test_planes_are_computed_as_alone(lua: Lua, kind: str) -> None:
    assert lua(f"local of = 'torch.{kind}Tensor'" + PLANES) == "same\n"


@pytest.mark.parametrize(("height", "width"), [(3, 4), (12, 9), (12, 17), (60, 7), (41, 53)])
@pytest.mark.parametrize(
    ("layer", "mode"),
    [("Zero", "constant"), ("Reflection", "reflect"), ("Replication", "edge")],
)
def test_padding_of_planes_of_all_sizes(
    runtime: Runtime, layer: str, mode: str, height: int, width: int
) -> None:
    """Small planes are padded by a list, four at a time; rows of others are copied."""
    runtime.execute(
        f"m = nn.Spatial{layer}Padding(1, 3, 2, 0):float()\n"
        f"x = torch.range(1, 7 * {height} * {width}):float():resize(7, {height}, {width})\n"
        "y = m:forward(x)\n"
        "g = torch.range(1, y:nElement()):resize(y:size()):remainder(5):float()\n"
        "back = m:backward(x, g)"
    )
    x = np.arange(1, 7 * height * width + 1).reshape(7, height, width)
    pads = [(0, 0), (2, 0), (1, 3)]
    np.testing.assert_array_equal(np.array(runtime.eval("y")), np.pad(x, pads, mode))  # type: ignore[call-overload]
    sources = np.pad(np.arange(x.size).reshape(x.shape) + 1, pads, mode)  # type: ignore[call-overload]
    sums = np.bincount(sources.ravel(), np.array(runtime.eval("g")).ravel(), x.size + 1)[1:]
    np.testing.assert_array_equal(np.array(runtime.eval("back")), sums.reshape(x.shape))
