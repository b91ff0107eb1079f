"""Gradient calls: parameters in tables, control flow, changes in place, gradients of gradients, errors."""

from __future__ import annotations

import pytest

from t7shell import Runtime
from t7shell.host.notices import T7Warning
from tests.runtimes import array, assert_error, runtime_fixture

lua = runtime_fixture("grad = require 'autograd'")


def test_nested_tables_and_numbers(lua: Runtime) -> None:
    lua.execute("""
        p = {w = torch.Tensor{{1, 2}, {3, 4}}, sub = {k = 3, v = torch.Tensor{5, 6}}, name = 'p'}
        f = function(p, x) return torch.sum(p.w * p.sub.v) * p.sub.k + x, p.name end
        g, value, tag = grad(f)(p, 1)""")
    assert lua.eval("value") == 3 * (5 + 12 + 15 + 24) + 1
    assert lua.eval("tag") == "p"
    assert array(lua, "g.w").tolist() == [[15, 18], [15, 18]]
    assert array(lua, "g.sub.v").tolist() == [12, 18]
    assert lua.eval("g.sub.k") == 56
    assert lua.eval("g.name == nil and torch.isTensor(p.w)")


def test_branches_compare_values_with_numbers(lua: Runtime) -> None:
    lua.execute(
        "f = grad(function(x) while x < 100 do x = x * x end if 200 >= x then return -x end return x end)"
    )
    lua.execute("g, value = f(3)")
    assert (lua.eval("value"), lua.eval("g")) == (6561, 8 * 3**7)
    lua.execute("g, value = f(11)")
    assert (lua.eval("value"), lua.eval("g")) == (-121, -22)


def test_values_are_asked_as_tensors(lua: Runtime) -> None:
    lua.execute("""
        grad(function(x)
           assert(torch.isTensor(x) and torch.type(x) == 'torch.FloatTensor' and x:type() == torch.type(x))
           assert(torch.typename(x) == 'torch.FloatTensor' and type(x) == type(torch.FloatTensor()))
           assert(x:dim() == 2 and x:size(2) == 3 and x:nElement() == 6 and x:isContiguous() and (#x)[2] == 3)
           assert(not torch.isTensor(torch.sum(x)) and torch.sum(x) == 6 and torch.sum(x) ~= 5 and x ~= nil)
           assert(tostring(torch.sum(x)) == '6' and 'sum ' .. torch.sum(x) == 'sum 6')
           return torch.sum(x)
        end)(torch.FloatTensor(2, 3):fill(1))""")


def test_methods_and_functions_that_were_kept_before(lua: Runtime) -> None:
    lua.execute("""
        local sum, tanh = torch.sum, torch.tanh
        f = function(x) return sum(tanh(x)) + x:clone():pow(2):sum() + torch.ones(2):dot(x) end
        g = grad(f)(torch.zeros(2))""")
    assert array(lua, "g").tolist() == [2, 2]


def test_constants_on_either_side(lua: Runtime) -> None:
    lua.execute("""
        c = torch.Tensor{{1, 2}, {3, 4}}
        f = function(x) return torch.sum(c * x) + torch.sum(torch.cmul(c:select(1, 1), x) - x + 1) end
        g = grad(f)(torch.ones(2))
    """)
    assert array(lua, "g").tolist() == [4, 7]


def test_changes_in_place(lua: Runtime) -> None:
    lua.execute("""
        function f(x)
           local y = x:clone()
           y:mul(2):add(1)
           y[1] = 0
           y:narrow(1, 2, 1):mul(10)
           local z = x.new(2, 3)
           z[1] = y
           z:select(1, 2):copy(x)
           return torch.sum(torch.cmul(z, z))
        end
        x = torch.Tensor{1, 2, 3}
        g, value = grad(f)(x)""")
    # y is 0, 10 (2 x + 1), 2 x + 1.
    assert lua.eval("value") == 50**2 + 7**2 + 14
    assert array(lua, "g").tolist() == [2, 2 * 50 * 20 + 4, 2 * 7 * 2 + 6]
    assert array(lua, "x").tolist() == [1, 2, 3]


def test_a_function_with_its_result_first(lua: Runtime) -> None:
    lua.execute(
        "g = grad(function(x) local r = x.new(2) torch.add(r, x, x) return torch.sum(r) end)(torch.ones(2))"
    )
    assert array(lua, "g").tolist() == [2, 2]


