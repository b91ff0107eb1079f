"""The parts of the package: modules of nn, optim, utilities, losses, networks, derivatives of programs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from t7shell import Runtime
from tests.conftest import Run
from tests.runtimes import array, assert_error, runtime_fixture

lua = runtime_fixture("grad = require 'autograd' util = grad.util torch.manualSeed(1)")


def test_a_network_as_a_function(lua: Runtime) -> None:
    lua.execute("""
        net = nn.Sequential():add(nn.Linear(3, 4)):add(nn.Tanh()):add(nn.Linear(4, 2))
        criterion, x, t = nn.MSECriterion(), torch.randn(5, 3), torch.randn(5, 2)
        wanted = criterion:forward(net:forward(x), t)
        net:zeroGradParameters()
        dx = net:backward(x, criterion:backward(net.output, t)):clone()
        _, gradients = net:parameters()
        for i, g in ipairs(gradients) do gradients[i] = g:clone() end
        f, params = grad.functionalize(net:clone())
        loss = grad.nn.MSECriterion()
        g, value = grad(function(p) return loss(f(p.net, p.x), t) end)({net = params, x = x})""")
    assert lua.eval("value") == pytest.approx(lua.eval("wanted"))
    for i in range(1, 5):
        assert np.allclose(array(lua, f"g.net[{i}]"), array(lua, f"gradients[{i}]"))
    assert np.allclose(array(lua, "g.x"), array(lua, "dx"))


def test_a_function_that_is_used_twice(lua: Runtime) -> None:
    # Each use keeps its own output: d/dx tanh(tanh(x)).
    lua.execute(
        "tanh = grad.nn.Tanh() g = grad(function(x) return torch.sum(tanh(tanh(x))) end)(torch.Tensor{0.5})"
    )
    inner = np.tanh(0.5)
    assert array(lua, "g")[0] == pytest.approx((1 - np.tanh(inner) ** 2) * (1 - inner**2))
    lua.execute("""
        linear, p = grad.nn.Linear(2, 2)
        p[1]:copy(torch.Tensor{{1, 2}, {3, 4}}) p[2]:zero()
        g = grad(function(p, x) return torch.sum(linear(p, linear(p, x))) end)(p, torch.Tensor{1, 1})""")
    # y = W W x: the gradient is 1 (W x)' + W' 1 x'.
    assert array(lua, "g[1]").tolist() == [[3 + 4, 7 + 4], [3 + 6, 7 + 6]]


def test_modules_with_tables(lua: Runtime) -> None:
    lua.execute("""
        multiply, split = grad.nn.CMulTable(), grad.nn.SplitTable(1)
        g = grad(function(x) local parts = split(x) return torch.sum(multiply{parts[1], parts[2]}) end)(
           torch.Tensor{{1, 2}, {3, 4}})""")
    assert array(lua, "g").tolist() == [[3, 4], [1, 2]]


def test_a_module_follows_the_type_of_its_input(lua: Runtime) -> None:
    lua.execute("""
        linear, p = grad.nn.Linear(2, 1)
        p = util.cast(p, 'float')
        g = grad(function(p, x) return torch.sum(linear(p, x)) end)(p, torch.FloatTensor{1, 2})""")
    assert lua.eval("g[1]:type()") == "torch.FloatTensor"
    assert array(lua, "g[1]").tolist() == [[1, 2]]


def test_clones_for_several_uses_do_what_the_module_does(lua: Runtime) -> None:
    lua.execute("""
        drop = grad.nn.Dropout(0.5)
        drop.module:evaluate()
        g = grad(function(x) return torch.sum(drop(drop(drop(x)))) end)(torch.ones(100))""")
    assert array(lua, "g").tolist() == [1] * 100


def test_modules_have_no_second_derivative(lua: Runtime) -> None:
    lua.execute("""
        tanh = grad.nn.Tanh()
        df = grad(function(x) return torch.sum(tanh(x)) end)""")
    assert_error(
        lua,
        "grad(function(x) return torch.sum((df(x))) end)(torch.ones(2))",
        "nn have no second derivative",
    )


def test_targets_have_no_gradient(lua: Runtime) -> None:
    lua.execute("loss = grad.nn.MSECriterion()")
    assert_error(lua, "grad(function(x) return loss(torch.ones(2), x) end)(torch.ones(2))", "by the target")
    assert_error(lua, "grad.functionalize(3)", "functionalize: argument 1 must be a module")
    assert_error(lua, "grad.functionalize('no_such')", "functionalize: no package 'no_such'")
    assert lua.eval("grad.nn.NoSuchModule == nil")


def test_optim_changes_nested_parameters(lua: Runtime) -> None:
    lua.execute("""
        df = grad(function(p, t) return torch.sum(torch.pow(p.a.w - t, 2)) + 0 * torch.sum(p.b) end)
        p = {a = {w = torch.Tensor{1, 2}}, b = torch.ones(1), unused = torch.ones(1)}
        step, states = grad.optim.sgd(df, {learningRate = 0.25}, p)
        g, value = step(torch.zeros(2))""")
    assert array(lua, "p.a.w").tolist() == [0.5, 1]
    assert lua.eval("value") == 5
    assert array(lua, "p.unused").tolist() == [1]
    assert lua.eval("#states") == 3


def test_automatic_modules_and_their_files(lua: Runtime, t7: Run, tmp_path: Path) -> None:
    lua.execute(f"""
        Scale = grad.nn.AutoModule 'Scale'
        f = function(x, w, b) return torch.cmul(x, w) + b end
        m = Scale(f, torch.Tensor{{2, 3}}, torch.Tensor{{1, 1}})
        x, g = torch.Tensor{{5, 7}}, torch.Tensor{{1, 10}}
        y = m:forward(x)
        m.gradWeight:zero() m.gradBias:zero()
        dx = m:backward(x, g)
        torch.save('{tmp_path}/m.t7', m)""")
    assert array(lua, "y").tolist() == [11, 22]
    assert array(lua, "dx").tolist() == [2, 30]
    assert array(lua, "m.gradWeight").tolist() == [5, 70]
    assert array(lua, "m.gradBias").tolist() == [1, 10]
    assert lua.eval("torch.type(m) == 'autograd.nn.module.Scale' and grad.auto.Scale == Scale")
    done = t7(
        "-e", f"m = torch.load('{tmp_path}/m.t7') print(m:forward(torch.Tensor{{1, 1}}):sum(), torch.type(m))"
    )
    assert done.stdout == "7\tautograd.nn.module.Scale\n"


def test_an_automatic_criterion(lua: Runtime) -> None:
    lua.execute("""
        Squares = grad.nn.AutoCriterion 'Squares'
        c = Squares(function(x, t) return torch.sum(torch.pow(x - t, 2)) end)
        value = c:forward(torch.Tensor{3, 1}, torch.zeros(2))
        g = c:backward(torch.Tensor{3, 1}, torch.zeros(2))""")
    assert lua.eval("value") == 10
    assert array(lua, "g").tolist() == [6, 2]
    assert_error(lua, "grad.nn.AutoCriterion()", "AutoCriterion: argument 1 must be a name")
    assert_error(lua, "Squares(3)", "AutoCriterion: argument 1 must be a function")


def test_own_derivatives(lua: Runtime) -> None:
    lua.execute("""
        my = {cube = function(x) return torch.pow(x, 3) end, fixed = function(x) return torch.sum(x) end}
        grad.overload.module('my', my, function(module)
           module.gradient('cube', {function(g, ans, x) return torch.cmul(g, x) end})
           module.static 'fixed'
        end)
        g = grad(function(x) return torch.sum(my.cube(x)) * my.fixed(x) end)(torch.Tensor{1, 2})""")
    # Not the true derivative, but that which was declared; what is static is a constant.
    assert array(lua, "g").tolist() == [3, 6]
    assert lua.eval("my.cube(torch.Tensor{2})[1]") == 8
    assert_error(
        lua,
        "grad.overload.module('my', my, function(m) m.gradient('none', {}) end)",
        "'my' has no function 'none'",
    )


def test_gradcheck(lua: Runtime, capfd: pytest.CaptureFixture[str]) -> None:
    lua.execute("""
        check = require 'autograd.gradcheck' {randomizeInput = true}
        fine = check(function(p) return torch.sum(torch.sin(p.x)) * p.k end, {x = torch.ones(3), k = 2})
        bad = {square = function(x) return torch.cmul(x, x) end}
        grad.overload.module('bad', bad, function(m)
           m.gradient('square', {function(g, y, x) return g end})
        end)
        wrong = check(function(p) return torch.sum(bad.square(p.x)) end, {x = torch.ones(3)})""")
    assert lua.eval("fine") is True
    assert lua.eval("wrong") is False
    assert "[gradcheck2] maximum error = " in capfd.readouterr().out


@pytest.mark.parametrize("name", ["Recurrent", "RecurrentLSTM", "RecurrentGRU", "RecurrentFW"])
def test_recurrent_networks(lua: Runtime, name: str) -> None:
    lua.execute(f"""
        f, params = grad.model.{name}Network{{inputFeatures = 2, hiddenFeatures = 3, outputType = 'all'}}
        torch.manualSeed(3)
        for _, k in ipairs{{'W', 'b', 'V', 'c'}} do
           if params[1][k] then params[1][k]:uniform(-0.5, 0.5) end
        end
        x = torch.randn(4, 5, 2)
        check = require 'autograd.gradcheck' {{randomizeInput = false}}
        fine = check(function(p) return torch.sum(torch.pow((f(p, x:narrow(2, 1, 2))), 2)) end, params)
        whole = f(params, x)
        first, state = f(params, x:narrow(2, 1, 2))
        rest = f(params, x:narrow(2, 3, 3), state)""")
    assert lua.eval("fine")
    if name != "RecurrentFW":
        # A sequence in two parts, with the state between them.
        assert np.allclose(np.concatenate([array(lua, "first"), array(lua, "rest")], 1), array(lua, "whole"))


def test_networks_of_layers(lua: Runtime) -> None:
    lua.execute("""
        options = {hiddenFeatures = {4, 2}, poolings = {2, 1}, kernelSize = 3, activations = 'Tanh',
           batchNormalization = true, dropoutProb = 0.1}
        f, params, layers = grad.model.AlexNet(1, 6, 6, options, {hiddenFeatures = {5, 3}})
        g = grad(function(p) return torch.sum(f(p, torch.randn(2, 1, 6, 6))) end)(params)""")
    # Two convolutions with their normalizations and two linear layers.
    assert lua.eval("#params") == 2 * 2 + 2
    assert lua.eval("#g == #params and g[#g][1]:size(1) == 3")


def test_utilities(lua: Runtime) -> None:
    assert array(lua, "util.oneHot(torch.Tensor{1, 3})").tolist() == [[1, 0, 0], [0, 0, 1]]
    assert lua.eval("util.logSumExp(torch.Tensor{1000, 1000})") == pytest.approx(1000 + np.log(2))
    lua.execute("w = torch.Tensor{{1, 2}, {3, 4}, {5, 6}}")
    lua.execute(
        "g = grad(function(w) return torch.sum(util.lookup(w, torch.LongTensor{{1, 3}, {1, 1}})) end)(w)"
    )
    assert array(lua, "g").tolist() == [[3, 3], [0, 0], [1, 1]]
    lua.execute(
        "g = grad(function(p) return torch.dot(util.cat{p.a, p.b}, torch.Tensor{2, 5}) end)({a = 1, b = 1})"
    )
    assert (lua.eval("g.a"), lua.eval("g.b")) == (2, 5)
    lua.execute("x = torch.ones(1000) y = util.dropout(x, 0.25)")
    assert set(array(lua, "y").tolist()) == {0, 1 / 0.75}
    lua.execute("flat, paths = util.sortedFlattenKeys{b = 1, a = {5, 6}}")
    assert [lua.eval(f"flat[{i}]") for i in (1, 2, 3)] == [5, 6, 1]
    assert lua.eval("table.concat(paths[2], '.')") == "a.2"
    lua.execute("t = {a = {b = 1}} util.nestedSet(t, {'a', 'b'}, 4)")
    assert lua.eval("util.nestedGet(t, {'a', 'b'})") == 4
    lua.execute(
        "g = grad(function(x) return torch.sum(util.fill(torch.ones(2, 3), torch.sum(x))) end)(torch.ones(2))"
    )
    assert array(lua, "g").tolist() == [6, 6]


@pytest.mark.parametrize(
    ("call", "gradient"),
    [
        ("util.selectSliceCopy(x, torch.zeros(2, 2), 1, 2)", [3, 3]),
        ("util.narrowSliceCopy(x, torch.zeros(3), 1, 2, 2)", [3, 3]),
        ("util.indexAdd(x, torch.zeros(3), 1, torch.LongTensor{3, 3})", [3, 3]),
        ("util.setNotEqual(x, torch.Tensor{1, 5}, 0, x)", [3, 0]),
    ],
)
def test_parts_of_zeros(lua: Runtime, call: str, gradient: list[float]) -> None:
    lua.execute(f"g = grad(function(x) return torch.sum({call} * 3) end)(torch.ones(2))")
    assert array(lua, "g").tolist() == gradient


def test_losses(lua: Runtime) -> None:
    lua.execute("out, target = torch.Tensor{2, -1, 0.5}, torch.Tensor{1, 0, 0}")
    x, t = array(lua, "out"), array(lua, "target")
    soft = np.exp(x) / np.exp(x).sum()
    lua.execute("g, value = grad(function(x) return (grad.loss.crossEntropy(x, target)) end)(out)")
    assert lua.eval("value") == pytest.approx(-np.log(soft[0]))
    assert np.allclose(array(lua, "g"), soft - t)
    lua.execute("g, value = grad(function(x) return (grad.loss.binaryCrossEntropy(x, target)) end)(out)")
    sigmoid = 1 / (1 + np.exp(-x))
    assert lua.eval("value") == pytest.approx(
        -(t * np.log(sigmoid) + (1 - t) * np.log(1 - sigmoid)).sum(), rel=1e-4
    )
    assert np.allclose(array(lua, "g"), sigmoid - t, atol=1e-4)
    lua.execute("g, value = grad(function(x) return (grad.loss.margin(x, target, 2)) end)(out)")
    # The pairs with less than 2 between them: 2 - (-1) is enough, 2 - 0.5 is not.
    assert lua.eval("value") == 0.5
    assert array(lua, "g").tolist() == [-1, 0, 1]


def test_normalizations_and_attention(lua: Runtime) -> None:
    lua.execute("""
        check = require 'autograd.gradcheck' {randomizeInput = false}
        f, p = grad.module.LayerNormalization{nOutputs = 3}
        fine = check(function(p, x) return torch.sum(torch.pow(f(p, x), 3)) end, p, torch.randn(2, 3))
        attend, q = grad.module.SoftAttention{hiddenFeatures = 2, subjectFeatures = 3, subjectChoices = 4,
           layerNormalization = true}
        q[1].W_att_h:normal() q[1].W_att_subject:normal()
        square = function(p, s, h) return torch.sum(torch.pow((attend(p, s, h)), 2)) end
        also = check(square, q, torch.randn(3, 4), torch.randn(2))
        mean, focus = attend(q, torch.randn(5, 3, 4), torch.randn(5, 2))""")
    assert lua.eval("fine and also")
    assert np.allclose(array(lua, "focus").sum(1), 1)
    assert lua.eval("mean:size(1) == 5 and mean:size(2) == 3")


def test_running_averages_stay_usable(lua: Runtime) -> None:
    lua.execute("""
        f, params, state = grad.module.MaskedBatchNormalization{nOutputs = 3}
        p = {norm = params, x = torch.randn(4, 3)}
        df = grad(function(p) return torch.sum(torch.pow(f(p.norm, p.x, torch.ones(4, 3), state), 2)) end)
        df(p)
        before = state.running_std:clone()
        df(p)
        state.train = 0
        fixed = state.running_std:clone()
        check = require 'autograd.gradcheck' {randomizeInput = false}
        square = function(p) return torch.sum(torch.pow(f(p.norm, p.x, torch.ones(4, 3), state), 2)) end
        fine = check(square, p)""")
    assert lua.eval("not torch.equal(before, fixed) and torch.equal(state.running_std, fixed)")
    assert lua.eval("fine")
