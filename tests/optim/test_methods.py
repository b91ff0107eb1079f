"""The methods of optim against SciPy, steps by hand, and themselves after a state was saved."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from t7shell import LuaError, Runtime

from ..conftest import Run

Lua = Callable[[str], str]

# A quadratic whose minimum is at (0.3, -0.7, 1.2).
QUADRATIC = """
require 'optim'
a, b = torch.Tensor{1, 4, 0.5}, torch.Tensor{0.3, -0.7, 1.2}
function f(x)
   local d = x - b:typeAs(x)
   local g = torch.cmul(a:typeAs(x), d)
   return 0.5 * g:dot(d), g
end
"""


@pytest.fixture(scope="session")
def runtime() -> Runtime:
    lua = Runtime()
    lua.execute(QUADRATIC)
    return lua


METHODS = [
    ("sgd", "{learningRate = 0.1}", 200),
    ("sgd", "{learningRate = 0.05, momentum = 0.9}", 300),
    ("sgd", "{learningRate = 0.05, momentum = 0.9, dampening = 0, nesterov = true}", 200),
    ("asgd", "{eta0 = 0.2, lambda = 0}", 200),
    ("nag", "{learningRate = 0.05}", 300),
    ("adagrad", "{learningRate = 1}", 500),
    ("adadelta", "{eps = 1e-3}", 1500),
    ("adam", "{learningRate = 0.05}", 1500),
    ("adamax", "{learningRate = 0.05}", 1500),
    ("rmsprop", "{learningRate = 0.001}", 4000),
    ("rprop", "{}", 100),
    ("cg", "{maxIter = 50}", 1),
    ("lbfgs", "{maxIter = 50}", 1),
    ("lbfgs", "{maxIter = 50, lineSearch = optim.lswolfe}", 1),
]


@pytest.mark.parametrize(("name", "config", "steps"), METHODS)
def test_finds_the_minimum(runtime: Runtime, name: str, config: str, steps: int) -> None:
    runtime.execute(
        f"x, c = torch.Tensor{{1, 1, -1}}, {config}\n"
        f"for i = 1, {steps} do y, fs = optim.{name}(f, x, c) end\n"
        "same = rawequal(y, x) or torch.pointer(x) == torch.pointer(y)"
    )
    assert runtime.eval("same")
    np.testing.assert_allclose(np.array(runtime.eval("x")), [0.3, -0.7, 1.2], atol=2e-2)


@pytest.mark.parametrize(("name", "config", "_"), METHODS)
def test_state_goes_on_after_a_file(runtime: Runtime, name: str, config: str, _: int) -> None:
    """Also in single precision, from a vector that is not contiguous, and with a separate state."""
    runtime.execute(
        f"local function steps(x, saved)\n"
        f"   local c, s = {config}, {{}}\n"
        "   c.maxIter = c.maxIter and 4\n"
        f"   for i = 1, 6 do\n"
        f"      optim.{name}(f, x, c, s)\n"
        "      if saved then s = torch.deserialize(torch.serialize(s)) end\n"
        "   end\n"
        "   return x\n"
        "end\n"
        "one, two = steps(torch.Tensor{1, 1, -1}), steps(torch.Tensor{1, 1, -1}, true)\n"
        "wide = torch.Tensor(3, 2):fill(9) wide:select(2, 1):copy(torch.Tensor{1, 1, -1})\n"
        "three = steps(wide:select(2, 1))\n"
        "four = steps(torch.FloatTensor{1, 1, -1})"
    )
    assert runtime.eval("one:eq(two):all()")
    assert runtime.eval("(one - three):abs():max() < 1e-12 and wide:select(2, 2):eq(9):all()")
    assert runtime.eval("four:type() == 'torch.FloatTensor' and (one - four:double()):abs():max() < 1e-2")


def test_lbfgs_and_cg_on_the_function_of_rosenbrock(runtime: Runtime) -> None:
    runtime.execute(
        "function r(x) local u, v = x[1], x[2]\n"
        "return 100 * (v - u * u)^2 + (1 - u)^2, "
        "torch.Tensor{-400 * u * (v - u * u) - 2 * (1 - u), 200 * (v - u * u)} end\n"
        "x = torch.Tensor{-1.2, 1} _, g = r(x)"
    )
    np.testing.assert_allclose(np.array(runtime.eval("g")), rosen_der(np.array([-1.2, 1.0])))
    for method in ("lbfgs(r, x, {maxIter = 100, lineSearch = optim.lswolfe})", "cg(r, x, {maxIter = 200})"):
        runtime.execute(f"x = torch.Tensor{{-1.2, 1}} _, fs = optim.{method}")
        assert runtime.eval("fs[#fs]") < 1e-8
        assert rosen(np.array(runtime.eval("x"))) < 1e-8


def test_adam_by_hand(runtime: Runtime) -> None:
    """Two steps of Adam as its authors write them."""
    runtime.execute(
        "x, s = torch.Tensor{1, 1, -1}, {learningRate = 0.1} for i = 1, 2 do optim.adam(f, x, s) end"
    )
    x, m, v = np.array([1.0, 1, -1]), np.zeros(3), np.zeros(3)
    for t in (1, 2):
        g = np.array([1, 4, 0.5]) * (x - [0.3, -0.7, 1.2])
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        rate = 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        x = x - rate * m / (np.sqrt(v) + 1e-8)
    np.testing.assert_allclose(np.array(runtime.eval("x")), x, rtol=1e-12)


def test_per_parameter_rates_and_decays(runtime: Runtime) -> None:
    runtime.execute(
        "x = torch.Tensor{1, 1, -1}\n"
        "optim.sgd(f, x, {learningRate = 0.1, learningRates = torch.Tensor{1, 2, 0}, "
        "weightDecays = torch.Tensor{0, 1, 5}})"
    )
    g = np.array([1, 4, 0.5]) * (np.array([1, 1, -1]) - [0.3, -0.7, 1.2]) + [0, 1, -5]
    np.testing.assert_allclose(np.array(runtime.eval("x")), [1, 1, -1] - 0.1 * np.array([1, 2, 0]) * g)


def test_methods_without_gradients(runtime: Runtime) -> None:
    for method in ("cmaes(f, x, {sigma = 0.5, maxEval = 800})", "de(f, x, {maxFEs = 3000, maxRegion = 2})"):
        runtime.execute(f"torch.manualSeed(1) x = torch.Tensor{{1, 1, -1}} best, fs = optim.{method}")
        np.testing.assert_allclose(np.array(runtime.eval("best")), [0.3, -0.7, 1.2], atol=2e-2)
        np.testing.assert_array_equal(np.array(runtime.eval("x")), [1, 1, -1])
    with pytest.raises(LuaError, match=r"de: config.maxFEs must be a whole number of at least 30 \(got 20\)"):
        runtime.execute("optim.de(f, x, {maxFEs = 20})")
    runtime.execute("n = 0 optim.de(function(x) n = n + 1 return f(x) end, x, {popsize = 5, maxFEs = 18})")
    assert runtime.eval("n") == 18


def test_methods_without_gradients_take_the_steps_of_the_original(t7: Run) -> None:
    """The values were printed by the original."""
    program = """
    require 'optim'
    function f(y) return (y[1] - 1)^2 + (y[2] + 1)^2 end
    config = {popsize = 5, scaleFactor = 0.5, crossoverRate = 0.9, maxFEs = 20}
    local x, fx = optim.de(f, torch.Tensor{0.3, -0.2}, config)
    print(x[1], x[2], fx:size(1), fx[1], fx[2], fx[20])
    torch.manualSeed(1)
    local _, h, n = optim.cmaes(f, torch.Tensor{0.3, -0.2}, {maxEval = 40, sigma = 0.5, verb_disp = 0})
    print(n, #h, h[1], h[2], h[3], h[4])"""
    de, cmaes = (
        [float(word) for word in line.split()]
        for line in t7("-e", program).stdout.replace("\t", " ").splitlines()
    )
    assert de == pytest.approx(
        [-9.6511, -1.9171, 20, 986.30063301796, 875.80344934092, 181.22520336656], 1e-4
    )
    assert cmaes == pytest.approx([42, 9, 1.13, 0.83229521840027, 0.081431211099147, 0.031773496884276])


def test_checkgrad_tells_a_wrong_gradient(runtime: Runtime) -> None:
    runtime.execute("d = optim.checkgrad(f, torch.Tensor{1, 1, -1})")
    assert runtime.eval("d") < 1e-7
    runtime.execute("w = optim.checkgrad(function(x) local v, g = f(x) return v, g * 2 end, torch.ones(3))")
    assert runtime.eval("w") == pytest.approx(1 / 3, rel=1e-5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("optim.sgd(f, {1})", "sgd: argument 2, x, must be a tensor"),
        ("optim.adam(1, torch.ones(3))", "adam: argument 1 must be a function of x"),
        ("optim.sgd(function() return 1 end, torch.ones(3))", "must be a gradient of 3 elements"),
        ("optim.sgd(function(x) return 1, torch.ones(2) end, torch.ones(3))", "(got 2 elements)"),
        ("optim.nag(f, torch.ones(3), {momentum = 0})", "momentum must be > 0"),
        ("optim.adam(f, torch.ones(3), 3)", "adam: config must be a table (got 3)"),
        ("optim.cg(f, torch.ones(3), {}, 'x')", "cg: state must be a table (got 'x')"),
        ("optim.sgd(f, torch.ones(3), {momentum = 'x'})", "sgd: config.momentum must be a number (got 'x')"),
        ("optim.adam(f, torch.ones(3), {}, {t = {}})", "adam: state.t must be a number (got table {})"),
        (
            "optim.sgd(f, torch.ones(3), {learningRates = torch.ones(2)})",
            "sgd: config.learningRates must be a tensor of 3 elements (got DoubleTensor [2])",
        ),
        (
            "optim.lbfgs(f, torch.ones(3), {lineSearch = 1})",
            "lbfgs: config.lineSearch must be a function (got 1)",
        ),
        (
            "optim.cg(function(x) return nil, x end, torch.ones(3))",
            "cg: the value of the function must be a number (got nil)",
        ),
        (
            "optim.adam(function(x) return 1, x:float() end, torch.ones(3))",
            "adam: gradient must be of type torch.DoubleTensor, as x is (got torch.FloatTensor)",
        ),
        (
            "optim.de(f, torch.ones(3), {popsize = -1})",
            "de: config.popsize must be a whole number of at least 3 (got -1)",
        ),
        *(
            (
                f"optim.{name}(f, torch.{kind}Tensor(3))",
                f"{name}: x must be a tensor of floats or doubles (got {kind}Tensor [3])",
            )
            for name in ("lbfgs", "de", "sgd", "cg", "adam", "cmaes", "checkgrad")
            for kind in ("Long", "Int")
        ),
        (
            "optim.lswolfe(f, torch.LongTensor(3), 1)",
            "lswolfe: x must be a DoubleTensor or FloatTensor (got LongTensor [3])",
        ),
        ("optim.lswolfe(f, torch.ones(3))", "lswolfe: t must be a number (got nil)"),
        ("optim.FistaLS(f, f, f)", "FistaLS: xinit must be a DoubleTensor or FloatTensor (got nil)"),
        ("optim.checkgrad(f, torch.ones(3), {})", "checkgrad: eps must be a number (got table {})"),
        ("optim.polyinterp(torch.ones(2, 3), {})", "polyinterp: xminBound must be a number (got table {})"),
        (
            "optim.polyinterp(torch.ones(3, 3) * (0/0))",
            "polyinterp: points must have a value or a slope (got nan only)",
        ),
        (
            "optim.rmsprop({}, torch.ones(3))",
            "rmsprop: argument 1 must be a function of x (got table)",
        ),
        (
            "optim.ConfusionMatrix(2):render(nil, nil, {})",
            "ConfusionMatrix:render: the size of a cell must be a number (got table {})",
        ),
        (
            "optim.adam(f, torch.ones(3), {m = torch.ones(2)})",
            "inconsistent tensor sizes: [2] of 2 elements and",
        ),
        (
            "optim.adam(function(x) return 0, x:clone() end, torch.ones(20000), {m = torch.ones(2)})",
            "inconsistent tensor sizes: [2] of 2 elements and",
        ),
        ("optim.ConfusionMatrix()", "ConfusionMatrix: the number of classes must be a number (got nil)"),
        (
            "optim.ConfusionMatrix(3):add(torch.Tensor(), 1)",
            "the prediction must be a number or a vector (got DoubleTensor without elements)",
        ),
        ("optim.Logger({})", "Logger: filename must be a string (got table {})"),
        ("l = optim.Logger() l:setNames{'a'} l:style{3}", "Logger:style: a style must be a string (got 3)"),
    ],
)
def test_errors(runtime: Runtime, call: str, message: str) -> None:
    runtime.execute(f"_, why = pcall(function() {call} end)")
    assert message in runtime.eval("why")


