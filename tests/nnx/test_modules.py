"""Modules of nnx against NumPy and by the checks that hold for all layers; CTC by all alignments."""

from __future__ import annotations

from itertools import groupby, product
from typing import Any

import numpy as np
import pytest

from t7shell import LuaError, Runtime
from tests.runtimes import array, runtime_fixture

from ..nn.module_records import SET_UP

lua = runtime_fixture(SET_UP, "require 'nnx'")


MAPS = "t(2, 3, 6, 5)", "t(1, 3, 8, 7)"
MODULES = {
    "Minus()": MAPS,
    "SaturatedLU(-0.5, -0.4, 1, 0.9)": MAPS,
    "MultiSoftMax()": ("t(2, 3, 4)", "t(5, 2)"),
    "SpatialPadding(1, 2, 0, 1, 3, 4)": MAPS,
    "SpatialPadding(-1, 2, 1, -2, 3, 4)": MAPS,
    "SpatialUpSampling(2, 3, 3, 4)": MAPS,
    "SpatialDownSampling(2, 3)": MAPS,
    "SpatialMaxSampling{owidth = 2, oheight = 3}": MAPS,
}


@pytest.mark.parametrize("make", MODULES)
def test_what_holds_for_all_modules(lua: Runtime, make: str) -> None:
    x, other = MODULES[make]
    lua.execute(f"failures = checks(function() return nn.{make} end, {x}, {other}, t(2), {{any = true}})")
    assert lua.eval("table.concat(failures, '; ')") == ""


def test_outputs(lua: Runtime) -> None:
    lua.execute("""
        x = t(2, 3, 6, 5)
        minus, lu = nn.Minus():forward(x), nn.SaturatedLU(-0.5, -0.4, 1, 0.9):forward(x)
        shuffled = nn.PixelShuffle(2):forward(nn.PixelSort(2):forward(x:narrow(4, 1, 4)))
        padded = nn.SpatialPadding(1, 2, 0, 1, 3, 4, 7):forward(x)
        cut = nn.SpatialPadding(-1, 2, 1, -2, 3, 4):forward(x)
        up, down = nn.SpatialUpSampling(2, 3, 3, 4):forward(x), nn.SpatialDownSampling(2, 3):forward(x)
        soft = nn.MultiSoftMax():forward(t(2, 3, 4))
        wrapped = nn.FunctionWrapper(function(self) self.n = 2 end, function(self, y) return y * self.n end,
           function(self, _, g) return g * self.n end)
        twice = wrapped:forward(x)
        back = wrapped:backward(x, x)
    """)
    x = array(lua, "x")
    np.testing.assert_array_equal(array(lua, "minus"), -x)
    np.testing.assert_array_equal(array(lua, "lu"), np.where(x < -0.5, -0.4, np.where(x > 1, 0.9, x)))
    np.testing.assert_array_equal(array(lua, "shuffled"), x[..., :4])
    padded = np.pad(x, [(0, 0), (0, 0), (0, 1), (1, 2)], constant_values=7)
    np.testing.assert_array_equal(array(lua, "padded"), padded)
    np.testing.assert_array_equal(
        array(lua, "cut"), np.pad(x[:, :, :-2, 1:], [(0, 0), (0, 0), (1, 0), (0, 2)])
    )
    np.testing.assert_array_equal(array(lua, "up"), x.repeat(3, 2).repeat(2, 3))
    np.testing.assert_allclose(array(lua, "down"), x[..., :4].reshape(2, 3, 2, 3, 2, 2).mean((3, 5)))
    e = np.exp(array(lua, "t(2, 3, 4)"))
    np.testing.assert_allclose(array(lua, "soft"), e / e.sum(2, keepdims=True))
    np.testing.assert_array_equal(array(lua, "twice"), 2 * x)
    np.testing.assert_array_equal(array(lua, "back"), 2 * x)


