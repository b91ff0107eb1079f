"""Containers call their modules with exactly the arguments of the original, which programs count."""

from __future__ import annotations

from collections.abc import Callable

import pytest

COUNTER = """
require 'nngraph'
local log = {}
local Counter = torch.class('nn.Counter', 'nn.Module')
function Counter:updateOutput(...)
   table.insert(log, 'f' .. select('#', ...))
   self.output = (...)
   return self.output
end
function Counter:updateGradInput(...)
   table.insert(log, 'g' .. select('#', ...))
   self.gradInput = select(2, ...)
   return self.gradInput
end
function Counter:accGradParameters(...) table.insert(log, 'a' .. select('#', ...)) end
local counter = nn.Counter
local function graph()
   local i = nn.Identity()()
   return nn.gModule({i}, {counter()(counter()(i))})
end
local m, x = %s, torch.ones(1, 2)
if torch.isTypeOf(m, 'nn.ParallelTable') or torch.isTypeOf(m, 'nn.MapTable') then x = {x} end
local y = m:forward(x)
m:updateGradInput(x, y)
m:accGradParameters(x, y)
m:backward(x, y)
print(table.concat(log, ' '))"""
# For each: forward; updateGradInput; accGradParameters; backward, which some pass on as backward.
CONTAINERS = {
    "nn.Sequential():add(counter()):add(counter())": "f1 f1 g2 g2 a3 a3 g2 a3 g2 a3",
    "nn.Concat(1):add(counter())": "f1 g3 a3 g2 a3",
    "nn.ConcatTable():add(counter())": "f1 g3 a3 g2 a3",
    "nn.Parallel(1, 1):add(counter())": "f1 g2 a3 g2 a3",
    "nn.DepthConcat(1):add(counter())": "f1 g2 a3 g2 a3",
    "nn.Bottle(counter())": "f1 g2 a3 g2 a3",
    "nn.Decorator(counter())": "f1 g2 a3 g2 a3",
    "nn.ParallelTable():add(counter())": "f1 g2 a3 g2 a3",
    "nn.MapTable(counter())": "f1 g2 a3 g2 a3",
    "graph()": "f1 f1 g2 g2 a3 a3 g2 g2 a3 a3",
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_arguments_of_the_original(fresh_lua: Callable[[str], str], container: str) -> None:
    assert fresh_lua(COUNTER % container) == CONTAINERS[container] + "\n"


def test_a_depth_concat_counts_gradients_of_parameters_once(lua: Callable[[str], str]) -> None:
    """backward(x, g, scale) of the original leaves the scale out."""
    program = """
    require 'nn'
    local m = nn.DepthConcat(1):add(nn.SpatialConvolution(1, 1, 1, 1))
    m:zeroGradParameters()
    local x = torch.ones(1, 2, 2)
    m:backward(x, m:forward(x):clone():fill(1), 5)
    print(m:get(1).gradBias[1])"""
    assert lua(program) == "4\n"


def test_parallel_without_dimensions_is_a_list_of_modules(lua: Callable[[str], str]) -> None:
    program = """
    require 'nn'
    local m = nn.Parallel():add(nn.Linear(2, 3)):add(nn.Linear(2, 2))
    print(m:size(), m:getParameters():size(1), pcall(m.forward, m, torch.ones(2, 2)))"""
    assert lua(program).startswith("2\t15\tfalse\t") and "inputDimension must be" in lua(program)