def test_sgd_takes_both_decays(t7: Run) -> None:
    program = """
    local config = {weightDecay = 1, weightDecays = torch.Tensor{100, 100}, learningRate = 0.5}
    local x = torch.Tensor{2, 4}
    for i = 1, 2 do optim.sgd(function() return 0, torch.ones(2) end, x, config) end
    print(x[1], x[2])"""
    result = t7("-l", "optim", "-e", program)
    # x becomes x - (1 + x) / 2, twice.
    assert result.stdout == "-0.25\t0.25\n"
    assert result.stderr.count("weightDecays have no effect beside weightDecay") == 1


@pytest.mark.parametrize("name", ["adadelta", "adagrad", "rprop"])
def test_methods_without_a_state_say_so(lua: Lua, name: str) -> None:
    program = f"require 'optim' optim.{name}(function() return 0, torch.ones(1) end, torch.ones(1)%s)"
    comma = "" if name == "rprop" else ","
    assert lua(program % "") == f"no state table{comma} {name.upper()} initializing\n"
    assert lua(program % ", {}") == ""


def test_rprop_keeps_the_fields_of_its_state(lua: Lua) -> None:
    program = """
    require 'optim'
    local g, c, x = {torch.Tensor{1, -2, 0}, torch.Tensor{2, 3, 1}}, {}, torch.zeros(3)
    c.stepsizemin = 0.06
    for i = 1, 2 do optim.rprop(function() return 0, g[i]:clone() end, x, c) end
    for _, name in ipairs {'sign', 'psign', 'nsign', 'zsign', 'dminmax', 'stepsize', 'delta'} do
       print(name, unpack(c[name]:totable()))
    end"""
    # The first slope keeps its sign, the second one changes it and is left out, the third one had none.
    assert lua(program) == (
        "sign\t1\t0\t1\npsign\t1\t0\t0\nnsign\t0\t1\t0\nzsign\t0\t0\t1\n"
        "dminmax\t0\t1\t0\nstepsize\t0.12\t0.06\t0.1\ndelta\t2\t0\t1\n"
    )


