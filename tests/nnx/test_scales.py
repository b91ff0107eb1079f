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
    function deep(fov, sub)
       local nets = {conv(3, 2, fov, sub), conv(4, 1, fov, sub), conv(2, 2, fov, sub)}
       return nn.SpatialRecursiveFovea(2, {1, 2, 4}, nets, {nn.Tanh()}, fov, sub)
    end
    function focused(m, ...) return m:focus(...) end
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
    "focused(pyramid(), 1, 4, 2, 3)": (IMAGE, OTHER, "t(2, 2, 2)"),
    "pyramid(nil, nil, nil, nil, true)": (
        "{t(2, 4, 8), t(2, 2, 4):cos()}",
        "{t(2, 6, 4), t(2, 3, 2)}",
        "t(2, 4, 8)",
    ),
    "focused(pyramid(nil, nil, nil, nil, true), 3, 2)": (
        "{t(2, 4, 8), t(2, 2, 4):cos()}",
        "{t(2, 6, 4), t(2, 3, 2)}",
        "{t(2, 4, 8)}",
    ),
    "fovea(3)": ("t(2, 5, 7)", OTHER, "t(3, 4, 4)"),
    "fovea(4, 2)": ("t(2, 8, 9)", OTHER, "t(2, 4)"),
    "fovea(3, 1, {1, 3}, true)": ("t(2, 5, 7)", OTHER, "t(2, 2, 2)"),
    "focused(fovea(3), 4, 4)": ("t(2, 5, 7)", OTHER, "t(2, 3, 3)"),
    "focused(fovea(4, 2), 3, 1, 2, 3)": ("t(2, 8, 9)", OTHER, "t(2, 8, 2)"),
    "deep(3)": ("t(2, 5, 8)", OTHER, "t(2, 2, 9)"),
    "focused(deep(3), 2, 4)": ("t(2, 5, 8)", OTHER, "t(2, 3, 9)"),
    "nn.PyramidPacker(layers, {1, 0.5, 0.25, 1.5})": ("t(2, 12, 16)", "t(1, 9, 8)", "t(3, 4)"),
}


@pytest.mark.parametrize("make", MODULES)
def test_what_holds_for_all_modules(lua: Runtime, make: str) -> None:
    x, other, wrong = MODULES[make]
    any_type = "{any = true}" if "Packer" in make else "{}"
    lua.execute(f"failures = checks(function() return {make} end, {x}, {other}, {wrong}, {any_type})")
    assert lua.eval("table.concat(failures, '; ')") == ""


def test_pyramid_of_means(lua: Runtime) -> None:
    """Each scale by hand: blocks of means, zeros around them, the network, blocks of its outputs."""
    lua.execute("""
        first, second = conv(2, 3, 3), conv(2, 2, 3)
        p = nn.SpatialPyramid({1, 2}, {first, second}, 3, 3)
        x = t(2, 4, 6)
        y = p:forward(x)
        local frame, means = nn.SpatialZeroPadding(1, 1, 1, 1), nn.SpatialAveragePooling(2, 2, 2, 2)
        one = first:forward(frame:forward(x)):clone()
        local two = second:forward(frame:forward(means:forward(x)))
        two = nn.SpatialUpSamplingNearest(2):forward(two)
        same = y[1]:equal(one) and (y[2] - two):abs():max() < 1e-12
        text, count = tostring(p), #p:parameters()
        -- In focus: a 3 x 3 window, and one of 6 x 6 pixels around the same pixel.
        local z = p:focus(4, 2):forward(x)
        near = (z[1]:view(-1) - one[{ {}, 2, 4 }]):abs():max() < 1e-12
        local window = nn.SpatialZeroPadding(0, 0, 1, 1):forward(x):narrow(3, 2, 5)
        window = nn.SpatialZeroPadding(0, 1, 0, 0):forward(window)
        far = (z[2] - second:forward(means:forward(window))):abs():max() < 1e-12
        focused_text = tostring(p)
        back = p:focus():forward(x)[1]:equal(one)
    """)
    assert lua.eval("same and near and far and back") is True
    assert lua.eval("count") == 4 and lua.eval("text:match('%((%a+)%)')") == "unfocused"
    assert lua.eval("focused_text:match('%((%a+)%)')") == "focused"


def test_a_pyramid_learns_in_both_modes(lua: Runtime) -> None:
    """Both pipelines have the same processors: a step moves each weight once."""
    lua.execute("""
        p, x = pyramid(), t(2, 4, 4)
        moved = {}
        for _, at in ipairs{{}, {2, 3}} do
           p:focus(at[1], at[2])
           p:zeroGradParameters()
           local y = p:forward(x)
           p:backward(x, {y[1]:clone():fill(1), y[2]:clone():fill(1)})
           local w, g = p.processors[1].bias:clone(), p.processors[1].gradBias:clone()
           p:updateParameters(0.5)
           moved[#moved + 1] = (w - g * 0.5 - p.processors[1].bias):abs():max()
              + math.abs(g:sum() - 3 * y[1][1]:nElement())
        end
        p:evaluate()
        mode = p.processors[2].train
        flat = p:getParameters():nElement()
    """)
    assert lua.eval("moved[1] < 1e-9 and moved[2] < 1e-9") is True
    assert lua.eval("mode") is False and lua.eval("flat") == 3 * 19 + 19


