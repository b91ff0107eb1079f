"""nn.SoftMaxTree: probabilities over a tree by NumPy, gradients by finite differences, wrong input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from t7shell import LuaError, Runtime
from tests.runtimes import array, runtime_fixture

from ..finite_differences import GRADIENTS

# The root 29 with a node 30 and leaves; depths from one to three.
TREE = "{[29] = torch.IntTensor{30, 1, 2}, [30] = torch.IntTensor{3, 31}, [31] = {4, 5, 6}}"
PARENTS = {30: 29, 1: 29, 2: 29, 3: 30, 31: 30, 4: 31, 5: 31, 6: 31}
ROWS = {29: [30, 1, 2], 30: [3, 31], 31: [4, 5, 6]}


lua = runtime_fixture(f"require 'nnx' torch.manualSeed(1) m = nn.SoftMaxTree(4, {TREE}, 29)", GRADIENTS)


def test_probabilities(lua: Runtime) -> None:
    lua.execute("x = torch.randn(5, 4) out = m:forward{x, torch.IntTensor{1, 3, 4, 6, 5}}:clone()")
    x, weight, bias = array(lua, "x"), array(lua, "m.weight"), array(lua, "m.bias")
    first = {node: lua.eval(f"m.parentChildren[{node}][1]") - 1 for node in ROWS}
    wanted = []
    for row, leaf in zip(x, (1, 3, 4, 6, 5), strict=True):
        total, node = 0.0, leaf
        while node != 29:
            above = PARENTS[node]
            places = slice(first[above], first[above] + len(ROWS[above]))
            scores = weight[places] @ row + bias[places]
            total += scores[ROWS[above].index(node)] - np.log(np.exp(scores).sum())
            node = above
        wanted.append(total)
    # Exponentials are those of the original, right to four digits.
    np.testing.assert_allclose(array(lua, "out"), wanted, rtol=1e-3)


def test_all_leaves_together_are_certain(lua: Runtime) -> None:
    lua.execute("p = m:forward{torch.randn(1, 4):expand(6, 4):contiguous(), torch.range(1, 6)}:exp():sum()")
    assert lua.eval("p") == pytest.approx(1)


def test_gradients(lua: Runtime) -> None:
    lua.execute("""
        x, classes, c = torch.randn(3, 4), torch.LongTensor{2, 5, 3}, nn.TreeNLLCriterion()
        local function loss() return c:forward(m:forward{x, classes}) end
        first = loss()
        m:zeroGradParameters()
        grads = m:backward({x, classes}, c:backward(m.output))
        worst = worst_difference(loss, {{x, grads[1]}, {m.weight, m.gradWeight}, {m.bias, m.gradBias}})
        mean = -m:forward{x, classes}:mean()
    """)
    assert lua.eval("worst") < 1e-3 and array(lua, "grads[2]").tolist() == [0, 0, 0]
    assert lua.eval("first") == pytest.approx(lua.eval("mean"))


def test_types_and_files(lua: Runtime, tmp_path: Any) -> None:
    lua.execute(f"""
        local x = torch.rand(2, 4):float()
        f = m:clone():float()
        torch.save('{tmp_path}/m.t7', f)
        same = torch.load('{tmp_path}/m.t7'):forward{{x, torch.ones(2)}}:equal(f:forward{{x, torch.ones(2)}})
        kind = f.output:type()
        f:clearState()
    """)
    assert lua.eval("same") is True and lua.eval("kind") == "torch.FloatTensor"
    assert lua.eval("tostring(m)") == "nn.SoftMaxTree"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nn.SoftMaxTree(4, {[2] = {3, 4}})", r"root must be among the parents of the hierarchy \(got 1\)"),
        ("nn.SoftMaxTree(4, {{2, 3}, {3}})", "two parents of node 3"),
        ("nn.SoftMaxTree(4, {[-1] = {2}})", r"ids of nodes must be from 1 \(got -1\)"),
        ("nn.SoftMaxTree(4, {3})", "children of node 1 must be a tensor"),
        ("m:forward{torch.rand(2, 4), torch.Tensor{1, 9}}", r"class must be below the root 29 \(got 9\)"),
        ("m:forward{torch.rand(2, 4), torch.Tensor{1, 29}}", r"below the root 29 \(got 29\)"),
        ("m:forward{torch.rand(2, 3), torch.ones(2)}", "batch x 4"),
        ("m:forward{torch.rand(2, 4), torch.ones(1)}", "must be a tensor of 2 classes"),
        ("m:forward(torch.rand(2, 4))", "input"),
        ("m:backward({torch.rand(2, 4), torch.ones(2)}, torch.ones(3))", "gradOutput must have 2 elements"),
    ],
)
def test_wrong_input(lua: Runtime, source: str, message: str) -> None:
    with pytest.raises(LuaError, match=message):
        lua.execute(source)


@pytest.mark.parametrize("name", ["rgb2y", "rgb2yuv", "yuv2rgb"])
def test_linear_colour_transforms(lua: Runtime, name: str) -> None:
    lua.execute(f"""
        require 'image'
        t, x = nn.SpatialColorTransform('{name}'), torch.rand(3, 4, 5)
        apart = (t:forward(x) - image.{name}(x)):abs():max()
        worst = nn.Jacobian.testJacobian(t, torch.Tensor(3, 4, 5))
    """)
    assert lua.eval("apart") < 1e-14 and lua.eval("worst") < 1e-6


def test_linear_colour_transforms_draw_weights(lua: Runtime) -> None:
    """The original draws weights before it sets them: the number after it."""
    lua.execute("torch.manualSeed(3) nn.SpatialColorTransform('rgb2yuv') drawn = torch.uniform()")
    assert lua.eval("drawn") == pytest.approx(0.1255853160, abs=6e-11)


def test_other_colour_transforms(lua: Runtime) -> None:
    lua.execute("""
    t, x = nn.SpatialColorTransform('rgb2y+nrgb'), torch.rand(3, 4, 5)
    same = t:forward(x):equal(torch.cat(image.rgb2y(x), image.rgb2nrgb(x), 1))
    """)
    assert lua.eval("same") is True
    lua.execute("t, x = nn.SpatialColorTransform('rgb2hsv'), torch.rand(3, 4, 5)")
    assert lua.eval("t:forward(x):equal(require('image').rgb2hsv(x))") is True
    for source, message in (
        ("t:backward(x, x)", "gradients exist only for rgb2y"),
        ("t:forward(torch.rand(4, 5))", "3"),
        ("nn.SpatialColorTransform('rgb2xyz')", "transform"),
    ):
        with pytest.raises(LuaError, match=message):
            lua.execute(source)
