"""Resampling, graphs of pixels, mixtures of trees and Riemannian gradients, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from t7shell import LuaError, Runtime
from tests.runtimes import array, runtime_fixture

from ..finite_differences import GRADIENTS
from ..nn.module_records import SET_UP

lua = runtime_fixture(SET_UP, "nnx = require 'nnx'", GRADIENTS)

FOREST = "{{[9] = {1, 2, 3}}, {[7] = {1, 9}, [9] = torch.IntTensor{2, 3}}}, {9, 7}"
MODULES = {
    "SpatialReSamplingEx{rwidth = 0.7, rheight = 0.5}": ("t(3, 6, 5)", "t(2, 4, 7)"),
    "SpatialReSamplingEx{owidth = 9, oheight = 7}": ("t(3, 6, 5)", "t(2, 4, 7)"),
    "SpatialReSamplingEx{owidth = 3, oheight = 4, mode = 'average'}": ("t(3, 6, 5)", "t(2, 5, 7)"),
    "SpatialReSamplingEx{owidth = 8, rheight = 2, mode = 'bilinear'}": ("t(3, 6, 5)", "t(2, 4, 7)"),
    "SpatialReSamplingEx{owidth = 7, oheight = 9, yDim = 1, xDim = 2}": ("t(6, 5, 3)", "t(4, 7)"),
    "SpatialGraph()": ("t(3, 4, 5)", "t(2, 1, 3)"),
}


@pytest.mark.parametrize("make", MODULES)
def test_what_holds_for_all_modules(lua: Runtime, make: str) -> None:
    x, other = MODULES[make]
    lua.execute(f"failures = checks(function() return nn.{make} end, {x}, {other}, t(2), {{any = true}})")
    assert lua.eval("table.concat(failures, '; ')") == ""


def test_resampling(lua: Runtime) -> None:
    lua.execute("""
        x = t(3, 6, 8)
        local function made(o) return nn.SpatialReSamplingEx(o):forward(x):clone() end
        less, means = made{owidth = 3, oheight = 4}, made{rwidth = 0.5, rheight = 1 / 3, mode = 'average'}
        more, line = made{owidth = 11, oheight = 12}, made{rwidth = 2, rheight = 2, mode = 'bilinear'}
        known = nn.SpatialUpSamplingBilinear(2):forward(x)
        first = made{owidth = 12, oheight = 6, yDim = 1, xDim = 2}
    """)
    x = array(lua, "x")
    np.testing.assert_array_equal(array(lua, "less"), x[:, :4, 0:6:2])
    np.testing.assert_array_equal(array(lua, "more"), x.repeat(2, 1).repeat(2, 2)[:, :, :11])
    np.testing.assert_allclose(array(lua, "means"), x.reshape(3, 2, 3, 4, 2).mean((2, 4)))
    np.testing.assert_array_equal(array(lua, "line"), array(lua, "known"))
    np.testing.assert_array_equal(array(lua, "first"), x.repeat(2, 0).repeat(2, 1))


def test_resampling_keeps_nan_in_its_place(lua: Runtime) -> None:
    lua.execute("""
        x = torch.ones(1, 2, 2)
        x[1][1][1] = 0 / 0
        y = nn.SpatialReSamplingEx{rwidth = 2, rheight = 2}:forward(x)
    """)
    assert np.isnan(array(lua, "y")).sum() == 4


def log_softmax(x: Any) -> Any:
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def test_forests(lua: Runtime) -> None:
    lua.execute(f"""
        torch.manualSeed(1)
        m = nn.SoftMaxForest(4, {FOREST}, {{5}})
        x, classes, c = t(3, 4), torch.LongTensor{{2, 3, 1}}, nn.TreeNLLCriterion()
        out = m:forward{{x, classes}}:clone()
        one, two, layer, gate = m.smts[1], m.smts[2], m.gater:get(2), m.gater:get(4)
        local function loss() return c:forward(m:forward{{x, classes}}) end
        loss()
        m:zeroGradParameters()
        grads = m:backward({{x, classes}}, c:backward(m.output))
        local compared = {{{{x, grads[1]}}}}
        for _, part in ipairs{{layer, gate, one, two}} do
           for _, name in ipairs{{'weight', 'bias'}} do
              local gradient = part['grad' .. name:sub(1, 1):upper() .. name:sub(2)]
              table.insert(compared, {{part[name], gradient}})
           end
        end
        worst = worst_difference(loss, compared)
        f = torch.deserialize(torch.serialize(m)):float()
        single = f:forward{{x:float(), classes}}
    """)
    x = array(lua, "x")
    rows_of = [lua.eval(f"two.parentChildren[{node}][1]") - 1 for node in (7, 9)]
    hidden = np.tanh(x @ array(lua, "layer.weight").T + array(lua, "layer.bias"))
    gate = np.exp(log_softmax(hidden @ array(lua, "gate.weight").T + array(lua, "gate.bias")))
    flat = log_softmax(x @ array(lua, "one.weight").T + array(lua, "one.bias"))
    scores = x @ array(lua, "two.weight").T + array(lua, "two.bias")
    top, below = (log_softmax(scores[:, at : at + 2]) for at in rows_of)
    deep = np.stack([top[:, 0], top[:, 1] + below[:, 0], top[:, 1] + below[:, 1]], 1)
    rows, classes = np.arange(3), np.array([1, 2, 0])
    wanted = gate[:, 0] * flat[rows, classes] + gate[:, 1] * deep[rows, classes]
    # The exponentials of trees are those of the original, right to four digits.
    np.testing.assert_allclose(array(lua, "out"), wanted, rtol=1e-3)
    np.testing.assert_allclose(array(lua, "single"), wanted, rtol=1e-3)
    assert lua.eval("worst") < 1e-3


def test_parameters_of_nodes(lua: Runtime) -> None:
    lua.execute("""
        m = nn.SoftMaxTree(4, {[5] = {1, 10}, [10] = {2, 3, 4}}, 5)
        p, d = m:getNodeParameters(10)
        p[1]:fill(3) d[2]:fill(5)
        whole, gradients = m.weight:clone(), m.gradBias:clone()
        m:maxNorm(2)
        moving = m:momentumGradParameters()
        zeros = moving[1]:sum() + moving[2]:sum()
        moving[1]:fill(1)
        kept = m:momentumGradParameters()[1]:sum()
    """)
    row = lua.eval("m.parentChildren[10][1]") - 1
    assert (array(lua, "whole")[row : row + 3] == 3).all()
    assert array(lua, "gradients")[row : row + 3].tolist() == [5, 5, 5]
    np.testing.assert_allclose(array(lua, "m.weight")[row : row + 3], 1)
    assert lua.eval("zeros") == 0 and lua.eval("kept") == 20


def natural(x: Any, g: Any, metrics: tuple[Any, Any, Any], diagonal: bool) -> tuple[Any, Any]:
    """Gradients in the metric by the linear systems of two unknowns that the quasi-diagonal form is."""
    mii, m0i, m00 = metrics
    dw, db = g.T @ x, g.sum(0)
    if diagonal:
        return dw / mii, db / m00
    found = np.empty_like(dw)
    for k, i in np.ndindex(dw.shape):
        found[k, i] = np.linalg.solve([[mii[k, i], m0i[k, i]], [m0i[k, i], m00[k]]], [dw[k, i], db[k]])[0]
    return found, (db - (m0i * found).sum(1)) / m00


@pytest.mark.parametrize("flag", ["true", "false"])
def test_riemannian_gradients(lua: Runtime, flag: str) -> None:
    lua.execute(f"""
        torch.manualSeed(1)
        m, plain = nnx.QDRiemaNNLinear(3, 2, 0.2, {flag}), nn.Linear(3, 2)
        plain.weight:copy(m.weight) plain.bias:copy(m.bias)
        x, g = torch.randn(2, 5, 3), torch.randn(2, 5, 2)
        same = m:forward(x[1]):equal(plain:forward(x[1]))
        m:zeroGradParameters()
        back = m:backward(x[1], g[1]):equal(plain:backward(x[1], g[1]))
        w1, b1 = m.gradWeight:clone(), m.gradBias:clone()
        m:zeroGradParameters()
        m:forward(x[2]) m:backward(x[2], g[2], 0.5)
    """)
    assert lua.eval("same and back") is True
    xs, gs = array(lua, "x"), array(lua, "g")
    sums = [((g**2).T @ x**2, (g**2).T @ x, (g**2).sum(0)) for x, g in zip(xs, gs, strict=True)]
    moved = tuple(0.8 * a + 0.2 * b for a, b in zip(*sums, strict=True))
    w1, b1 = natural(xs[0], gs[0], sums[0], flag == "false")
    w2, b2 = natural(xs[1], gs[1], moved, flag == "false")
    np.testing.assert_allclose(array(lua, "w1"), w1)
    np.testing.assert_allclose(array(lua, "b1"), b1)
    np.testing.assert_allclose(array(lua, "m.gradWeight"), w2)
    np.testing.assert_allclose(array(lua, "m.gradBias"), b2)
    assert lua.eval("tostring(m)") == "nnx.QDRiemaNNLinear(3 -> 2)"


def test_riemannian_layers_of_other_forms(lua: Runtime) -> None:
    """A sample is a batch of one; inputs of zeros divide by no zero; files and floats."""
    lua.execute("""
        m, n = nnx.QDRiemaNNLinear(3, 2), nil
        n = m:clone()
        local x, g = t(3), t(2)
        for _, pair in ipairs{{m, x, g}, {n, x:view(1, 3), g:view(1, 2)}} do
           pair[1]:forward(pair[2]) pair[1]:zeroGradParameters() pair[1]:backward(pair[2], pair[3])
        end
        same = m.gradWeight:equal(n.gradWeight) and m.gradBias:equal(n.gradBias)
        f = torch.deserialize(torch.serialize(m)):float()
        f:forward(torch.zeros(4, 3):float()) f:reset() f:zeroGradParameters()
        f:backward(torch.zeros(4, 3):float(), torch.zeros(4, 2):float())
        zero = f.gradWeight:abs():sum() + f.gradBias:abs():sum()
        fine = pcall(m.accGradParameters, m, t(3), t(5))
        kept = m.gradWeight:equal(n.gradWeight)
        m:zeroGradParameters() n:zeroGradParameters()
        local wide, deep = t(3, 2):select(2, 1), t(2, 5):select(2, 3)
        m:backward(wide, deep)
        n:backward(wide:clone(), deep:clone())
        strided = m.gradWeight:equal(n.gradWeight)
    """)
    assert lua.eval("same") is True and lua.eval("zero") == 0
    assert lua.eval("fine") is False and lua.eval("kept and strided") is True


def test_parts_of_criterions_and_layers(lua: Runtime) -> None:
    lua.execute("""
        c, x = nn.DistNLLCriterion{targetIsProbability = true}, t(2, 3)
        z = nn.SoftMax():forward(t(2, 3):cos())
        c:normalize(x, z)
        c.gradLogInput = t(2, 3):sin()
        c:denormalize()
        local soft = nn.LogSoftMax()
        logs = soft:forward(x)
        same = c.logProbInput:equal(logs) and c.probTarget:equal(z)
        back = c.gradInput:equal(soft:backward(x, c.gradLogInput))
        m = nn.SpatialLinear(3, 2)
        weight, bias = m.weight:clone(), m.bias:clone()
        m:decayParameters(0.25)
        pull = nn.PullTable(nn.PushTable(1), 2)
        pull:_updateOutput(t(4))
        pulled = pull:forward{t(2)}
    """)
    assert lua.eval("same and back") is True and lua.eval("nnx.test_omp()") is True
    np.testing.assert_allclose(array(lua, "m.weight"), 0.75 * array(lua, "weight"))
    np.testing.assert_allclose(array(lua, "m.bias"), 0.75 * array(lua, "bias"))
    assert lua.eval("#pulled") == 2 and lua.eval("pulled[2]:size(1)") == 4


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nn.SpatialReSamplingEx{owidth = 2}", "got neither"),
        ("nn.SpatialReSamplingEx{owidth = 2, oheight = 2, mode = 'cubic'}", "mode must be one of"),
        ("nn.SpatialReSamplingEx{owidth = 2, oheight = 2, yDim = 1, xDim = 3}", r"\(got 3 and 1\)"),
        ("nn.SpatialReSamplingEx{owidth = 2, oheight = 2}:forward(t(3))", "3 to 8 dimensions"),
        ("nn.SpatialReSamplingEx{rwidth = 0.1, rheight = 0.9}:forward(t(1, 3, 3))", "would have 3 x 0"),
        (
            "nn.SpatialReSamplingEx{owidth = 4, oheight = 2, mode = 'average'}:forward(t(1, 3, 3))",
            r"larger in both directions, or smaller \(got 2 x 4 for maps of 3 x 3\)",
        ),
        ("nn.SpatialGraph 'far'", "dist must be one of 'euclid', 'cosine'"),
        ("nn.SpatialGraph():forward(t(2, 3))", "3 dimensions"),
        ("nn.SpatialGraph():backward(t(2, 3, 4), torch.Tensor())", "output must be a tensor of 3 dimensions"),
        ("nn.SoftMaxForest(4, {}, {})", "trees must be a list of hierarchies"),
        ("nn.SoftMaxForest(4)", "needs inputSize, trees, rootIds"),
        (f"nn.SoftMaxForest(4, {FOREST}):forward{{t(2, 3), torch.ones(2)}}", "batch x 4"),
        (f"nn.SoftMaxForest(4, {FOREST}):backward({{t(2, 4), t(2)}}, t(2))", "called before forward"),
        ("nn.SoftMaxTree(4, {{2, 3}}):getNodeParameters(2)", r"node must be .* \(got 2\)"),
        ("nn.SoftMaxTree(4, {{2, 3}}, 1, true):momentumGradParameters()", "accUpdate"),
        ("nnx.QDRiemaNNLinear(3, 2, 2)", "gamma must be a number above 0, at most 1"),
        ("nnx.QDRiemaNNLinear(3)", "needs inputSize, outputSize"),
        ("nnx.QDRiemaNNLinear(3, 2):noBias()", "noBias"),
        ("nnx.QDRiemaNNLinear(3, 2):accGradParameters(t(2, 3), t(3, 2))", "a tensor of 2 rows"),
        ("nnx.QDRiemaNNLinear(3, 2):accGradParameters(t(2, 4), t(2, 2))", "of size 3, or batch x 3"),
        ("nn.SpatialLinear(2, 2):decayParameters('much')", "decay must be a number"),
        ("nn.PullTable(nn.Linear(2, 2), 1)", "push must be an nn.PushTable"),
        ("nn.PullTable(nn.PushTable(1), 1):forward{t(2)}", "PushTable must come first"),
    ],
)
def test_wrong_calls(lua: Runtime, source: str, message: str) -> None:
    with pytest.raises(LuaError, match=message):
        lua.execute(source)
