"""optnet: the same outputs from less memory, bytes that are counted by hand, and graphs."""

from __future__ import annotations

import pytest

from t7shell import Runtime
from tests.runtimes import assert_error, runtime_fixture

NETS = {
    "chain": """nn.Sequential():add(nn.SpatialConvolution(2, 4, 3, 3, 1, 1, 1, 1)):add(nn.ReLU(true))
        :add(nn.SpatialConvolution(4, 4, 3, 3, 1, 1, 1, 1)):add(nn.Tanh()):add(nn.SpatialMaxPooling(2, 2))
        :add(nn.View(-1):setNumInputDims(3)):add(nn.Linear(36, 9)):add(nn.Dropout()):add(nn.LogSoftMax())""",
    "branches": """nn.Sequential():add(nn.SpatialConvolution(2, 3, 1, 1))
        :add(nn.ConcatTable():add(nn.Identity()):add(nn.Sequential():add(nn.Tanh()):add(nn.Sigmoid())
        :add(nn.SpatialConvolution(3, 3, 3, 3, 1, 1, 1, 1)))):add(nn.CAddTable()):add(nn.ReLU())
        :add(nn.Square())""",
    "concat": """nn.Sequential():add(nn.Tanh()):add(nn.Concat(2)
        :add(nn.Sequential():add(nn.Tanh()):add(nn.Square()))
        :add(nn.Sequential():add(nn.Sigmoid()):add(nn.Abs())):add(nn.Identity())):add(nn.Tanh())
        :add(nn.Concat(2):add(nn.Square()):add(nn.Tanh()):add(nn.Identity())):add(nn.Exp())""",
    "graph": """(function() local x = nn.Identity()() local a = nn.Tanh()(x) local b = nn.Sigmoid()(a)
        local c = nn.CAddTable(){a, b} local d = nn.Tanh()(c) local e = nn.Square()(d) local f = nn.Exp()(e)
        return nn.gModule({x}, {nn.CMulTable(){f, x}}) end)()""",
}


lua = runtime_fixture("optnet = require 'optnet' require 'nngraph' torch.manualSeed(1)")


@pytest.mark.parametrize("name", NETS)
def test_outputs_stay_and_memory_shrinks(lua: Runtime, name: str) -> None:
    lua.execute(f"net = {NETS[name]} net:evaluate() copy = net:clone() x = torch.randn(4, 2, 6, 6)")
    lua.execute("""
    net:forward(x) before = optnet.countUsedMemory(net)
    optnet.optimizeMemory(net, x, {inplace = true, mode = 'inference'}) after = optnet.countUsedMemory(net)
    worst = 0
    for _, n in ipairs{4, 7, 1} do
       local input = torch.randn(n, 2, 6, 6)
       local kept = input:clone()
       worst = math.max(worst, (net:forward(input) - copy:forward(kept)):abs():max(),
          (input - kept):abs():max())
    end
    """)
    assert lua.eval("worst") == 0
    assert lua.eval("after.outputs") < 0.9 * lua.eval("before.outputs")
    # Gradients of parameters are gone until removeOptimization.
    assert lua.eval("after.params") * 2 == lua.eval("before.params")
    assert lua.eval("(pcall(net.backward, net, x, net.output))") is False
    lua.execute("optnet.removeOptimization(net) y = net:forward(x) z = copy:forward(x)")
    assert lua.eval("(y - z):abs():max()") == 0
    # Gradients need separate outputs.
    lua.execute("g = torch.randn(y:size()) d = (net:backward(x, g) - copy:backward(x, g)):abs():max()")
    assert lua.eval("d") == 0


def test_gradients_share_memory_in_training(lua: Runtime) -> None:
    lua.execute("""
    net = nn.Sequential():add(nn.Linear(4, 4)):add(nn.Tanh()):add(nn.Linear(4, 4)):add(nn.Tanh())
    copy, x, g = net:clone(), torch.randn(3, 4), torch.randn(3, 4)
    net:forward(x) net:backward(x, g) before = optnet.countUsedMemory(net)
    optnet.optimizeMemory(net, x, {mode = 'training'}) after = optnet.countUsedMemory(net)
    worst = (net:forward(x) - copy:forward(x)):abs():max()
       + (net:backward(x, g) - copy:backward(x, g)):abs():max()
    """)
    assert lua.eval("worst") == 0 and lua.eval("after.outputs == before.outputs")
    assert lua.eval("after.gradInputs < before.gradInputs")


def test_counted_bytes(lua: Runtime) -> None:
    lua.execute("""
    net = nn.Sequential():add(nn.Linear(3, 5)):add(nn.Tanh()):float() x = torch.FloatTensor(2, 3):zero()
    net:forward(x) net:backward(x, net.output) t = optnet.countUsedMemory(net)
    """)
    counted = {name: lua.eval(f"t.{name}") for name in ("params", "outputs", "gradInputs", "total_size")}
    # Parameters and their gradients.
    assert counted["params"] == 2 * 4 * 20
    # Two outputs of 2x5, gradInputs of 2x3 and 2x5.
    assert counted["outputs"] == 4 * 20 and counted["gradInputs"] == 4 * 16
    assert counted["total_size"] == sum(counted.values()) - counted["total_size"] + lua.eval("t.buffers")


def test_graph(lua: Runtime) -> None:
    lua.execute(f"net = {NETS['branches']} g = require 'optnet.graphgen'(net, torch.randn(1, 2, 4, 4))")
    # Input, convolution, Identity, Tanh, Sigmoid, convolution, CAddTable, ReLU, Square.
    assert lua.eval("#g.edges") == 9
    text = lua.eval("g:todot('net')")
    assert "Input\\n1x2x4x4" in text and "nn.CAddTable\\n1x3x4x4" in text
    lua.execute(
        "net = nn.Concat(2):add(nn.Tanh()):add(nn.Abs())"
        "g = optnet.generateGraph(net, torch.ones(2, 3), {storages = true})"
    )
    assert lua.eval("#g.nodes") == 4 and "storage 1" in lua.eval("g:todot()")


def test_wrong_input(lua: Runtime) -> None:
    for call, message in {
        "optnet.optimizeMemory(3, torch.rand(2))": "optimizeMemory: net must be a module (got 3)",
        "optnet.optimizeMemory(nn.Tanh(), torch.rand(2), {mode = 'x'})": "mode must be one of 'inference'",
        "optnet.removeOptimization()": "removeOptimization: net must be a module (got nil)",
        "optnet.countUsedMemory(1)": "countUsedMemory: net must be a module (got 1)",
    }.items():
        assert_error(lua, call, message)
    # A network that fails is as it was.
    lua.execute("net = nn.Sequential():add(nn.Linear(2, 2)) pcall(optnet.optimizeMemory, net, torch.rand(3))")
    assert lua.eval("rawget(net:get(1), 'updateOutput') == nil")
