"""Objects have the fields that methods of Torch7 read, and objects of Torch7 work without others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Run

Lua = Callable[[str], str]


def test_objects_have_the_fields_that_the_original_methods_read(t7: Run) -> None:
    run = t7(str(Path(__file__).parent / "original_fields.lua"))
    assert run.stderr == ""
    assert run.stdout == "689\n"


@pytest.mark.parametrize("kernel", ["torch.rand(3, 5)", "torch.rand(3)"])
def test_normalizations_hold_the_networks_by_which_the_original_computes(lua: Lua, kernel: str) -> None:
    """The documented formulas, by the fields of what a file holds."""
    assert (
        lua(f"""
        require 'nn'
        local x = torch.rand(3, 6, 7)
        local function stored(module) return torch.deserialize(torch.serialize(module)) end
        local m = stored(nn.SpatialSubtractiveNormalization(3, {kernel}))
        local coef = m.meanestimator:forward(torch.ones(3, 6, 7)):clone()
        local means = m.divider:forward{{ m.meanestimator:forward(x), coef }}
        print((m.subtractor:forward{{ x, means }} - m:forward(x)):abs():max() < 1e-12)
        m = stored(nn.SpatialDivisiveNormalization(3, {kernel}, 0.6, 0.7))
        coef = m.meanestimator:forward(torch.ones(3, 6, 7)):clone()
        local deviations = m.divider:forward{{ m.stdestimator:forward(x), coef }}
        local y = m.normalizer:forward{{ x, m.thresholder:forward(deviations) }}
        print((y - m:forward(x)):abs():max() < 1e-12)
    """)
        == "true\ntrue\n"
    )


# What a file of Torch7 holds, made by taking away fields that its objects have not.
FROM_THERE = {
    "GatedLinearUnit(2)": ("sigmoid", "torch.rand(2, 4)"),
    "LinearWeightNorm(4, 2)": ("gradWeight", "torch.rand(3, 4)"),
    "WeightNorm(nn.Linear(4, 2))": (
        "weight gradWeight modules.1.weight modules.1.gradWeight",
        "torch.rand(3, 4)",
    ),
    "SpatialSubtractiveNormalization(1)": ("coef", "torch.rand(1, 4, 4)"),
}


@pytest.mark.parametrize("make", FROM_THERE)
def test_objects_of_the_original_work(lua: Lua, make: str) -> None:
    absent, x = FROM_THERE[make]
    assert (
        lua(f"""
        require 'nn'
        local m, x = nn.{make}, {x}
        local function run(module)
           module:zeroGradParameters()
           local y = module:forward(x):clone()
           return y, module:backward(x, y):clone()
        end
        local y, g = run(m)
        local copy = torch.deserialize(torch.serialize(m))
        for path in ('{absent}'):gmatch '%S+' do
           local at, last = copy, nil
           for key in path:gmatch '[^.]+' do
              at, last = last and at[last] or at, tonumber(key) or key
           end
           at[last] = nil
        end
        local y2, g2 = run(torch.deserialize(torch.serialize(copy)))
        print((y - y2):abs():max() + (g - g2):abs():max())
    """)
        == "0\n"
    )


def test_settings_of_a_criterion_in_its_part(lua: Lua) -> None:
    assert (
        lua("""
        require 'nn'
        local c = nn.MultiLabelSoftMarginCriterion(torch.Tensor{1, 2})
        local x, y = torch.rand(3, 2), torch.ones(3, 2)
        local loss = c:forward(x, y)
        c.sizeAverage, c.weights = nil, nil
        print(loss == torch.deserialize(torch.serialize(c)):forward(x, y))
        local logs = torch.exp(-x):add(1):log():cmul(torch.Tensor{1, 2}:view(1, 2):expand(3, 2))
        print(math.abs(logs:mean() - loss) < 1e-9)
    """)
        == "true\ntrue\n"
    )


def test_index_linear_of_the_original_and_of_the_first_versions(lua: Lua) -> None:
    assert (
        lua("""
        require 'nn'
        local m = nn.IndexLinear(3, 2, nil, 1)
        m:reset()
        local x = { torch.LongTensor{ 0, 2 }, torch.Tensor{ 1, 2 } }
        local y = m:forward(x):clone()
        m.gradWeight = torch.Tensor()
        local original = torch.deserialize(torch.serialize(m))
        print((original:forward(x) - y):norm(), original.gradWeight:size(1))
        m.normalize, m.offset, m.keysOffset = false, 0, 1
        print((torch.deserialize(torch.serialize(m)):forward(x) - y):norm())
    """)
        == "0\t3\n0\n"
    )
