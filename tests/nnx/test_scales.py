"""Pyramids, foveas and packed scales: by the same networks run scale by scale, and by finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import LuaError, Runtime
from tests.runtimes import array, runtime_fixture

from ..nn.module_records import SET_UP

SOURCE = """
    nnx = require 'nnx'
    require 'image'
    torch.manualSeed(3)
    function conv(from, to, k, d) return nn.SpatialConvolution(from, to, k, k, d, d) end
    function pyramid(...)
       return nn.SpatialPyramid({1, 2}, {conv(2, 3, 3), conv(2, 1, 3)}, 3, 3, 1, 1, ...)
    end
    function fovea(fov, sub, ratios, bilinear)
       return nn.SpatialFovea{nInputPlane = 2, ratios = ratios or {1, 2}, fov = fov, sub = sub,
          bilinear = bilinear, processors = {conv(2, 3, fov, sub), conv(2, 1, fov, sub)},
          preProcessors = {nil, nn.Tanh()}}
    end
    function deep(options)
       options.nInputPlane, options.nRecursivePlane, options.ratios, options.fov = 2, 1, {1, 2}, 3
       options.verbose, options.processors = false, {conv(3, 1, 3), conv(3, 1, 3)}
       return nn.SpatialRecursiveFovea(options)
    end
    function focused(m, ...)
       m:focus(...)
       return m
    end
    layers = nn.Sequential():add(conv(2, 3, 3)):add(nn.Tanh())
       :add(nn.SpatialMaxPooling(2, 2, 2, 2)):add(conv(3, 2, 2))
    -- Weights of a network that are means, so that results are easy to foresee.
    function mean(m)
       m.weight:fill(1 / (m.kW * m.kH * m.nInputPlane))
       m.bias:zero()
       return m
    end