def test_fields_that_methods_of_torch7_read(lua: Runtime) -> None:
    lua.execute("""
        local function f(_, x) return x end
        wrapped, loss = nn.FunctionWrapper(function() end, f, print), nn.TreeNLLCriterion()
        same = wrapped.fn_updateOutput == f and wrapped.fn_updateGradInput == print
        mean, gradient = torch.type(loss._module), loss._output_grad[1]
    """)
    assert lua.eval("same") and lua.eval("mean") == "nn.Mean" and lua.eval("gradient") == -1


def test_multi_soft_max_in_files_of_the_original(lua: Runtime) -> None:
    """They have none of the fields that are made here."""
    lua.execute("m, fresh, x = nn.MultiSoftMax(), nn.MultiSoftMax(), torch.rand(2, 3, 4)")
    lua.execute("m._softmax = nil")
    np.testing.assert_array_equal(
        array(lua, "m:backward(x, x)"), array(lua, "(fresh:forward(x) and fresh:backward(x, x))")
    )
    assert lua.eval("torch.type(nn.MultiSoftMax():float():forward(x:float()))") == "torch.FloatTensor"


def test_elements_that_pass_by(lua: Runtime) -> None:
    lua.execute("""
        push = nn.PushTable(2)
        pull, other = push:pull(1), push:pull(2)
        local a, b, c = t(2), t(3), t(4)
        rest = push:forward{a, b, c}
        first = pull:forward{a}
        second = other:forward{c}
        order = rest[2] == c and first[1] == b and second[2] == b and #rest == 2
        local g1 = pull:backward({a}, {torch.ones(3), t(2)})
        local g2 = other:backward({c}, {t(4), torch.ones(3):mul(2)})
        g = push:backward({a, b, c}, {g1[1], g2[1]})
    """)
    assert lua.eval("order") is True and array(lua, "g[2]").tolist() == [3, 3, 3] and lua.eval("#g") == 3


def brute_force(p: Any, labels: list[int]) -> float:
    """Minus the logarithm of the sum over all alignments; class 0 is the blank."""
    total = 0.0
    for path in product(range(p.shape[1]), repeat=p.shape[0]):
        if [k for k, _ in groupby(path) if k] == labels:
            total += float(np.prod([p[t, k] for t, k in enumerate(path)]))
    return -float(np.log(total))


