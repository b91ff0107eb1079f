"""cltorch and clnn: the names of OpenCL over those of CUDA."""

from __future__ import annotations

from t7shell import Runtime


def test_tensors_and_networks() -> None:
    lua = Runtime()
    lua.execute("""
    require 'clnn' torch.manualSeed(1)
    x = torch.randn(3, 4):cl() y = torch.ClTensor(2):fill(3) z = torch.Tensor(2):type('torch.ClTensor')
    net = nn.Sequential():add(nn.Linear(4, 2)):add(nn.Tanh()) wanted = net:forward(x:double()):clone()
    net:cl() found = net:forward(x) loss = nn.MSECriterion():cl():forward(found, found)
    """)
    assert lua.eval("(found:double() - wanted):abs():max()") < 1e-6
    assert lua.eval("y:sum()") == 6 and lua.eval("loss") == 0
    assert lua.eval("torch.type(z) == torch.type(y) and torch.type(x) == torch.type(y)")
    assert (
        lua.eval("cltorch.getDeviceCount()") == 1 and lua.eval("cltorch.getDeviceProperties(1).name") == "CPU"
    )
    lua.execute("cltorch.setDevice(1) cltorch.synchronize() cltorch.finish() cltorch.setTrace(1)")
    lua.execute("found = cltorch.getDeviceProperties(cltorch.getDevice())")
    assert lua.eval("found.deviceName") == lua.eval("found.deviceType") == "CPU"
    assert lua.eval("found.globalMemSizeMB > 0 and found.maxComputeUnits > 0")