@pytest.mark.parametrize(
    ("name", "config", "expected"),
    [
        ("adam", "", "denom 0.09995500 0.14136479"),
        ("adamax", "beta2 = 0.5", "u 1.50000000 2.00000000 max 1.50000000 2.00000000 1.00000000 2.00000000"),
        ("adagrad", "", "paramStd 3.16227766 4.47213596"),
        ("rmsprop", "epsilon = 0.5", "tmp 0.81480152 0.94542115"),
        ("nag", "weightDecays = torch.Tensor{5, 5}, learningRate = 1", "dfdx -1.70000000 1.60000000"),
        (
            "lbfgs",
            "maxIter = 2, nCorrection = 1, learningRate = 0.5",
            "al -0.30555556 tmp1 0.02701465 0.04746642",
        ),
    ],
)
def test_states_hold_what_the_original_s_did(lua: Lua, name: str, config: str, expected: str) -> None:
    """The values were printed by the original."""
    words = " ".join(f"'{word}'," for word in expected.split() if word.isalnum())
    program = f"""
    require 'optim'
    local g, x, c = {{torch.Tensor{{3, -4}}, torch.Tensor{{-1, 2}}}}, torch.Tensor{{1, 1}}, {{{config}}}
    for i = 1, 2 do optim.{name}(function() return 0, g[i]:clone() end, x, c) end
    local found = {{}}
    for _, field in ipairs {{{words}}} do
       table.insert(found, field)
       for _, value in ipairs(c[field]:view(-1):totable()) do table.insert(found, ('%.8f'):format(value)) end
    end
    print(table.concat(found, ' '))
    assert(not c.decayParameters and (not c.u or c.u:dim() == 2 and c.max:dim() == 2))"""
    assert lua(program) == expected + "\n"


