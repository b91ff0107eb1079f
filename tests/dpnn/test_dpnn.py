"""dpnn: methods of training by hand computations, modules by finite differences and by rewards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Lua = Callable[[str], str]


def test_steps_of_training(lua: Lua) -> None:
    source = """
    require 'dpnn'
    local m = nn.Linear(2, 1)
    m.weight:copy(torch.Tensor{{3, 4}}) m.bias:fill(2)
    m.gradWeight:copy(torch.Tensor{{3, 0}}) m.gradBias:fill(4)
    print(m:gradParamClip(1), m.gradWeight[1][1], m.gradBias[1])
    m:zeroGradParameters() m:weightDecay(0.1)
    print(m.gradWeight[1][2], m.gradBias[1])
    m:maxParamNorm(1)
    print(('%.3f %.3f'):format(m.weight[1][1], m.weight[1][2]))
    m.gradBias:fill(1) m:updateGradParameters(0.5, 0)
    m.gradBias:fill(1) m:updateGradParameters(0.5, 0)
    print(m.gradBias[1], m:outside({7, 2})[1])
    """
    out = lua(source).splitlines()
    assert [float(x) for x in out[0].split()] == pytest.approx([5, 0.6, 0.8])
    assert [float(x) for x in out[1].split()] == pytest.approx([0.4, 0])
    assert out[2:] == ["0.600 0.800", "1.75\t7"]


def test_shared_copies(lua: Lua) -> None:
    source = """
    require 'dpnn'
    local m = nn.Linear(2, 2)
    local both, weights = m:sharedClone(), m:sharedClone(true, false)
    m.weight:fill(7) m.gradWeight:fill(5)
    print(both.weight[1][1], both.gradWeight[1][1], weights.weight[1][1], weights.gradWeight[1][1] == 5)
    """
    assert lua(source) == "7\t5\t7\tfalse\n"


@pytest.mark.parametrize(
    ("module", "size"),
    [
        ("nn.Inception{inputSize = 2, kernelSize = {3, 5}, outputSize = {3, 2}, reduceSize = {2, 2, 1, 2}, "
         "transfer = nn.Tanh()}", "1, 2, 6, 6"),
        ("nn.FireModule(2, 2, 3, 3, 'Tanh')", "1, 2, 4, 4"),
        ("nn.CopyGrad()", "2, 3"),
    ],
)  # fmt: skip
def test_gradients(lua: Lua, module: str, size: str) -> None:
    source = f"""
    require 'dpnn'
    torch.manualSeed(1)
    print(nn.Jacobian.testJacobian({module}, torch.Tensor({size})) < 1e-5)
    """
    # The pooling of an Inception without padding warns.
    assert lua(source).splitlines()[-1] == "true"


def test_sizes_of_branches(lua: Lua) -> None:
    source = """
    require 'dpnn'
    local m = nn.Inception{inputSize = 3, kernelSize = {3}, outputSize = {4}, reduceSize = {2, 5, 6}}
    print(table.concat(m:forward(torch.randn(2, 3, 8, 8)):size():totable(), ' '))
    print(table.concat(nn.FireModule(3, 2, 4, 5):forward(torch.randn(2, 3, 6, 6)):size():totable(), ' '))
    """
    assert lua(source).splitlines()[-2:] == ["2 15 8 8", "2 9 6 6"]


def test_glimpses(lua: Lua) -> None:
    source = """
    require 'dpnn'
    local g = nn.SpatialGlimpse(2, 2, 2)
    local x = torch.range(1, 16):view(1, 1, 4, 4)
    local y = g:forward{x, torch.Tensor{{0, 0}}}
    print(y[1][1], y[1][2])
    print(g:forward{x, torch.Tensor{{-1, 1}}}[1][1])
    local flat, worst = x:view(-1), 0
    local w = torch.randn(1, 2, 2, 2)
    g:forward{x, torch.Tensor{{0.2, -0.4}}}
    local gradient = g:backward({x, torch.Tensor{{0.2, -0.4}}}, w)[1]:clone():view(-1)
    for i = 1, 16 do
       local kept = flat[i]
       flat[i] = kept + 1e-4 local up = g:forward{x, torch.Tensor{{0.2, -0.4}}}:dot(w)
       flat[i] = kept - 1e-4 local down = g:forward{x, torch.Tensor{{0.2, -0.4}}}:dot(w)
       flat[i] = kept
       worst = math.max(worst, math.abs((up - down) / 2e-4 - gradient[i]))
    end
    print(worst < 1e-6)
    """
    lines = lua(source).split()
    assert lines[:4] == ["6", "7", "10", "11"]
    # The larger patch is the picture, in averages of 2 x 2.
    assert [float(x) for x in lines if "." in x and x[0].isdigit()][:4] == [3.5, 5.5, 11.5, 13.5]
    assert lines[-1] == "true"


def test_a_policy_learns_from_rewards(lua: Lua) -> None:
    source = """
    require 'dpnn'
    torch.manualSeed(3)
    local net = nn.Sequential():add(nn.Linear(2, 3)):add(nn.SoftMax()):add(nn.ReinforceCategorical())
    local x = torch.eye(2)
    local wanted = torch.LongTensor{3, 1}
    for i = 1, 400 do
       local _, drawn = net:forward(x):max(2)
       net:reinforce(drawn:view(-1):eq(wanted):double())
       net:zeroGradParameters()
       net:backward(x, net.output)
       net:updateParameters(0.5)
    end
    net:evaluate()
    local p = net:forward(x)
    print(p[1][3] > 0.8, p[2][1] > 0.8)
    """
    assert lua(source) == "true\ttrue\n"


def test_rewards_of_classes(lua: Lua) -> None:
    source = """
    require 'dpnn'
    local net = nn.ReinforceNormal(0.5)
    local c = nn.VRClassReward(net)
    local scores, baseline = torch.Tensor{{0, 1}, {1, 0}}, torch.Tensor{{0.5}, {0.25}}
    print(c:forward({scores, baseline}, torch.LongTensor{2, 2}))
    local g = c:backward({scores, baseline}, torch.LongTensor{2, 2})
    print(net.reward[1], net.reward[2], g[1]:sum(), g[2][1][1])
    local x = torch.zeros(2, 3)
    local y = net:forward(x)
    print((net:backward(x, x)[1] + y[1] / 0.25 * 0.25):abs():max() < 1e-12)
    """
    assert lua(source) == "-0.5\n0.25\t-0.125\t0\t-0.5\ntrue\n"


def test_small_files(lua: Lua, tmp_path: Path) -> None:
    source = f"""
    require 'dpnn'
    local m = nn.Serial(nn.Linear(3, 2)):mediumSerial('torch.FloatTensor')
    m:forward(torch.randn(500, 3))
    torch.save('{tmp_path}/m.t7', m)
    local n = torch.load('{tmp_path}/m.t7')
    print(n.modules[1]:type(), m.modules[1]:type(), m.output:size(1))
    print(#nn.ReverseTable():forward{{1, 2, 3}}, nn.ReverseTable():forward{{'a', 'b'}}[1])
    """
    assert lua(source) == "torch.DoubleTensor\ttorch.DoubleTensor\t500\n3\tb\n"
    assert (tmp_path / "m.t7").stat().st_size < 4000