def test_ctc(lua: Runtime) -> None:
    lua.execute("""
        c, x = nn.CTCCriterion(), t(4, 3, 3)
        target, sizes = {{1, 2}, {2, 2}, {}}, torch.Tensor{4, 4, 2}
        loss = c:forward(x, target, sizes)
        g = c:backward(x, target, sizes):clone()
        first = nn.CTCCriterion(true)
        turned = first:forward(x:transpose(1, 2), torch.Tensor{{1, 2}, {2, 2}, {0, 0}}, sizes)
        same = first:backward(x:transpose(1, 2)):transpose(1, 2):equal(g)
        single = c:clone():float():forward(x:float(), target, sizes)
        worst, of_floats = 0, 0
        for _, own in ipairs{c:clone(), c:clone():float()} do
           own:forward(x:float(), target, sizes)
           of_floats = math.max(of_floats, (own:backward(x:float(), target, sizes) - g:float()):abs():max())
        end
        local flat, found = x:view(-1), g:contiguous():view(-1)
        for i = 1, flat:size(1) do
           local was = flat[i]
           flat[i] = was + 1e-6 c:forward(x, target, sizes) local up = c.output
           flat[i] = was - 1e-6 c:forward(x, target, sizes)
           worst = math.max(worst, math.abs((up - c.output) / 2e-6 - found[i]))
           flat[i] = was
        end
        known = nn.CTCCriterion():forward(torch.range(1, 15):view(3, 1, 5), {{3, 3}}, torch.Tensor{3})
        local steps = torch.range(1, 15):view(3, 1, 5)
        cut = nn.CTCCriterion():forward(steps, {{3.7, '3'}}, torch.Tensor{3}) == known
        short = nn.CTCCriterion():forward(torch.zeros(1, 1, 5), {{1, 2}}, torch.Tensor{1})
    """)
    e = np.exp(array(lua, "x"))
    p = e / e.sum(2, keepdims=True)
    parts = [brute_force(p[:4, 0], [1, 2]), brute_force(p[:, 1], [2, 2]), brute_force(p[:2, 2], [])]
    assert lua.eval("loss") == pytest.approx(sum(parts) / 3) and lua.eval("turned") == lua.eval("loss")
    assert lua.eval("single") == pytest.approx(lua.eval("loss"), rel=1e-6) and lua.eval("same") is True
    assert lua.eval("of_floats") < 1e-6
    assert lua.eval("worst") < 1e-8 and lua.eval("short") == float("inf")
    # The value that warp-ctc documents for these activations.
    assert lua.eval("cut") is True and lua.eval("known") == pytest.approx(7.355742931366, rel=1e-6)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [("{targetIsProbability = false}", "scores"), ("{inputIsProbability = true}", "probabilities")],
)
def test_distributions_as_targets(lua: Runtime, options: str, wanted: str) -> None:
    lua.execute(f"""
        c, x, z = nn.DistNLLCriterion{options}, t(3, 4), t(3, 4):cos()
        if '{wanted}' == 'probabilities' then
           x, z = nn.SoftMax():forward(x), nn.SoftMax():forward(z)
        end
        loss, g, worst = c:forward(x, z), c:backward(x, z):clone():view(-1), 0
        local flat = x:view(-1)
        for i = 1, 12 do
           local was = flat[i]
           flat[i] = was + 1e-6 local up = c:forward(x, z)
           flat[i] = was - 1e-6 worst = math.max(worst, math.abs((up - c:forward(x, z)) / 2e-6 - g[i]))
           flat[i] = was
        end
    """)
    p, q = np.exp(array(lua, "t(3, 4)")), np.exp(np.cos(array(lua, "t(3, 4)")))
    p, q = p / p.sum(1, keepdims=True), q / q.sum(1, keepdims=True)
    assert lua.eval("loss") == pytest.approx(-(q * np.log(p)).sum()) and lua.eval("worst") < 1e-8


def test_ctc_of_rows(lua: Runtime) -> None:
    """The numbers that the original prints; the sizes tell the number of sequences."""
    lua.execute("""
        local x, labels, sizes = torch.range(1, 24):sin():view(4, 2, 3), {{1}, {2, 1}}, torch.Tensor{4, 3}
        c = nn.CTCCriterion()
        loss = c:forward(x, labels, sizes)
        g = c:backward(x, labels, sizes):clone()
        of_rows = c:forward(x:view(8, 3), labels, sizes)
        same = c:backward(x:view(8, 3)):equal(g:view(8, 3))
        single = nn.CTCCriterion():forward(torch.range(1, 15):view(1, 3, 5), {{3, 3}}, torch.Tensor{3})
    """)
    assert lua.eval("loss") == pytest.approx(1.72947186, rel=1e-6) and lua.eval("of_rows") == lua.eval("loss")
    assert lua.eval("c.output") == pytest.approx(3.45894372, rel=1e-6) and lua.eval("same") is True
    assert lua.eval("single") == pytest.approx(7.35574293, rel=1e-6)
    wanted = [
        [[-0.2185, 0.0251, 0.1934], [0.1530, 0.2383, -0.3913]],
        [[-0.0019, -0.2445, 0.2464], [0.1568, -0.1762, 0.0194]],
        [[0.0282, -0.3407, 0.3125], [0.1918, -0.4860, 0.2942]],
        [[-0.1959, -0.1914, 0.3872], [0, 0, 0]],
    ]  # fmt: skip
    np.testing.assert_allclose(array(lua, "g"), np.array(wanted), atol=6e-5)