def test_lbfgs_says_why_it_ends(lua: Lua) -> None:
    program = """
    require 'optim'
    local function f(x) return 0, torch.Tensor{x[1]} end
    local config = {maxIter = 2, learningRate = 0.5, verbose = true}
    for i = 1, 2 do optim.lbfgs(f, torch.ones(1), config) end
    config.maxEval, config.learningRate, config.tolX = 1, 0.25, 0
    optim.lbfgs(f, torch.ones(1), config)
    optim.lbfgs(f, torch.zeros(1), config)"""
    assert lua(program).replace("<optim.lbfgs> \t", "").splitlines() == [
        "creating recyclable direction/step/history buffers",
        "function value changing less than tolX",
        "function value changing less than tolX",
        "max nb of function evals",
        "optimality condition below tolFun",
    ]


def test_lbfgs_keeps_steps_and_changes_under_the_names_of_the_original(lua: Lua) -> None:
    program = """
    require 'optim'
    local x, state = torch.ones(1), {maxIter = 2, learningRate = 0.5}
    optim.lbfgs(function(x) return x[1]^2, x * 2 end, x, state)
    print(state.old_dirs[1][1], state.old_stps[1][1])"""
    # The first step goes from 1 to 0.5, and the slope from 2 to 1.
    assert lua(program) == "-0.5\t-1\n"


