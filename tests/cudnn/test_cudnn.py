"""cudnn: recurrent networks against NumPy, classes against those of nn, conversions both ways."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from t7shell import Runtime
from tests.backends import DEVICE

Lua = Callable[[str], str]
Array = np.ndarray
GATES = {"RNNReLU": 1, "RNNTanh": 1, "LSTM": 4, "GRU": 3, "BLSTM": 4, "BGRU": 3}


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def cell(kind: str, ax: Array, ah: Array, h: Array, c: Array) -> tuple[Array, Array]:
    """One step, by the equations of cuDNN's manual."""
    size = h.shape[1]
    x = [ax[:, i * size : (i + 1) * size] for i in range(ax.shape[1] // size)]
    r = [ah[:, i * size : (i + 1) * size] for i in range(ah.shape[1] // size)]
    if kind == "RNNReLU":
        return np.maximum(x[0] + r[0], 0), c
    if kind == "RNNTanh":
        return np.tanh(x[0] + r[0]), c
    if kind == "LSTM":
        i, f, g, o = sigmoid(x[0] + r[0]), sigmoid(x[1] + r[1]), np.tanh(x[2] + r[2]), sigmoid(x[3] + r[3])
        c = f * c + i * g
        return o * np.tanh(c), c
    reset, update = sigmoid(x[0] + r[0]), sigmoid(x[1] + r[1])
    candidate = np.tanh(x[2] + reset * r[2])
    return (1 - update) * candidate + update * h, c


def network(kind: str, flat: Array, x: Array, hidden: int, layers: int) -> Array:
    """The network over a whole sequence; matrices come first in the flat vector, biases behind."""
    directions, kind = (2, kind[1:]) if kind[0] == "B" else (1, kind)
    rows = GATES[kind] * hidden
    at, parts = 0, []
    for layer in range(layers):
        inputs = x.shape[2] if layer == 0 else hidden * directions
        for _ in range(directions):
            w = flat[at : at + rows * inputs].reshape(rows, inputs)
            at += rows * inputs
            r = flat[at : at + rows * hidden].reshape(rows, hidden)
            at += rows * hidden
            parts.append([w, r])
    for part in parts:
        part += [flat[at : at + rows], flat[at + rows : at + 2 * rows]]
        at += 2 * rows
    assert at == flat.size
    for layer in range(layers):
        outputs = []
        for direction in range(directions):
            w, r, bw, br = parts[layer * directions + direction]
            h = c = np.zeros((x.shape[1], hidden))
            y = np.empty((x.shape[0], x.shape[1], hidden))
            for t in range(x.shape[0]) if direction == 0 else reversed(range(x.shape[0])):
                h, c = cell(kind, x[t] @ w.T + bw, h @ r.T + br, h, c)
                y[t] = h
            outputs.append(y)
        x = np.concatenate(outputs, axis=2)
    return x


@pytest.mark.parametrize("kind", GATES)
@pytest.mark.parametrize("layers", [1, 2])
def test_recurrent_networks(kind: str, layers: int) -> None:
    runtime = Runtime()
    runtime.execute(
        f"""
        require 'cudnn'
        torch.manualSeed(5)
        local m = cudnn.{kind}(3, 4, {layers})
        x = torch.randn(5, 2, 3)
        y, w = m:forward(x), m:getParameters()
        local first = cudnn.{kind}(3, 4, {layers}, true)
        first.weight:copy(w)
        turned = first:forward(x:transpose(1, 2)):transpose(1, 2)
        single = m:forward(x:select(2, 1))
        """
    )
    lua = runtime.globals()
    wanted = network(kind, lua["w"], lua["x"], 4, layers)
    for name in ("y", "turned"):
        np.testing.assert_allclose(lua[name], wanted, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(lua["single"], wanted[:, 0], rtol=1e-10, atol=1e-12)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", GATES)
def test_their_gradients_are_those_of_finite_differences(lua: Lua, kind: str) -> None:
    source = f"""
    require 'cudnn'
    torch.manualSeed(2)
    local m = cudnn.{kind}(2, 3, 2)
    local x = torch.randn(4, 2, 2)
    print(nn.Jacobian.testJacobian(m, x) < 1e-6)
    print(nn.Jacobian.testJacobianParameters(m, x, m.weight, m.gradWeight) < 1e-6)
    """
    assert lua(source) == "true\ntrue\n"


def test_the_state_may_be_remembered(lua: Lua) -> None:
    source = """
    require 'cudnn'
    local m = cudnn.LSTM(2, 3, 1, false, 0, true)
    local x = torch.randn(4, 1, 2)
    local whole = m:forward(x):clone()
    m:resetStates()
    m:forward(x:narrow(1, 1, 2))
    print((m:forward(x:narrow(1, 3, 2)) - whole:narrow(1, 3, 2)):abs():max() < 1e-12)
    """
    assert lua(source) == "true\n"


@pytest.mark.parametrize(
    ("module", "size"),
    [
        ("SpatialConvolution(2, 4, 3, 3, 1, 1, 1, 1)", "2, 2, 5, 5"), ("ReLU(true)", "3, 4"),
        ("Tanh()", "3, 4"),
        ("SpatialMaxPooling(2, 2)", "1, 2, 4, 4"), ("SpatialAveragePooling(2, 2, 2, 2)", "1, 2, 4, 4"),
        ("LogSoftMax()", "3, 4"), ("BatchNormalization(4)", "3, 4"), ("SpatialCrossMapLRN(3)", "1, 4, 3, 3"),
        ("VolumetricConvolution(1, 2, 2, 2, 2)", "1, 1, 3, 3, 3"), ("TemporalConvolution(3, 2, 2)", "4, 3"),
    ],
)  # fmt: skip
def test_classes_do_what_those_of_nn_do(lua: Lua, module: str, size: str) -> None:
    source = f"""
    require 'cudnn'
    torch.manualSeed(1)
    local a = cudnn.{module}:float()
    torch.manualSeed(1)
    local b = nn.{module}:float()
    local x = torch.randn({size}):float()
    local y = a:fastest():setMode(1, 1, 1):forward(x:clone())
    local same = (y - b:forward(x:clone())):abs():max() == 0
    local g = y:clone():fill(0.5)
    print(same, (a:backward(x:clone(), g:clone()) - b:backward(x:clone(), g:clone())):abs():max() == 0)
    """
    assert lua(source) == "true\ttrue\n"


def test_groups_of_planes(lua: Lua) -> None:
    source = """
    require 'cudnn'
    local m = cudnn.SpatialConvolution(4, 6, 3, 3, 1, 1, 1, 1, 2)
    local x = torch.randn(2, 4, 5, 5)
    local y = m:forward(x)
    local half = nn.SpatialConvolution(2, 3, 3, 3, 1, 1, 1, 1)
    half.weight:copy(m.weight:narrow(1, 4, 3)) half.bias:copy(m.bias:narrow(1, 4, 3))
    print(#m.weight:size(), m.weight:size(2))
    print((half:forward(x:narrow(2, 3, 2)) - y:narrow(2, 4, 3)):abs():max() < 1e-12)
    print(nn.Jacobian.testJacobian(m, x) < 1e-6)
    print(nn.Jacobian.testJacobianParameters(m, x, m.weight, m.gradWeight) < 1e-6)
    """
    assert lua(source) == "4\t2\ntrue\ntrue\ntrue\n"


def test_conversion_both_ways(lua: Lua, tmp_path: Path) -> None:
    source = f"""
    require 'cudnn'
    local net = nn.Sequential():add(nn.SpatialConvolution(1, 2, 3, 3)):add(nn.ReLU()):add(nn.View(-1))
    local x = torch.randn(1, 4, 4)
    local y = net:forward(x):clone()
    cudnn.convert(net, cudnn, function(m) return torch.type(m) == 'nn.ReLU' end)
    print(torch.type(net:get(1)), torch.type(net:get(2)), torch.type(net:get(3)), net:forward(x):equal(y))
    torch.save('{tmp_path}/net.t7', net)
    cudnn.convert(net, nn)
    print(torch.type(net:get(1)), net:forward(x):equal(y))
    """
    assert lua(source) == "cudnn.SpatialConvolution\tnn.ReLU\tnn.View\ttrue\nnn.SpatialConvolution\ttrue\n"
    fresh = Runtime()
    fresh.execute(f"net = torch.load('{tmp_path}/net.t7') kind = torch.type(net:get(1))")
    assert fresh.globals()["kind"] == "cudnn.SpatialConvolution"


def test_classes_at_each_place(lua: Lua) -> None:
    source = """
    require 'cudnn'
    local c = cudnn.SpatialCrossEntropyCriterion()
    local x, t = torch.randn(2, 3, 4, 5), torch.Tensor(2, 4, 5):random(1, 3)
    local plain = nn.CrossEntropyCriterion()
    local rows = x:view(2, 3, 20):transpose(2, 3):contiguous():view(40, 3)
    print(math.abs(c:forward(x, t) - plain:forward(rows, t:view(-1))) < 1e-12)
    local g = c:backward(x, t)
    local wanted = plain:backward(rows, t:view(-1)):view(2, 20, 3):transpose(2, 3):contiguous():viewAs(x)
    print((g - wanted):abs():max() < 1e-12)
    print(pcall(c.forward, c, x, t:narrow(3, 1, 2)))
    """
    out = lua(source)
    assert out.startswith("true\ntrue\nfalse\t") and "target must be" in out


def test_windows_of_averages_touch_by_default(lua: Lua) -> None:
    program = "require 'cudnn' local p = cudnn.SpatialAveragePooling(2, 3) print(p.dW, p.dH) "
    assert lua(program + "print(p:forward(torch.ones(1, 6, 4)):nElement())") == "2\t3\n4\n"


def test_a_criterion_is_converted_as_it_is(lua: Lua) -> None:
    program = "require 'cudnn' print(torch.type(cudnn.convert(nn.ClassNLLCriterion(), cudnn)))"
    assert lua(program) == "nn.ClassNLLCriterion\n"


def test_switches_are_those_of_pytorch(lua: Lua, backend: str) -> None:
    assert (
        lua("cudnn = require 'cudnn' cudnn.benchmark = true print(cudnn.benchmark, cudnn.fastest)")
        == "true\tfalse\n"
    )
    if backend == DEVICE:
        import torch

        assert torch.backends.cudnn.benchmark
    assert lua("cudnn.benchmark = false print(cudnn.benchmark)") == "false\n"
    if backend == DEVICE:
        assert not torch.backends.cudnn.benchmark


def test_temporal_convolution_pads_both_ends(lua: Lua) -> None:
    """Against the convolution of nn behind two paddings."""
    program = """
    require 'cudnn'
    torch.manualSeed(1)
    local m = cudnn.TemporalConvolution(3, 4, 3, 2, 1):double()
    local plain = nn.TemporalConvolution(3, 4, 3, 2)
    plain.weight:copy(m.weight) plain.bias:copy(m.bias)
    local p = nn.Sequential():add(nn.Padding(1, -1, 2)):add(nn.Padding(1, 1, 2)):add(plain)
    for _, x in ipairs{torch.randn(2, 6, 3), torch.randn(6, 3)} do
       m:zeroGradParameters() p:zeroGradParameters()
       local y = m:forward(x)
       local g = torch.randn(y:size())
       io.write(tostring(y:size(y:dim() - 1)), ' ', tostring((y - p:forward(x)):abs():max() < 1e-12), ' ')
       io.write(tostring((m:backward(x, g) - p:backward(x, g)):abs():max() < 1e-12), ' ')
       io.write(tostring((m.gradWeight - plain.gradWeight):abs():max() < 1e-12), ' ')
    end
    print(m.kW, m.kH, m.dW, m.dH, m.padW, m.padH, torch.type(cudnn.convert(m, nn)))
    local n = cudnn.convert(cudnn.TemporalConvolution(3, 4, 2, 1), nn)
    print(torch.type(n), n.kW, n:double():forward(torch.ones(5, 3)):size(1))
    print(pcall(m.forward, m, torch.ones(5, 2)))
    print(pcall(cudnn.TemporalConvolution, 3, 4, 3, 1, 0.5))"""
    lines = lua(program).replace("\t", " ").splitlines()
    assert lines[0] == "3 true true true 3 true true true 3 3 1 2 0 1 cudnn.TemporalConvolution"
    assert lines[1] == "nn.TemporalConvolution 2 4"
    assert "frames must have 3 elements" in lines[2]
    assert "padH must be a whole number of at least 0 (got 0.5)" in lines[3]