def test_gradients_are_the_programs_to_change(lua: Runtime) -> None:
    lua.execute("""
        g = grad(function(p) return torch.sum(p[1] + p[2]) + torch.sum(torch.sum(p[3], 1)) end)(
           {torch.ones(2), torch.ones(2), torch.ones(2, 2)})
        g[1]:mul(5)
        g[3][1][1] = 7""")
    assert array(lua, "g[2]").tolist() == [1, 1]
    assert array(lua, "g[3]").tolist() == [[7, 1], [1, 1]]


def test_derivatives_of_any_order(lua: Runtime) -> None:
    lua.execute("""
        f = function(x) return x ^ 4 end
        d1 = grad(f)
        d2 = grad(function(x) return (d1(x)) end)
        d3 = grad(function(x) return (d2(x)) end)
        values = {(d1(2)), (d2(2)), (d3(2))}""")
    assert [lua.eval(f"values[{i}]") for i in (1, 2, 3)] == [32, 48, 48]


def test_a_hessian(lua: Runtime) -> None:
    lua.execute("""
        a = torch.Tensor{{2, 1}, {1, 3}}
        df = grad(function(x) return torch.dot(x, a * x) * torch.sum(x) end)
        x, h = torch.Tensor{1, 2}, torch.Tensor(2, 2)
        for i = 1, 2 do h[i] = grad(function(x) return df(x)[i] end)(x) end""")
    # The gradient of q s is 2 a x s + q; its derivative 2 a s + 2 a x 1' + 1 (2 a x)'.
    ax = [4.0, 7.0]
    expected = [[2 * [[2, 1], [1, 3]][i][j] * 3 + 2 * ax[i] + 2 * ax[j] for j in (0, 1)] for i in (0, 1)]
    assert array(lua, "h").tolist() == expected


def test_unrolled_descent(lua: Runtime) -> None:
    # Two steps on (w - t)^2 with rate r: w = t - t (1 - 2 r)^2, and its derivative by r is 4 t (1 - 2 r).
    lua.execute("""
        inner = grad(function(w, t) return (w - t) ^ 2 end)
        g = grad(function(r) local w = 0 for i = 1, 2 do w = w - r * inner(w, 5) end return w end)(0.1)""")
    assert lua.eval("g") == pytest.approx(4 * 5 * 0.8)


def test_options(lua: Runtime) -> None:
    lua.execute("""
        f = function(x, y) return x * y end
        g, value = grad(f, {gradArg = 2})(3, 4)
        only = grad(f, {withGradients = false})(3, 4)
        vector = function(x) return torch.cmul(x, x) end
        back = grad(vector, {withForward = false, partialGrad = true})
        partial = back(torch.Tensor{1, 2}, torch.Tensor{10, 100})
        stable = grad(function(x) return torch.sum(torch.cmul(x, x)) end, {stableGradients = true})
        first = stable(torch.ones(2)) second = stable(torch.ones(3))""")
    assert (lua.eval("g"), lua.eval("value"), lua.eval("only")) == (3, 12, 12)
    assert array(lua, "partial").tolist() == [20, 400]
    assert lua.eval("torch.pointer(first) == torch.pointer(second)")
    assert array(lua, "first").tolist() == [2, 2, 2]


def test_parameters_without_influence(lua: Runtime) -> None:
    """In the original's optimized mode only those that are no entries of a table have a gradient, of 0."""
    lua.execute("p = {a = torch.ones(2), b = torch.ones(2)} f = function(p) return torch.sum(p.a) end")
    lua.execute("g = grad(f)(p) h = grad(f, {optimize = true})(p)")
    assert lua.eval("g.b == nil and h.b == nil")
    assert array(lua, "h.a").tolist() == [1, 1]
    lua.execute("sign = function(x) return torch.sum(torch.sign(x)) end")
    lua.execute("g, value = grad(sign, {optimize = true})(torch.ones(2))")
    assert array(lua, "g").tolist() == [0, 0]
    assert lua.eval("value") == 2
    lua.execute("grad.optimize(true) g = grad(function(x) return 3 end)(4) grad.optimize(false)")
    assert lua.eval("g") == 0


def test_results_do_not_change_later(lua: Runtime) -> None:
    lua.execute("""
        tanh = grad.nn.Tanh()
        df = grad(function(x)
           local y = tanh(x)
           return torch.sum(y), {state = y, view = x:narrow(1, 1, 1)}
        end)
        x = torch.ones(2)
        _, _, first = df(x)
        df(torch.zeros(2))
        x:zero()""")
    assert array(lua, "first.state").tolist() == pytest.approx([0.7615941559557649] * 2)
    assert array(lua, "first.view").tolist() == [1]