"""
lua = runtime_fixture(SET_UP, SOURCE)

IMAGE, OTHER = "t(2, 4, 6)", "t(2, 8, 4)"
MODULES = {
    "pyramid()": (IMAGE, OTHER, "t(2, 4, 3)"),
    "focused(pyramid(), 3, 2)": (IMAGE, OTHER, "t(2, 1, 1)"),
    "focused(pyramid(), 1, 4, 2, 3)": (IMAGE, OTHER, "t(2, 4, 3)"),
    "fovea(3)": ("t(2, 4, 6)", OTHER, "t(3, 4, 4)"),
    "nn.PyramidPacker(layers, {1, 0.5, 0.25, 1.5})": ("t(2, 12, 16)", "t(1, 9, 8)", "t(3, 4)"),
}


@pytest.mark.parametrize("make", MODULES)
def test_what_holds_for_all_modules(lua: Runtime, make: str) -> None:
    x, other, wrong = MODULES[make]
    options = "{any = true}" if "fovea" not in make else "{}"
    lua.execute(f"failures = checks(function() return {make} end, {x}, {other}, {wrong}, {options})")
    assert lua.eval("table.concat(failures, '; ')") == ""


def test_pyramid_of_means(lua: Runtime) -> None:
    """Each scale by hand: blocks of means, zeros around them, the network, blocks of its outputs."""
    lua.execute("""
        first, second = conv(2, 3, 3), conv(2, 2, 3)
        p = nn.SpatialPyramid({1, 2}, {first, second}, 3, 3, 1, 1)
        x = t(2, 4, 6)
        y = p:forward(x)
        local frame, means = nn.SpatialZeroPadding(1, 1, 1, 1), nn.SpatialAveragePooling(2, 2, 2, 2)
        one = first:forward(frame:forward(x)):clone()
        local two = second:forward(frame:forward(means:forward(x)))
        two = nn.SpatialUpSamplingNearest(2):forward(two)
        same = y[1]:equal(one) and (y[2] - two):abs():max() < 1e-12
        text, count = tostring(p), #p:parameters()
        -- In focus: a 3 x 3 window, and one of 6 x 6 pixels around the same pixel.
        p:focus(4, 2)
        local z = p:forward(x)
        near = (z[1]:view(-1) - one[{ {}, 2, 4 }]):abs():max() < 1e-12
        local window = nn.SpatialZeroPadding(0, 0, 1, 1):forward(x):narrow(3, 2, 5)
        window = nn.SpatialZeroPadding(0, 1, 0, 0):forward(window)
        far = (z[2] - second:forward(means:forward(window))):abs():max() < 1e-12
        focused_text = tostring(p)
        p:focus()
        back = p:forward(x)[1]:equal(one)
    """)
    assert lua.eval("same and near and far and back") is True
    assert lua.eval("count") == 4 and lua.eval("text:match('%((%a+)%)')") == "unfocused"
    assert lua.eval("focused_text:match('%((%a+)%)')") == "focused"


def test_a_fovea_by_hand(lua: Runtime) -> None:
    """The outputs at each scale, one behind the other; in focus those of a window."""
    lua.execute("""
        x = t(1, 4, 4)
        f = nn.SpatialFovea(1, {1, 2}, {conv(1, 1, 1), conv(1, 1, 1)}, nil, 1)
        -- The networks are drawn anew.
        for _, net in ipairs(f.processors) do mean(net) end
        y = f:forward(x):clone()
        f:focus(3, 2)
        one = f:forward(x):clone()
        back = f:backward(x, torch.ones(2, 1, 1)):clone()
        s = nn.SpatialFovea{nInputPlane = 1, ratios = {2}, processors = {conv(1, 1, 1)}, bilinear = true}
        mean(s.processors[1])
        smooth = s:forward(x)
        count = #f:parameters()
    """)
    x = array(lua, "x")
    blocks = x.reshape(1, 2, 2, 2, 2).mean((2, 4))
    np.testing.assert_allclose(array(lua, "y"), np.stack([x[0], blocks[0].repeat(2, 0).repeat(2, 1)]))
    np.testing.assert_allclose(array(lua, "one").ravel(), [x[0, 1, 2], blocks[0, 0, 1]])
    wanted = np.zeros((4, 4))
    wanted[:2, 2:] = 0.25
    wanted[1, 2] += 1
    np.testing.assert_allclose(array(lua, "back")[0], wanted)
    # Corners stay corners when the size changes by interpolation.
    assert array(lua, "smooth").shape == (1, 4, 4) and lua.eval("count") == 4
    assert lua.eval("smooth[1][4][4]") == pytest.approx(x[0, 3, 3])


def test_a_recursive_fovea_by_hand(lua: Runtime) -> None:
    """The smallest scale first; each sees the output before it; the losses of all scales are one."""
    lua.execute("""
        x = t(2, 6, 8)
        f = deep{criterions = {nn.MSECriterion(), nn.MSECriterion()}}
        local small, large = f.processors[1], f.processors[2]
        y, none = f:updateOutput(x)
        y = y:clone()
        local frame = nn.SpatialZeroPadding(1, 1, 1, 1)
        local half = nn.SpatialAveragePooling(2, 2, 2, 2):forward(x)
        local zeros = torch.zeros(1, 3, 4)
        local first = small:clone():forward(frame:forward(torch.cat(half, zeros, 1)))
        local up = nn.SpatialUpSamplingNearest(2):forward(first)
        wanted = large:clone():forward(frame:forward(torch.cat(x, up, 1)))
        target = t(1, 6, 8):cos()
        local _, loss = f:updateOutput(x, target)
        local parts = nn.MSECriterion():forward(wanted, target)
           + nn.MSECriterion():forward(first, image.scale(target, 4, 3, 'simple'))
        -- Simple scaling passes elements through floats.
        same = math.abs(loss - parts / 2) < 1e-7
        back = f:backward(x)
        f:decayParameters(0.5)
        text = tostring(f)
    """)
    np.testing.assert_allclose(array(lua, "y"), array(lua, "wanted"))
    assert lua.eval("none") == 0 and lua.eval("same") is True and array(lua, "back").shape == (2, 6, 8)
    assert "number of recursion stages : 2" in lua.eval("text")


def test_packed_scales_are_those_of_single_runs(lua: Runtime) -> None:
    lua.execute("""
        scales, x = {0.4, 1, 0.75, 0.5, 1.2}, torch.rand(2, 20, 24)
        packer, unpacker = nn.PyramidPacker(layers, scales), nn.PyramidUnPacker(layers)
        packed, coordinates = packer:forward(x)
        maps = layers:forward(packed)
        parts = unpacker:forward(maps, coordinates)
        worst, free = 0, packed:clone():fill(1)
        for i, s in ipairs(scales) do
           local w, h = math.floor(24 * s), math.floor(20 * s)
           local c = coordinates[i]
           local one = image.scale(x, w, h)
           local place = packed:narrow(2, c[2], h):narrow(3, c[1], w)
           worst = math.max(worst, (place - one):abs():max(),
              (parts[i] - layers:clone():forward(one)):abs():max())
           -- No two images have a pixel in common.
           local marks = free:narrow(2, c[2], h):narrow(3, c[1], w)
           worst = math.max(worst, 1 - marks:min())
           marks:zero()
        end
        rest = packed:clone():cmul(free):abs():max()
        steps = packer.step_width == 2 and packer.step_height == 2
           and unpacker.width == 6 and unpacker.height == 6
        g = {}
        for i, part in ipairs(parts) do g[i] = part:clone():fill(i) end
        back = unpacker:backward(maps, g)
        sum, table_form = back:sum(), unpacker:forward{maps, coordinates}[1]:equal(parts[1])
        wanted = 0
        for i, part in ipairs(parts) do wanted = wanted + i * part:nElement() end
        f = nn.PyramidPacker(layers, scales):float()
        kind = f:forward(x:float()):type() .. f.coordinates:type()
    """)
    assert lua.eval("worst") < 1e-6 and lua.eval("rest") == 0
    assert lua.eval("steps and table_form") is True and lua.eval("sum") == pytest.approx(lua.eval("wanted"))
    assert lua.eval("kind") == "torch.FloatTensortorch.LongTensor"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nn.SpatialPyramid({1, 2}, {conv(2, 2, 3)}, 3, 3)", "got 2 ratios and 1 processors"),
        ("nn.SpatialPyramid({1}, {conv(2, 2, 3)})", "kW must be a number"),
        ("pyramid():forward(t(2, 4, 5))", r"multiples of 2 \(got DoubleTensor \[2x4x5\]\)"),
        ("nn.SpatialFovea(2, {1}, {}, nil, 3)", "got 1 ratios and 0 processors"),
        ("fovea(3):forward(t(3, 4, 4))", "input must be 2 maps"),
        ("deep{}:backward(t(2, 4, 4))", "backward needs criterions"),
        ("deep{criterions = {nn.MSECriterion()}}", "criterions must be a list of 2"),
        ("nn.PyramidPacker(layers)", "needs network, scales"),
        ("nn.PyramidPacker(layers, {0})", "scale 1 must be a number above 0"),
        ("nn.PyramidPacker(layers, {0.01}):forward(t(2, 4, 4))", "has no pixels at scale 0.01"),
        ("nn.PyramidPacker(nn.SpatialConvolution(2, 2, 3, 3, 1, 1, 1, 1), {1})", "layers without padding"),
        ("nn.PyramidPacker(nn.ConcatTable():add(layers):add(layers), {1})", "modules in a row"),
        ("nn.PyramidUnPacker(layers):forward(t(2, 3, 3), t(2, 3))", "scales x 4"),
        (
            "nn.PyramidUnPacker(layers):forward(t(2, 3, 3), torch.ones(1, 4))",
            "at least 6 x 6, what an output sees",
        ),
        (
            "nn.PyramidUnPacker(layers):forward(t(2, 3, 3), torch.Tensor{{1, 1, 40, 40}})",
            "must be those of the packer",
        ),
        ("nn.PyramidUnPacker(layers):backward(t(2, 3, 3), {})", "backward called before forward"),
    ],
)
def test_wrong_calls(lua: Runtime, source: str, message: str) -> None:
    with pytest.raises(LuaError, match=message):
        lua.execute(source)