@pytest.mark.parametrize(
    ("fov", "sub", "size"), [(3, 1, (8, 8)), (4, 2, (8, 12)), (5, 2, (8, 8)), (3, 1, (7, 9))]
)
def test_foveas_see_the_same_in_focus(lua: Runtime, fov: int, sub: int, size: tuple[int, int]) -> None:
    """The outputs for a pixel are those of the whole image, where ratios divide its size."""
    height, width = size
    lua.execute(f"""
        worst = 0
        for _, f in ipairs{{fovea({fov}, {sub}), deep({fov}, {sub})}} do
           local x = t(2, {height}, {width})
           local whole = f:forward(x)
           whole = torch.isTensor(whole) and {{whole:clone()}} or {{whole[1]:clone(), whole[2]:clone()}}
           for y = 1, {height} do
              for c = 1, {width} do
                 local one = f:focus(c, y):forward(x)
                 one = torch.isTensor(one) and {{one}} or one
                 for i = 1, #one do
                    if i == 1 or {height} % 2 == 0 then
                       local wanted = whole[i][{{ {{}}, math.ceil(y / {sub}), math.ceil(c / {sub}) }}]
                       worst = math.max(worst, (one[i]:view(-1) - wanted):abs():max())
                    end
                 end
              end
           end
           local two = f:focus({sub} + 1, 1, 2, 3):forward(x)
           two = torch.isTensor(two) and two or two[1]
           worst = math.max(worst, (two - whole[1]:narrow(3, 2, 2):narrow(2, 1, 3)):abs():max())
           f:focus()
        end
    """)
    assert lua.eval("worst") < 1e-12


def test_foveas_by_hand(lua: Runtime) -> None:
    lua.execute("""
        x = t(1, 4, 4)
        f = nn.SpatialFovea(1, {1, 2}, {mean(conv(1, 1, 1)), mean(conv(1, 1, 1))}, nil, 1)
        y = f:forward(x)
        smooth = nn.SpatialFovea{nInputPlane = 1, ratios = {2}, processors = {mean(conv(1, 1, 1))}, fov = 1,
           bilinear = true}:forward(x)
        r = nn.SpatialRecursiveFovea(1, {1, 2}, {mean(conv(2, 1, 1)), mean(conv(1, 1, 1))}, nil, 1)
        z = r:forward(x)
        text = tostring(f:focus(2, 3))
        r:decayParameters(0.5)
        left = r.processors[1].weight:sum()
        r:reset()
        moved = r.processors[1].weight:sum() ~= left
    """)
    x = array(lua, "x")
    blocks = x.reshape(1, 2, 2, 2, 2).mean((2, 4))
    large = blocks.repeat(2, 1).repeat(2, 2)
    np.testing.assert_allclose(array(lua, "y[1]"), x)
    np.testing.assert_allclose(array(lua, "y[2]"), large)
    np.testing.assert_allclose(array(lua, "z"), (x + large) / 2)
    # Corner to corner, the elements between are on the line.
    steps = np.array([[1, 0], [2 / 3, 1 / 3], [1 / 3, 2 / 3], [0, 1]])
    np.testing.assert_allclose(array(lua, "smooth[1]")[0], steps @ blocks[0] @ steps.T)
    assert lua.eval("text") == "nn.SpatialFovea(1 2, fov 1, sub 1, focused on 2, 3)"
    assert lua.eval("left") == 0.5 and lua.eval("moved") is True


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
    assert lua.eval("worst") < 1e-12 and lua.eval("rest") == 0
    assert lua.eval("steps and table_form") is True and lua.eval("sum") == pytest.approx(lua.eval("wanted"))
    assert lua.eval("kind") == "torch.FloatTensortorch.LongTensor"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nn.SpatialPyramid({1, 2}, {conv(2, 2, 3)}, 3, 3)", "got 2 ratios and 1 processors"),
        ("nn.SpatialPyramid({1}, {conv(2, 2, 3)})", "kW must be a number"),
        ("nn.SpatialPyramid({0.5}, {conv(2, 2, 3)}, 3, 3)", "ratio 1 must be a whole number of at least 1"),
        ("pyramid():forward(t(2, 4, 5))", r"multiples of 2 \(got DoubleTensor \[2x4x5\]\)"),
        ("pyramid():focus(9, 1):forward(t(2, 4, 8))", r"pixel of the image of 4 x 8 \(got x 9 and y 1\)"),
        ("pyramid():focus(0, 1)", "x must be a whole number of at least 1"),
        ("pyramid(nil, nil, nil, nil, true):forward{t(2, 4, 4)}", r"input\[2\] must be a torch.DoubleTensor"),
        ("pyramid():backward(t(2, 4, 4), t(3))", "gradOutput must be a table"),
        ("fovea(1, 2)", "fov must be at least sub, 2"),
        ("nn.SpatialFovea(2, {1}, {}, nil, 3)", "got 1 ratios and 0 processors"),
        ("nn.SpatialFovea(2, {1}, {3}, nil, 3)", "argument 1 must be a module"),
        ("fovea(3):forward(t(3, 4, 4))", "input must be 2 maps"),
        ("fovea(3):focus(1, 5):forward(t(2, 4, 4))", "pixel of the image of 4 x 4"),
        ("fovea(3):forward(t(2, 1, 1))", "image is too small for the ratio 2"),
        (
            "nn.SpatialRecursiveFovea(2, {2, 1}, {conv(3, 2, 3), conv(2, 1, 3)}, nil, 3)",
            "ratios must be ascending",
        ),
        ("deep(3):decayParameters('half')", "decay must be a number"),
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
