"""Several devices, which PyTorch's CPU presents: where memory is, copies, and random numbers of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from t7shell import Runtime
from tests.backends import running
from tests.conftest import Run
from tests.lua_output import printer

pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

Lua = Callable[[str], str]


@pytest.fixture
def lua(monkeypatch: pytest.MonkeyPatch) -> Iterator[Lua]:
    """Runs source where there are three devices."""
    monkeypatch.setenv("T7_CUDA_DEVICES", "3")
    with running("pytorch:cpu"):
        runtime = Runtime()
        runtime.execute("require 'cunn'")
        yield printer(runtime.engine)


def test_memory_is_on_the_device_that_was_chosen(lua: Lua) -> None:
    source = """
    print(cutorch.getDeviceCount(), cutorch.getDevice())
    local x = torch.CudaTensor(3):fill(1)
    cutorch.setDevice(2)
    local small, large = torch.CudaTensor(3):fill(2), torch.CudaTensor(1000, 100):fill(1)
    local empty = torch.CudaTensor()
    print(x:getDevice(), small:getDevice(), large:getDevice(), large[3]:getDevice(), empty:getDevice())
    print(large:storage():getDevice(), torch.CudaStorage(5):getDevice(), empty:resize(2):getDevice())
    local more = small + 1
    print(more:getDevice(), small:gt(0):getDevice(), small:sort():getDevice(), torch.histc(small):getDevice())
    print(torch.FloatTensor(3):cuda():getDevice(), torch.CudaTensor{1}:getDevice(), cutorch.getDeviceOf(x))
    """
    assert lua(source) == "3\t1\n1\t2\t2\t2\t0\n2\t2\t2\n2\t2\t2\t2\n2\t2\t1\n"


def test_copies_go_between_devices(lua: Lua) -> None:
    source = """
    local x = torch.CudaTensor(3):fill(1):add(1)
    cutorch.setDevice(3)
    local y, z = torch.CudaTensor(3):copy(x), x:clone()
    x[1] = 50
    print(y:sum(), y:getDevice(), z:sum(), z:getDevice(), x:float():sum(), x[1])
    """
    assert lua(source) == "6\t3\t6\t3\t54\t50\n"


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("x + 1", "add"), ("torch.cat({y, x})", "cat"), ("torch.mm(x, y)", "mm"), ("x:sort()", "sort"),
        ("torch.histc(x)", "histc"), ("y:add(x)", "add"), ("nn.Tanh():cuda():forward(x)", "Tanh"),
    ],
)  # fmt: skip
def test_operands_elsewhere_are_errors(lua: Lua, call: str, name: str) -> None:
    source = f"""
    local x = torch.CudaTensor(3, 3):fill(1)
    cutorch.setDevice(2)
    local y = torch.CudaTensor(3, 3):fill(1)
    print(select(2, pcall(function() return {call} end)))
    cutorch.setKernelPeerToPeerAccess(2, 1, true)
    print((pcall(function() return {call} end)))
    cutorch.setKernelPeerToPeerAccess(2, 1, false)
    cutorch.setKernelPeerToPeerAccess(true)
    print((pcall(function() return {call} end)), cutorch.getKernelPeerToPeerAccess(1, 2))
    cutorch.setKernelPeerToPeerAccess(false)
    print((pcall(function() return {call} end)), cutorch.getKernelPeerToPeerAccess(1, 2))
    """
    message, fine, *all_devices = lua(source).splitlines()
    assert all_devices == ["true\ttrue", "false\tfalse"]
    assert message.endswith(
        "is on device 1 and device 2 is chosen; copy() and cutorch.withDevice change that"
    )
    assert f" {name}: argument " in message and fine == "true"


def test_with_device_goes_back(lua: Lua) -> None:
    source = """
    print(cutorch.withDevice(2, function(a) return a, cutorch.getDevice() end, 5))
    print(cutorch.getDevice(), (pcall(cutorch.withDevice, 3, error, 'no')), cutorch.getDevice())
    print(select(2, pcall(cutorch.setDevice, 4)))
    """
    assert lua(source).splitlines() == [
        "5\t2",
        "1\tfalse\t1",
        "test:4: cutorch.setDevice: device must be a whole number from 1 to 3 (got 4)",
    ]


def test_each_device_has_random_numbers_of_its_own(lua: Lua) -> None:
    source = """
    cutorch.manualSeedAll(5)
    local function draw()
       return torch.CudaTensor(4):uniform():float(), torch.CudaTensor(4):logNormal():float()
    end
    local a, b = draw()
    local c, d = cutorch.withDevice(2, draw)
    local e, f = draw()
    local g, h = cutorch.withDevice(2, draw)
    print(a:equal(c), b:equal(d), e:equal(g), f:equal(h), a:equal(e))
    cutorch.withDevice(3, cutorch.manualSeed, 9)
    print(cutorch.initialSeed(), cutorch.withDevice(3, cutorch.initialSeed))
    """
    assert lua(source) == "true\ttrue\ttrue\ttrue\tfalse\n5\t9\n"


def test_properties_and_memory_are_of_a_device(lua: Lua) -> None:
    source = """
    local free, total = cutorch.getMemoryUsage(3)
    local properties = cutorch.getDeviceProperties(2)
    print(free > 0, properties.totalGlobalMem == total, properties.name)
    print(pcall(cutorch.getMemoryUsage, 4))
    """
    assert lua(source) == (
        "true\ttrue\tPyTorch cpu\n"
        "false\ttest:5: cutorch.getMemoryUsage: device must be a whole number from 1 to 3 (got 4)\n"
    )


def test_files_go_to_the_chosen_device(lua: Lua) -> None:
    source = """
    local text = torch.serialize(torch.CudaTensor(5):fill(2):mul(3))
    cutorch.setDevice(2)
    local x = torch.deserialize(text)
    print(x:getDevice(), x:sum())
    """
    assert lua(source) == "2\t30\n"


def test_the_number_of_devices_is_checked(t7: Run) -> None:
    done = t7("--device", "pytorch:cpu", "-e", "require 'cutorch'", env={"T7_CUDA_DEVICES": "many"})
    assert "T7_CUDA_DEVICES must be a number of devices from 1 to 64 (got 'many')" in done.stderr
