"""A module on its own results, and modules whose fields come from functions."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

Lua = Callable[[str], str]

RESIZING = [
    "SpatialZeroPadding(9, 9, 9, 9)",
    "SpatialReplicationPadding(9, 9, 9, 9)",
    "SpatialMaxPooling(2, 2)",
    "SpatialAveragePooling(3, 3, 2, 2)",
    "SpatialUpSamplingNearest(2)",
    "SpatialUpSamplingBilinear(2)",
    "SpatialConvolution(3, 3, 3, 3)",
    "SpatialFullConvolution(3, 3, 4, 4)",
]


@pytest.mark.parametrize("make", RESIZING)
def test_a_module_on_its_own_output(lua: Lua, make: str) -> None:
    program = (
        f"require 'nn' local m = nn.{make} local other = m:clone() local x = torch.rand(3, 20, 20) "
        "local once = m:forward(x) local kept = once:clone() local twice = m:forward(once) "
        "print(once:equal(kept), twice:equal(other:forward(kept)), m.output:equal(twice)) "
        "local g = m:backward(once, twice:clone()):clone() print(g:equal(other:backward(kept, twice))) "
        "m:forward(x) m:backward(x, m.output:clone()) other:forward(x) "
        # The gradient at an input is that at the output of the step before.
        "m:forward(once) m:updateGradInput(once, twice) m:forward(x) "
        "local r = m:updateGradInput(x, m.gradInput) "
        "other:forward(x) print(r:equal(other:updateGradInput(x, g)), m.gradInput:equal(r))"
    )
    assert lua(program).split() == ["true"] * 6


def test_rows_of_a_linear_layer_on_its_own_output(lua: Lua) -> None:
    program = (
        "require 'nn' local m, x = nn.Linear(4, 3), torch.rand(2, 4) local y = m:forward(x) "
        "print(pcall(m.forward, m, y)) print(y:size(1), y:size(2))"
    )
    assert "input must be of size 4" in lua(program)


CHANGING = """
require 'nn'
local Pool, parent = torch.class('nn.Changing', 'nn.SpatialMaxPooling')
function Pool:__index__(key)
   if key ~= 'kW' then return end
   self.reads = rawget(self, 'reads') + 1
   return self.reads % 2 == 1 and 2 or 3000
end
local m = nn.Changing(2, 2, 2, 2)
m.kW, m.reads = nil, 0
local x = torch.rand(3, 400, 400)
print(m:forward(x):equal(nn.SpatialMaxPooling(2, 2, 2, 2):forward(x)), torch.type(m))
"""


def test_fields_that_change_while_they_are_read() -> None:
    command = [sys.executable, "-m", "t7shell", "-e", CHANGING]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["true", "nn.Changing"]


def test_a_call_that_failed_leaves_nothing(lua: Lua) -> None:
    program = """
    local calls = require 'nn.class.calls'
    local class = {}
    class.__index = class
    function class:updateOutput(x, fails)
       local y = calls.resizable(self.output)
       if fails then error 'stopped' end
       return y:resize(3):fill(x[1])
    end
    calls.wrap(class)
    local m = setmetatable({ output = torch.ones(2) }, class)
    local output = m.output
    print(pcall(m.updateOutput, m, output, true))
    print(m:updateOutput(torch.ones(1)):size(1), rawequal(m.output, output), m.output:size(1))
    """
    assert lua(program).splitlines()[-1].split() == ["3", "true", "3"]