def test_polyinterp_of_two_points_with_a_nan_is_in_their_middle(lua: Lua) -> None:
    program = """
    require 'optim'
    print(optim.polyinterp(torch.Tensor{{1, 1, -2}, {0, 0.5, 0/0}}))
    print(optim.polyinterp(torch.Tensor{{0, 1, -2}, {1, 0/0, 1}}))"""
    assert lua(program) == "0.5\n0.5\n"


def test_polyinterp_stays_within_bounds(lua: Lua) -> None:
    # The cubic through both points falls from 0 to its minimum at 1.737 and rises to 2.5.
    program = """
    require 'optim'
    local p = torch.Tensor{{0, 3, -2}, {2, 1, 0.5}}
    print(optim.polyinterp(p, 0, 1), (optim.polyinterp(p, 3, 5)))
    print(('%.5f'):format(optim.polyinterp(p, 1, 5)))
    local q = torch.Tensor{{0, 0, 0}, {1, 1, 0/0}, {2, 4, 0/0}}
    print(optim.polyinterp(q, 0.5, 3))"""
    assert lua(program) == "1\t3\n1.73703\n0.5\t0.25\n"


def test_a_search_along_lines_whose_gradient_is_one_tensor(t7: Run) -> None:
    """The values are the original's, which reads the first gradient after it was overwritten."""
    program = """
    require 'optim'
    local g = torch.Tensor(2)
    local function r(x)
       local u, v = x[1], x[2]
       g[1], g[2] = -400 * u * (v - u * u) - 2 * (1 - u), 200 * (v - u * u)
       return 100 * (v - u * u)^2 + (1 - u)^2, g
    end
    local x = torch.Tensor{-1.2, 1}
    local _, fs, n = optim.lbfgs(r, x, {maxIter = 6, lineSearch = optim.lswolfe})
    io.write(n) for i = 1, #fs do io.write((' %.10g'):format(fs[i])) end"""
    assert t7("-e", program).stdout == "8 24.2 21.98201222 4.963605086 4.161184013 4.094802805 4.065986881"