def test_a_sum_of_criterions(lua: Runtime) -> None:
    lua.execute("""
        c = nn.SuperCriterion()
        c:add(nn.MSECriterion(), 2)
        c:add(nn.AbsCriterion())
        x, y, z = t(3), t(3):cos(), t(3):sin()
        loss, g = c:forward({x, y}, z), c:backward({x, y}, z)
    """)
    x, y, z = (array(lua, name) for name in "xyz")
    assert lua.eval("loss") == pytest.approx(2 * ((x - z) ** 2).mean() + abs(y - z).mean())
    np.testing.assert_allclose(array(lua, "g[1]"), 4 * (x - z) / 3)
    np.testing.assert_allclose(array(lua, "g[2]"), np.sign(y - z) / 3)


def test_sizes_as_losses(lua: Runtime) -> None:
    lua.execute("""
        x = torch.Tensor{{{1, -2}, {0.5, 4}}, {{-3, 1}, {2, -0.5}}}
        c, spatial = nn.SparseCriterion(), nn.SpatialSparseCriterion{nbGradients = 1}
        loss, g = c:forward(x), c:backward(x)
        mean, one = spatial:forward(x), spatial:backward(x)
    """)
    x = array(lua, "x")
    assert lua.eval("loss") == pytest.approx(abs(x).mean()) and lua.eval("mean") == lua.eval("loss")
    np.testing.assert_allclose(array(lua, "g"), np.sign(x) / 8)
    wanted = np.zeros((2, 2, 2))
    wanted[:, 0, 0] = np.sign(x[:, 0, 0]) / 8
    np.testing.assert_allclose(array(lua, "one"), wanted)


def test_what_prints(lua: Runtime) -> None:
    lua.execute("""
        lines = {}
        local kept = print
        print = function(x) lines[#lines + 1] = tostring(x) end
        local net = nn.Sequential():add(nn.Tic 'a'):add(nn.Probe 'b'):add(nn.Toc 'a')
        y = net:forward(t(2))
        print = kept
        text = table.concat(lines, '|')
    """)
    assert "<b>.output" in lua.eval("text") and "  + size = 2" in lua.eval("text")
    assert "Toc 'a' () : " in lua.eval("text")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nn.CTCCriterion():forward(t(4, 3), {{1}})", "sizes must be numbers of steps"),
        ("nn.CTCCriterion():forward(t(3), {{1}}, {3})", "input must be a tensor of 2 or 3 dimensions"),
        ("nn.CTCCriterion():forward(t(5, 3), {{1}, {1}}, {2, 2})", "input must be steps of 2 sequences"),
        ("nn.CTCCriterion():forward(t(4, 1, 3), {{3}})", "label must be a whole number from 1 to 2"),
        ("nn.CTCCriterion():forward(t(4, 2, 3), {{1}})", "target must be labels of 2 sequences"),
        ("nn.CTCCriterion():forward(t(4, 1, 3), {{1}}, torch.Tensor{5})", "number of steps must be"),
        ("nn.CTCCriterion():backward(t(4, 1, 3), {{1}})", "backward called before forward on this input"),
        ("nn.PushTable(3):forward{t(2)}", "input must be a table of 3 elements"),
        ("nn.SpatialMaxSampling{owidth = 2}", "oheight must be a number"),
        ("nn.SpatialDownSampling(3, 3):forward(t(1, 2, 2))", "maps of at least 3 x 3"),
        ("nn.FunctionWrapper(1, 2, 3)", "argument 1"),
        ("nn.SuperCriterion():add(nn.Linear(2, 2))", "must be a criterion"),
        ("nn.SpatialPadding(-5, -5):forward(t(3, 4, 4))", "larger than the part that is cut"),
    ],
)
def test_wrong_calls(lua: Runtime, source: str, message: str) -> None:
    with pytest.raises(LuaError, match=message):
        lua.execute(source)
