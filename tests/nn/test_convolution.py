"""Convolutions beyond what holds for all layers: sharing, old fields, forms of arguments, errors."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Lua = Callable[[str], str]


@pytest.fixture(autouse=True)
def _nn(lua: Lua) -> None:
    lua("require 'nn'")


BITS = """
local function bits(make, ...)
   torch.manualSeed(1)
   local m, x = make():float(), torch.FloatTensor(...):normal()
   local results = {}
   for _, threads in ipairs{1, 2, 5, 1} do
      torch.setnumthreads(threads)
      m:zeroGradParameters()
      local y = m:forward(x)
      local g = y:clone():fill(0.5):cmul(y)
      local r = { y:clone(), m:backward(x, g):clone() }
      local _, d = m:parameters()
      for i = 1, d and #d or 0 do r[#r + 1] = d[i]:clone() end
      results[#results + 1] = r
   end
   torch.setnumthreads(torch.getnumcores())
   local same = true
   for _, r in ipairs(results) do
      for i = 1, #r do same = same and r[i]:eq(results[1][i]):all() end
   end
   print(same)
end
"""


@pytest.mark.parametrize(
    "layer, size",
    [
        ("SpatialConvolution(3, 16, 5, 5)", "8, 3, 32, 32"),
        ("SpatialConvolution(16, 24, 3, 3, 1, 1, 1, 1)", "5, 16, 14, 14"),
        ("SpatialFullConvolution(8, 6, 4, 4, 2, 2, 1, 1)", "6, 8, 10, 10"),
        ("SpatialConvolution(32, 32, 3, 3)", "12, 32, 6, 6"),
        ("SpatialConvolution(32, 40, 3, 3, 1, 1, 1, 1)", "3, 32, 17, 19"),
        ("SpatialConvolution(96, 98, 3, 3, 1, 1, 1, 1)", "5, 96, 14, 14"),
        ("SpatialFullConvolution(40, 32, 3, 3)", "2, 40, 20, 20"),
        ("SpatialConvolution(64, 300, 3, 3, 2, 2, 1, 1)", "1, 64, 14, 14"),
        ("SpatialConvolution(16, 32, 5, 5)", "16, 14, 14"),
        ("SpatialConvolution(3, 16, 7, 7, 2, 2, 3, 3)", "1, 3, 60, 60"),
        ("SpatialFullConvolution(16, 8, 4, 4, 2, 2)", "1, 16, 20, 20"),
        ("VolumetricConvolution(16, 24, 3, 3, 3, 1, 1, 1, 1, 1, 1)", "2, 16, 6, 20, 20"),
        ("SpatialDepthWiseConvolution(24, 2, 3, 3, 1, 1, 1, 1)", "4, 24, 28, 28"),
        ("SpatialDepthWiseConvolution(32, 1, 3, 3, 2, 2, 1, 1)", "32, 56, 56"),
        ("TemporalRowConvolution(64, 5)", "8, 100, 64"),
        ("SpatialUpSamplingBilinear(2)", "8, 16, 28, 28"),
        ("SpatialMaxPooling(3, 3, 2, 2)", "8, 16, 28, 28"),
        ("SpatialAveragePooling(2, 2, 2, 2)", "8, 16, 28, 28"),
        ("SpatialBatchNormalization(16)", "8, 16, 28, 28"),
        ("BatchNormalization(200)", "64, 200"),
        ("SpatialCrossMapLRN(5)", "8, 16, 14, 14"),
    ],
)
def test_results_are_the_same_bits_for_any_number_of_threads(lua: Lua, layer: str, size: str) -> None:
    assert lua(f"{BITS} bits(function() return nn.{layer} end, {size})") == "true\n"


@pytest.mark.parametrize(
    "layer, size",
    [
        ("SpatialConvolution(16, 32, 5, 5)", "16, 14, 14"),
        ("SpatialConvolution(3, 16, 7, 7, 2, 2, 3, 3)", "3, 60, 60"),
        ("SpatialConvolution(40, 64, 1, 1)", "40, 20, 20"),
        ("SpatialConvolution(48, 300, 3, 3, 2, 2, 1, 1)", "48, 15, 15"),
        ("SpatialConvolution(32, 40, 3, 3, 1, 1, 1, 1)", "32, 33, 30"),
        ("SpatialConvolution(20, 30, 5, 1)", "20, 20, 20"),
        ("SpatialFullConvolution(16, 8, 4, 4, 2, 2)", "16, 20, 20"),
        ("VolumetricConvolution(4, 8, 3, 3, 3)", "4, 9, 10, 11"),
    ],
)
def test_large_images_alone_and_in_batches(lua: Lua, layer: str, size: str) -> None:
    """One large image is worked on in another way than those of a batch."""
    assert (
        lua(
            f"torch.manualSeed(2) local m, x = nn.{layer}, torch.randn({size})\n"
            "local function run(x, g)\n"
            "   m:zeroGradParameters()\n"
            "   local y = m:forward(x)\n"
            "   g = g or y:clone():copy(torch.range(1, y:nElement()):sin())\n"
            "   local r = m:backward(x, g)\n"
            "   return { y:clone(), r:clone(), m.gradWeight:clone(), m.gradBias:clone() }, g\n"
            "end\n"
            "local one, g = run(x)\n"
            "local function twice(t) return torch.cat(t:view(1, unpack(t:size():totable())),\n"
            "   t:view(1, unpack(t:size():totable())), 1) end\n"
            "local two = run(twice(x), twice(g))\n"
            "local function far(a, b) return (a - b):abs():max() > 1e-9 end\n"
            "print(far(one[1], two[1][1]), far(one[1], two[1][2]), far(one[2], two[2][2]),\n"
            "   far(one[3] * 2, two[3]), far(one[4] * 2, two[4]))"
        )
        == "false\tfalse\tfalse\tfalse\tfalse\n"
    )


def test_a_second_input_tells_the_size_of_a_transposed_convolution(lua: Lua) -> None:
    assert (
        lua(
            "local m = nn.SpatialFullConvolution(1, 1, 3, 3, 2, 2)\n"
            "m.weight:fill(1) m.bias:zero()\n"
            "local x, target = torch.ones(1, 2, 2), torch.ones(4, 6, 5)\n"
            "print(table.concat(m:forward{x, target}:size():totable(), 'x'))\n"
            "local r = m:backward({x, target}, torch.ones(1, 6, 5))\n"
            "print(r[1]:sum(), r[2]:sum(), r[2]:isSameSizeAs(target), m.gradBias[1])\n"
            "print(m:forward{x, torch.ones(5, 5)}:sum(), m:forward(x):size(3))\n"
            "print(table.concat(m:forward{x, torch.ones(7, 7)}:size():totable(), 'x'))\n"
            "print((select(2, pcall(m.forward, m, {x, torch.ones(7)})):gsub('^test:9: ', '')))"
        )
        == "1x6x5\n36\t0\ttrue\t30\n36\t5\n1x5x5\n"
        "SpatialFullConvolution(1 -> 1, 3x3, 2,2): second input must have 2 dimensions or more "
        "(got DoubleTensor [7])\n"
    )


def test_networks_of_older_versions_are_repaired_when_read(lua: Lua) -> None:
    assert (
        lua(
            "local m = nn.SpatialConvolution(2, 3, 2, 2)\n"
            "m.weight, m.gradWeight = m.weight:view(3, 8), m.gradWeight:view(3, 8)\n"
            "m.padW, m.padH, m.dW, m.padding = nil, nil, nil, 1\n"
            "local p = nn.SpatialMaxPooling(2, 2)\n"
            "p.padW, p.padH, p.ceil_mode, p.indices = nil\n"
            "local b = nn.SpatialBatchNormalization(3)\n"
            "b.running_var, b.running_std = nil, torch.Tensor{0.5, 1, 2}\n"
            "local f = nn.SpatialFullConvolution(3, 1, 2, 2)\n"
            "f.adjW, f.adjH = nil\n"
            "local s = torch.deserialize(torch.serialize(nn.Sequential():add(m):add(b):add(p):add(f)))\n"
            "print(s:get(1), s:get(1).weight:dim(), s:get(3), s:get(3).ceil_mode, s:get(4))\n"
            "print(s:forward(torch.ones(2, 2, 3, 3)):dim(), s:get(2).running_var[1] > 0)\n"
            "s:evaluate()\n"
            "local fresh = torch.deserialize(torch.serialize(b))\n"
            "print(('%.5f %.5f'):format(fresh.running_var[1], fresh.running_var[3]))"
        )
        == "nn.SpatialConvolution(2 -> 3, 2x2, 1,1, 1,1)\t4\tnn.SpatialMaxPooling(2x2, 2,2)\tfalse\t"
        "nn.SpatialFullConvolution(3 -> 1, 2x2)\n4\ttrue\n3.99999 0.24999\n"
    )


def test_no_bias_and_gradients_of_programs(lua: Lua) -> None:
    assert (
        lua(
            "local m = nn.SpatialConvolution(1, 2, 2, 2):noBias()\n"
            "m.weight:fill(1)\n"
            "print(m, m:forward(torch.ones(1, 3, 3)):sum(), #m:parameters())\n"
            "m.gradInput = nil\n"
            "m:zeroGradParameters()\n"
            "print(m:backward(torch.ones(1, 3, 3), torch.ones(2, 2, 2)), m.gradWeight:sum())\n"
            # Gradients in views with other strides.
            "m.gradWeight = torch.zeros(2, 2, 1, 2):transpose(1, 4)\n"
            "m:accGradParameters(torch.ones(1, 3, 3), torch.ones(2, 2, 2), 0.25)\n"
            "print(m.gradWeight:sum())"
        )
        == "nn.SpatialConvolution(1 -> 2, 2x2) without bias\t32\t1\nnil\t32\n8\n"
    )


@pytest.mark.parametrize(
    "layer, size",
    [
        ("SpatialFullConvolution(64, 32, 4, 4, 2, 2, 1, 1)", "8, 64, 16, 16"),
        ("SpatialFullConvolution(12, 5, 3, 2, 2, 3, 1, 0, 1, 2)", "7, 12, 5, 6"),
        ("SpatialFullConvolution(4, 3, 2, 2, 2, 2)", "4, 30, 31"),
        ("SpatialFullConvolution(3, 2, 4, 4, 2, 2):noBias()", "5, 3, 8, 8"),
        ("SpatialFullConvolution(32, 32, 3, 3)", "6, 32, 16, 16"),
        ("VolumetricFullConvolution(6, 4, 2, 3, 3, 2, 2, 2)", "3, 6, 4, 5, 5"),
    ],
)
@pytest.mark.parametrize("type_name", ["double", "float"])
def test_both_gradients_at_once_are_those_of_two_calls(
    lua: Lua, layer: str, size: str, type_name: str
) -> None:
    assert (
        lua(
            f"local m = nn.{layer}:{type_name}()\n"
            f"local x = torch.randn({size}):{type_name}()\n"
            "local g = m:forward(x):clone():transpose(1, 2):clone():transpose(1, 2):cmul(m.output)\n"
            "local other = m:clone()\n"
            "m:zeroGradParameters() other:zeroGradParameters()\n"
            "local r = m:backward(x, g, 0.25)\n"
            "other:updateGradInput(x, g)\n"
            "other:accGradParameters(x, g, 0.25)\n"
            "local _, a = m:parameters()\n"
            "local _, b = other:parameters()\n"
            "local same = r == m.gradInput and r:equal(other.gradInput)\n"
            "a, b = a or { m.gradWeight }, b or { other.gradWeight }\n"
            "for i = 1, #a do same = same and a[i]:ne(0):any() and a[i]:equal(b[i]) end\n"
            "print(same, r:ne(0):any())"
        )
        == "true\ttrue\n"
    )


def test_replaced_methods_of_a_transposed_convolution_are_called(lua: Lua) -> None:
    """Programs freeze a layer so; the gradient of the input may also lie where that of the output does."""
    assert (
        lua(
            "local m = nn.SpatialFullConvolution(2, 3, 2, 2, 2, 2)\n"
            "local x = torch.randn(2, 2, 4, 4)\n"
            "local g = m:forward(x):clone():fill(1)\n"
            "m:zeroGradParameters()\n"
            "m.accGradParameters = function() end\n"
            "local r = m:backward(x, g):clone()\n"
            "print(m.gradWeight:eq(0):all(), r:equal(m:updateGradInput(x, g)))\n"
            "m.accGradParameters = nil\n"
            "m.updateGradInput = function(self) return self.gradInput:zero() end\n"
            "print(m:backward(x, g):eq(0):all(), m.gradBias[1])\n"
            "m.updateGradInput = nil\n"
            "m.gradInput = torch.Tensor(g:storage(), 1, x:size())\n"
            "print(m:backward(x, g):equal(r))"
        )
        == "true\ttrue\ntrue\t128\ntrue\n"
    )


def test_steps_without_gradient_buffers(lua: Lua) -> None:
    assert (
        lua(
            "local m = nn.TemporalConvolution(1, 1, 1)\n"
            "m.weight:fill(1) m.bias:fill(0)\n"
            "local x = torch.ones(3, 1)\n"
            "m:forward(x)\n"
            "m:backwardUpdate(x, torch.ones(3, 1), 0.1)\n"
            "print(('%.2f %.2f'):format(m.weight[1][1], m.bias[1]))"
        )
        == "0.70 -0.30\n"
    )


@pytest.mark.parametrize(
    "code, message",
    [
        (
            "nn.SpatialConvolution(3, 4, 5, 5):forward(torch.ones(3, 4, 9))",
            "gives an output of 0 (got DoubleTensor [3x4x9])",
        ),
        ("nn.SpatialConvolution(3, 4, 1, 1):forward(torch.ones(2, 4, 9))", "input must have 3 planes"),
        ("nn.TemporalConvolution(2, 4, 3):forward(torch.ones(2, 2))", "must have at least 3 frames"),
        (
            "local m = nn.SpatialConvolution(1, 1, 2, 2) m.kW = 3 m:forward(torch.ones(1, 4, 4))",
            "weight must have 6 elements",
        ),
        (
            "local m = nn.SpatialConvolution(1, 1, 2, 2) m.dW = 0 m:forward(torch.ones(1, 4, 4))",
            "dW must be a whole number from 1 to 2147483647 (got 0)",
        ),
        (
            "local m = nn.SpatialConvolution(1, 1, 2, 2) m.padW = -1 m:forward(torch.ones(1, 4, 4))",
            "padW must be a whole number from 0 to 2147483647 (got -1)",
        ),
        (
            "local m = nn.SpatialConvolutionMM(1, 1, 1, 1) m.bias = m.bias.new(2)\n"
            "m:forward(torch.ones(1, 3, 3))",
            "bias must have 1 elements",
        ),
        (
            "nn.SpatialFullConvolution(1, 1, 2, 2, 1, 1, 0, 0, 1, 0)",
            "adjW and adjH must be less than dW and dH (got 1, 0)",
        ),
        (
            "nn.SpatialConvolutionMap(torch.Tensor{{2, 1}}, 2, 2):forward(torch.ones(1, 3, 3))",
            "input must have at least 2 planes",
        ),
        (
            "local m = nn.SpatialConvolutionMap(torch.Tensor{{1, 1}, {2, 1}}, 2, 2) m.connTable[1][1] = 3\n"
            "m:forward(torch.ones(2, 3, 3))",
            "whole numbers from 1 to 2 in column 1 (got 3)",
        ),
        (
            "nn.SpatialConvolutionLocal(1, 1, 4, 4, 2, 2):forward(torch.ones(1, 5, 4))",
            "input must be of size 1x4x4, or a batch",
        ),
        ("nn.tables.random(2, 3, 4)", "inputs of an output must be from 1 to 2 (got 4)"),
        (
            "nn.SpatialConvolution(1, 1, 2, 2):forward('x')",
            "input must be a DoubleTensor or FloatTensor (got",
        ),
    ],
)
def test_wrong_calls_say_what_was_expected(lua: Lua, code: str, message: str) -> None:
    assert message in lua(f"print(select(2, pcall(function() {code} end)))")