def test_polyinterp_rounds_to_the_type_of_its_points(t7: Run) -> None:
    """The upper bound as a float lies outside of the bounds; the value is the original's."""
    program = """
    require 'optim'
    local points = torch.FloatTensor{{0, 1, -2}, {1, 0.5, -1}}
    print(optim.polyinterp(points, 1, 1.3) == optim.polyinterp(points:double(), 1, 1.3))"""
    assert t7("-e", program).stdout == "false\n"


@pytest.mark.parametrize(
    ("function", "start", "limits", "expected"),
    [
        ("quartic", "{6}", "maxIter = 1, maxEval = 20", "3 6 650"),
        ("quartic", "{6}", "maxIter = 2, maxEval = 7", "4 6 650"),
        ("quartic", "{6}", "maxIter = 20, maxEval = -25", "10 1.13806374 650 167.8995922 -0.7445084272"),
        ("quartic", "{6}", "maxIter = 20, maxEval = -1", "1 6 650"),
        ("rosenbrock", "{0, 0}", "maxIter = 1, maxEval = 20", "3 0 1"),
        ("rosenbrock", "{0, 0}", "maxIter = 20, maxEval = -25", "2 0 1"),
        ("rosenbrock", "{-1.2, 1}", "maxIter = 20, maxEval = -10", "6 -1.092653954 24.2 6.631539736"),
    ],
)
def test_cg_ends_after_one_failed_search(
    t7: Run, function: str, start: str, limits: str, expected: str
) -> None:
    """The original's numbers: of evaluations, the first element, and the values after each search.

    A negative limit of evaluations counts by its absolute value.
    """
    program = f"""
    require 'optim'
    local f = {{}}
    function f.quartic(x) return x[1]^4 - 3 * x[1]^3 + 2, torch.Tensor{{4 * x[1]^3 - 9 * x[1]^2}} end
    function f.rosenbrock(x)
       local u, v = x[1], x[2]
       local g = torch.Tensor{{-400 * u * (v - u * u) - 2 * (1 - u), 200 * (v - u * u)}}
       return 100 * (v - u * u)^2 + (1 - u)^2, g
    end
    local x = torch.Tensor{start}
    local _, fs, n = optim.cg(f.{function}, x, {{{limits}}})
    io.write(n, (' %.10g'):format(x[1])) for i = 1, #fs do io.write((' %.10g'):format(fs[i])) end"""
    assert t7("-e", program).stdout == expected


@pytest.mark.parametrize("name", ["adam", "adamax", "adagrad", "rmsprop"])
@pytest.mark.parametrize("kind", ["Float", "Double"])
def test_many_elements_are_updated_as_few(lua: Lua, name: str, kind: str) -> None:
    """Blocks of many elements have the bits of few ones, and of elements that are apart in memory."""
    program = f"""
    require 'optim'
    local n, g = 40001, torch.randn(2, 40001):type('torch.{kind}Tensor')
    local whole, wide, parts = g.new(n):fill(1), g.new(n, 2):fill(1):select(2, 1), g.new(n):fill(1)
    local function run(x, first)
       local state = {{learningRate = 0.1}}
       for i = 1, 2 do
          local gradient = g[i]:narrow(1, first, x:nElement())
          optim.{name}(function() return 0, gradient end, x, state)
       end
       return state
    end
    local all, apart = run(whole, 1), run(wide, 1)
    for first = 1, n, 10000 do run(parts:narrow(1, first, math.min(10000, n - first + 1)), first) end
    print(whole:equal(parts), whole:equal(wide), whole:ne(1):sum() > n / 2)
    for key, value in pairs(all) do
       if torch.isTensor(value) then assert(value:equal(apart[key]), key) end
    end"""
    assert lua(program) == "true\ttrue\ttrue\n"


def test_adamax_keeps_sizes_where_tensors_are_broadcast(t7: Run) -> None:
    program = """
    local x, state = torch.zeros(2, 3), {}
    require 'optim'.adamax(function() return 0, torch.ones(2, 3) end, x, state)
    print(x:dim(), state.u:dim())"""
    assert t7("--dialect", "modern", "-e", program).stdout == "2\t3\n"
