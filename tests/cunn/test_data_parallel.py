"""nn.DataParallelTable on devices that PyTorch's CPU presents: the numbers of one network on one device."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from t7shell import Runtime
from tests.backends import running
from tests.lua_output import printer

pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

Lua = Callable[[str], str]

TRAIN = """
require 'cunn'
function train(wrap, batch)
   torch.manualSeed(3)
   local net = nn.Sequential():add(nn.Linear(4, 5)):add(nn.Tanh()):add(nn.Linear(5, 3)):cuda()
   local m = wrap(net)
   local w, g = m:getParameters()
   local x, y = torch.randn(batch, 4):cuda(), torch.randn(batch, 3):cuda()
   local criterion = nn.MSECriterion():cuda()
   local text = {}
   for i = 1, 6 do
      m:zeroGradParameters()
      local loss = criterion:forward(m:forward(x), y)
      local gradient = m:backward(x, criterion:backward(m.output, y))
      w:add(-0.5, g)
      text[i] = ('%.4f %.4f %.4f'):format(loss, gradient:norm(), g:norm())
   end
   m:evaluate()
   text[#text + 1] = ('%.4f'):format(m:forward(x):sum())
   return table.concat(text, ' ')
end
function plain(net) return net end
"""


@pytest.fixture(scope="module")
def lua() -> Iterator[Lua]:
    with pytest.MonkeyPatch.context() as patch, running("pytorch:cpu"):
        patch.setenv("T7_CUDA_DEVICES", "3")
        runtime = Runtime()
        runtime.execute(TRAIN)
        yield printer(runtime.engine)


@pytest.mark.parametrize("batch", [7, 2, 1])
@pytest.mark.parametrize("devices", ["{1, 2, 3}", "{1, 3}", "{1}", "{1, 2, 9}"])
def test_training_is_that_of_one_network(lua: Lua, devices: str, batch: int) -> None:
    source = f"""
    local function shared(net) return nn.DataParallelTable(1, true, true):add(net, {devices}) end
    local a, b = train(plain, {batch}), train(shared, {batch})
    print(a == b or a .. ' ' .. b)
    """
    assert lua(source) == "true\n"


def test_networks_may_be_added_one_by_one(lua: Lua) -> None:
    source = """
    local function shared(net)
       local m = nn.DataParallelTable(1)
       for i = 1, 3 do m:add(i == 1 and net or cutorch.withDevice(i, net.clone, net), i) end
       return m
    end
    print(train(plain, 6) == train(shared, 6))
    """
    assert lua(source) == "true\n"


def test_each_device_computes_its_part(lua: Lua) -> None:
    source = """
    local seen = {}
    local Spy, parent = torch.class('nn.SpyOfDevices', 'nn.Module')
    function Spy:updateOutput(x)
       seen[#seen + 1] = ('%d of %d on %d'):format(x:size(1), x:getDevice(), cutorch.getDevice())
       return x
    end
    local m = nn.DataParallelTable(1):add(nn.SpyOfDevices():cuda(), { 1, 2, 3 })
    local y = m:forward(torch.CudaTensor(8, 2):fill(1))
    print(table.concat(seen, ', '), y:size(1), y:getDevice(), cutorch.getDevice())
    """
    assert lua(source) == "3 of 1 on 1, 3 of 2 on 2, 2 of 3 on 3\t8\t1\t1\n"


def test_tables_of_tensors_are_divided(lua: Lua) -> None:
    source = """
    local net = nn.ParallelTable():add(nn.Identity()):add(nn.MulConstant(3)):cuda()
    local m = nn.DataParallelTable(1):add(net, { 1, 2 })
    local x = { torch.CudaTensor(5, 2):fill(1), torch.range(1, 5):cuda() }
    local y = m:forward(x)
    print(y[1]:sum(), table.concat(y[2]:totable(), ' '))
    local g = m:backward(x, y)
    print(g[1]:sum(), table.concat(g[2]:totable(), ' '))
    """
    assert lua(source) == "10\t3 6 9 12 15\n10\t9 18 27 36 45\n"


def test_files_have_the_first_network(lua: Lua) -> None:
    source = """
    local m = nn.DataParallelTable(1):add(nn.Linear(4, 2):cuda(), { 1, 2 })
    local x = torch.CudaTensor(6, 4):fill(0.5)
    local y = m:forward(x)
    local copy = torch.deserialize(torch.serialize(m))
    print(#copy.modules, copy:forward(x):equal(y))
    """
    assert lua(source) == "1\ttrue\n"