def test_an_error_leaves_nothing_behind(lua: Runtime) -> None:
    assert_error(lua, "grad(function(x) error('mine') end)(1)", "mine")
    assert lua.eval("(grad(function(x) return x * x end)(3))") == 6
    assert lua.eval("require('autograd.tape').depth") == 0


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("grad(3)", "autograd: argument 1 must be a function (got 3)"),
        (
            "grad(function(x) return x end)(torch.ones(2))",
            "only functions with a number as result",
        ),
        ("grad(function(x) return 3 end)(1)", "the result does not depend on the parameters"),
        ("grad(function(x) return torch.eig(x) end)(torch.eye(2))", "eig has no derivative: its eigenvalues"),
        ("grad(function(x) return x:storage() end)(torch.eye(2))", "storage has no derivative"),
        (
            "grad(function(x) x:add(1) return x:sum() end)(torch.ones(2))",
            "cannot be changed in place",
        ),
        ("grad(function(x) return torch.ones(2):add(x):sum() end)(torch.ones(2))", "use torch.add(...)"),
        ("grad(function(x) return torch.add(torch.ones(2), torch.ones(2), x) end)(torch.ones(2))", "add: "),
        (
            "grad(function(x) kept = x return x end)(1) print(kept + 1)",
            "used after its gradient call",
        ),
        ("grad(function(x) return x.y end)(1)", "a number has no field 'y'"),
        ("grad(function(x) x[1] = 2 return x end)(1)", "a number has no elements"),
        ("grad(function(x) local t = torch.zeros(2) t[1] = x return x end)(1)", "must be a number"),
    ],
)
def test_errors(lua: Runtime, source: str, message: str) -> None:
    assert_error(lua, source, message)


def test_options_without_effect_warn(lua: Runtime) -> None:
    with pytest.warns(T7Warning) as caught:
        lua.execute("grad(function(x) return x end, {showCode = true, profile = 'summary', optimise = true})")
    warned = "\n".join(str(warning.message) for warning in caught)
    assert "showCode has no effect" in warned
    assert "there is no option 'optimise'" in warned
    assert "profile has no effect" in warned


def test_coroutines(lua: Runtime) -> None:
    lua.execute("""
        df = grad(function(x) return x * x end)
        waiting = grad(function(x) local y = x * x coroutine.yield(y * 1) return y * x end)
        co = coroutine.wrap(function() return (waiting(3)) end)
        co()
        whole = co()
        left = coroutine.create(function() return (waiting(3)) end)
        coroutine.resume(left)
        g = df(2)
        fine, why = coroutine.resume(left)
        inner = grad(function(x) return coroutine.wrap(function() return (df(x)) end)() * x end)(5)""")
    assert lua.eval("whole") == 27
    # A call that is left half-way is in nobody's way, and is not taken up again.
    assert lua.eval("g") == 4
    assert lua.eval("fine") is False
    assert "used after its gradient call" in str(lua.eval("why"))
    assert lua.eval("inner") == 20


def test_tensors_of_devices(lua: Runtime) -> None:
    lua.execute("""
        require 'cutorch'
        c, x = torch.CudaTensor{2, 3}, torch.CudaTensor{{1, 2}, {4, 3}}
        g = grad(function(x)
           local most = torch.sum(torch.max(x, 2))
           return most + torch.dot(torch.cmul(c, x:select(1, 1)), c) + torch.sum(c + x[2])
        end)(x)""")
    assert lua.eval("torch.type(g)") == "torch.CudaTensor"
    assert array(lua, "g:double()").tolist() == [[4, 10], [2, 1]]


def test_a_second_result_is_dropped_where_the_first_is_taken(lua: Runtime) -> None:
    lua.execute("g = grad(function(x) return torch.sum(torch.max(x, 1)) end)(torch.Tensor{{1, 5}, {2, 4}})")
    assert array(lua, "g").tolist() == [[0, 1], [1, 0]]
    lua.execute("f = function(x) local v, i = torch.max(x, 1) return torch.sum(v) * i[1][1] end")
    lua.execute("g = grad(f)(torch.Tensor{{1, 5}, {2, 4}})")
    assert array(lua, "g").tolist() == [[0, 2], [2, 0]]
