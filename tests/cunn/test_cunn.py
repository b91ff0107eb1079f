"""cutorch and cunn: what scripts ask of a GPU, and networks that move to it and back."""

from __future__ import annotations

from collections.abc import Callable

from ..conftest import Run

Lua = Callable[[str], str]


def test_what_scripts_ask_of_a_device(lua: Lua) -> None:
    source = """
    require 'cutorch'
    print(cutorch.getDeviceCount(), cutorch.getDevice())
    print(cutorch.withDevice(1, function(a) return a + 1 end, 4))
    local free, total = cutorch.getMemoryUsage(1)
    print(free > 0 and free <= total, cutorch.getDeviceProperties(1).totalGlobalMem == total)
    cutorch.setDevice(1) cutorch.synchronize() cutorch.reserveStreams(2) cutorch.setStream(2)
    print(cutorch.getStream(), cutorch.getNumStreams(), cutorch.hasHalf)
    print(cutorch.createCudaHostTensor(2, 3):type())
    local x, y, event = torch.CudaTensor{1, 2}, torch.FloatTensor(2), cutorch.Event()
    print(x:getDevice(), torch.CudaTensor():getDevice(), x:storage():getDevice(), cutorch.getDeviceOf(x))
    print(y:copyAsync(x):sum(), x:copyAsync(y * 2):sum(), event:record(), event:query(), event:synchronize())
    print(pcall(cutorch.getDeviceOf, y))
    print(pcall(cutorch.setDevice, 3))
    """
    assert lua(source).splitlines() == [
        "1\t1", "5", "true\ttrue", "2\t2\ttrue", "torch.FloatTensor",
        "1\t0\t1\t1", "3\t6\tnil\ttrue",
        "false\ttest:13: cutorch.getDeviceOf: argument 1 must be a tensor of the device"
        " (got FloatTensor [2])",
        "false\ttest:14: cutorch.setDevice: device must be a whole number from 1 to 1 (got 3)",
    ]  # fmt: skip


def test_modules_of_programs_call_functions_of_c(lua: Lua) -> None:
    source = """
    require 'cunn'
    local Own, parent = torch.class('OwnSquare', 'nn.Module')
    function Own:updateOutput(x)
       x.THNN.Square_updateOutput(x:cdata(), self.output:cdata())
       return self.output
    end
    function Own:updateGradInput(x, g)
       x.THNN.Square_updateGradInput(x:cdata(), g:cdata(), self.gradInput:cdata())
       return self.gradInput
    end
    local m, x = OwnSquare():cuda(), torch.CudaTensor{3, -4}
    print(m:forward(x):sum(), m:backward(x, torch.CudaTensor{1, 2}):sum(), m.output:type())
    """
    assert lua(source) == "25\t-10\ttorch.CudaTensor\n"


def test_one_line_says_once_that_the_cpu_computes(t7: Run) -> None:
    done = t7("-e", "require 'cutorch' require 'cunn' require 'cudnn' print(1)", env={"T7_CUDA": "cpu"})
    assert done.stdout == "1\n"
    assert done.stderr.count("computing on the CPU") == 1 == done.stderr.count("\n")


def test_the_device_can_be_switched_off(t7: Run) -> None:
    code = "for _, name in ipairs { 'cutorch', 'cunn', 'cudnn' } do print(pcall(require, name)) end"
    for done in (t7("-e", code, env={"T7_CUDA": "off"}), t7("--no-cuda", "-e", code)):
        assert done.stdout.count("false\t") == 3 and "switched off" in done.stdout and done.stderr == ""


def test_networks_train_alike_on_both_sides(lua: Lua) -> None:
    source = """
    require 'cunn'
    local function losses(convert)
       torch.manualSeed(4)
       local net = nn.Sequential():add(nn.SpatialConvolution(1, 3, 3, 3)):add(nn.ReLU(true))
          :add(nn.SpatialMaxPooling(2, 2)):add(nn.View(-1):setNumInputDims(3)):add(nn.Linear(12, 4))
          :add(nn.LogSoftMax())
       local x, t = torch.randn(5, 1, 6, 6), torch.Tensor{1, 2, 3, 4, 1}
       local criterion = nn.ClassNLLCriterion()
       net, criterion, x, t = net[convert](net), criterion[convert](criterion), x[convert](x), t[convert](t)
       local text = {}
       for i = 1, 5 do
          text[i] = ('%.5f'):format(criterion:forward(net:forward(x), t))
          net:zeroGradParameters()
          net:backward(x, criterion:backward(net.output, t))
          net:updateParameters(0.1)
       end
       return table.concat(text, ' '), net
    end
    local device, net = losses 'cuda'
    print(device == (losses 'float'), net:type(), net:get(1).weight:type(), net:double():get(1).weight:type())
    """
    assert lua(source) == "true\ttorch.CudaTensor\ttorch.CudaTensor\ttorch.DoubleTensor\n"


def test_a_batch_is_shared_among_one_device(lua: Lua) -> None:
    source = """
    require 'cunn'
    local net = nn.Linear(3, 2):cuda()
    local table = nn.DataParallelTable(1, true, true):add(net, {1, 2}):threads(function() require 'cudnn' end)
    local x = torch.ones(4, 3):cuda()
    local w, g = table:getParameters()
    print(table:forward(x):equal(net:forward(x)), w:nElement(), table:get(1) == net)
    print(table:backward(x, torch.ones(4, 2):cuda()):size(2), g:sum() ~= 0, tostring(table:sync()))
    print(pcall(nn.DataParallelTable(1).forward, nn.DataParallelTable(1), x))
    """
    out = lua(source).splitlines()
    assert out[:2] == ["true\t8\ttrue", "3\ttrue\tDataParallelTable: 1 x nn.Linear(3 -> 2)"]
    assert "forward needs add(network, devices) before" in out[2]
