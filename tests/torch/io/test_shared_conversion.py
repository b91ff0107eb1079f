"""Files that were saved from a GPU, read as tensors of the CPU."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Run = Callable[..., "CompletedProcess[str]"]

SAVE = """
require 'nn'; require 'cutorch'
local net = nn.Sequential():add(nn.Linear(3, 2)):add(nn.Tanh()):cuda()
net:get(1).weight:fill(0.5) net:get(1).bias:fill(-1)
local parameters = net:getParameters()
local checkpoint = { net = net, parameters = parameters, rows = torch.CudaLongTensor{3},
   half = torch.CudaHalfTensor{2},
   data = torch.ByteTensor{7}, inner = { { torch.CudaTensor(2, 3):fill(4):t() } }, none = torch.CudaTensor(),
   storage = torch.CudaStorage{5, 6}, text = 'torch.CudaTensor' }
checkpoint.itself = checkpoint
torch.save('c.t7', checkpoint)
"""
SAMPLE = """
require 'nn'
local c = torch.load('c.t7')
local net = c.net
net:get(1).weight:fill(0.5)
print(net:forward(torch.ones(3):double()):type(), torch.tanh(0.5) == net.output[1])
c.parameters:fill(0)
print(net:get(1).weight:sum(), net:type())
"""


@pytest.fixture(scope="module")
def folder(t7: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("checkpoint")
    (path / "sample.lua").write_text(SAMPLE)
    assert t7("-e", SAVE, cwd=path).returncode == 0
    return path


def test_the_error_names_the_option(t7: Run, folder: Path) -> None:
    done = t7("sample.lua", "-gpuid", "-1", cwd=folder)
    assert done.returncode == 1
    assert "or read the file with t7 --load-cuda=double" in done.stderr


def test_a_network_of_a_gpu_computes_with_doubles(t7: Run, folder: Path) -> None:
    for args, env in ((["--load-cuda=double"], {}), ([], {"T7_LOAD_CUDA": "double"})):
        done = t7(*args, "sample.lua", "-gpuid", "-1", cwd=folder, env=env)
        assert done.stdout == "torch.DoubleTensor\ttrue\n0\ttorch.DoubleTensor\n", done.stderr


def test_all_in_a_checkpoint_is_converted(t7: Run, folder: Path) -> None:
    source = """
    local c = torch.load('c.t7', { cuda = 'float' })
    print(c.net:type(), c.parameters:type(), c.rows:type(), c.half:type(), c.data:type(), c.none:type())
    print(c.rows[1], c.half[1], c.data[1], c.inner[1][1]:stride(1), c.inner[1][1]:sum(), c.none:nElement())
    print(torch.typename(c.storage), c.storage[2], c.text, c.itself == c)
    print(torch.deserialize(torch.serialize(torch.CudaTensor{3}), { cuda = 'double' }):type())
    """
    done = t7("-e", source, cwd=folder)
    F = "torch.FloatTensor"
    assert done.stdout == (
        f"{F}\t{F}\ttorch.LongTensor\t{F}\ttorch.ByteTensor\t{F}\n3\t2\t7\t1\t24\t0\n"
        "torch.FloatStorage\t6\ttorch.CudaTensor\ttrue\ntorch.DoubleTensor\n"
    ), done.stderr


def test_wrong_options(t7: Run, folder: Path) -> None:
    done = t7("-e", "torch.load('c.t7', { cuda = 'half' })", cwd=folder)
    assert "load: the option 'cuda' must be 'float' or 'double' (got half)" in done.stderr
    assert t7("--load-cuda=byte", "-e", "").returncode == 2
