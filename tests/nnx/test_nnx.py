"""nnx: modules against those of nn that do the same, and by finite differences."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Lua = Callable[[str], str]


@pytest.mark.parametrize("size", ["3, 4, 5", "2, 3, 4, 5"])
def test_a_network_at_each_place(lua: Lua, size: str) -> None:
    source = f"""
    require 'nnx'
    torch.manualSeed(1)
    local inner = nn.Sequential():add(nn.Linear(3, 2)):add(nn.Tanh())
    local m = nn.SpatialClassifier(inner)
    local x = torch.randn({size})
    local plain = nn.SpatialConvolution(3, 2, 1, 1)
    plain.weight:copy(inner:get(1).weight) plain.bias:copy(inner:get(1).bias)
    print((m:forward(x) - plain:forward(x):clone():tanh()):abs():max() < 1e-12)
    print(nn.Jacobian.testJacobian(m, x) < 1e-6)
    local l = nn.SpatialLinear(3, 2)
    l.weight:copy(inner:get(1).weight) l.bias:copy(inner:get(1).bias)
    print((l:forward(x) - plain:forward(x)):abs():max() < 1e-12, tostring(l))
    """
    assert lua(source) == "true\ntrue\ntrue\tnn.SpatialLinear\n"


def test_maps_of_another_size(lua: Lua) -> None:
    source = """
    require 'nnx'
    local m = nn.SpatialReSampling{rwidth = 2, rheight = 1.5}
    local x = torch.randn(2, 4, 5)
    -- The size of the first output stays.
    print(m:forward(x):size(2), m:forward(x):size(3), m:forward(torch.randn(2, 6, 6)):size(3))
    local fixed = nn.SpatialReSampling(nil, nil, 9, 7)
    local wanted = nn.SpatialUpSamplingBilinear{oheight = 7, owidth = 9}:forward(x)
    print((fixed:forward(x) - wanted):abs():max() == 0, nn.Jacobian.testJacobian(fixed, x) < 1e-6)
    print(pcall(nn.SpatialReSampling))
    """
    out = lua(source).splitlines()
    assert out[:2] == ["6\t10\t10", "true\ttrue"] and "got neither" in out[2]


def test_dropout_of_the_first_years(lua: Lua) -> None:
    source = """
    require 'nnx'
    torch.manualSeed(1)
    local m = nn.DropoutEx(0.75)
    local x = torch.ones(4000)
    local y = m:forward(x)
    print(y:max(), math.abs(y:mean() - 0.75) < 0.03, (m:backward(x, x) - y):abs():max())
    m:evaluate()
    print(m:forward(x):min(), torch.type(nn.ConfusionMatrix(3)))
    """
    assert lua(source) == "1\ttrue\t0\n0.75\toptim.ConfusionMatrix\n"
    assert "DropoutEx: p must be a number (got 'x')" in lua("print(pcall(nn.DropoutEx, 'x'))")


def test_helpers_of_dok(lua: Lua) -> None:
    source = """
    local dok = require 'dok'
    local _, x = dok.unpack({ 3 }, 'f', 'doubles', { arg = 'x', type = 'number', help = 'a number' })
    print(x, type(dok.usage))
    """
    assert lua(source) == "3\tfunction\n"


def test_resampling_takes_gradients_of_another_size(lua: Lua) -> None:
    # Weights of the interpolation from 3 to 5 rows and to 4 columns, summed over the outputs.
    program = """
    require 'nnx'
    local m, x = nn.SpatialReSampling(2, 2), torch.rand(1, 3, 3)
    m:forward(x)
    local g = m:updateGradInput(x, torch.ones(1, 5, 4))
    local rows, columns = torch.Tensor{1.5, 2, 1.5}, torch.Tensor{4 / 3, 4 / 3, 4 / 3}
    print((g[1] - torch.ger(rows, columns)):abs():max() < 1e-6)"""
    assert lua(program) == "true\n"
