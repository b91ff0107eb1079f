"""randomkit: numbers of the original, moments that NumPy's documentation gives, seeds, and forms of calls."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import Runtime
from tests.runtimes import assert_error, runtime_fixture

# Arguments, mean and variance.
MOMENTS = {
    "beta(r, 2, 3)": (0.4, 0.04),
    "binomial(r, 10, 0.3)": (3, 2.1),
    "chisquare(r, 3)": (3, 6),
    "double(r)": (0.5, 1 / 12),
    "exponential(r, 2)": (2, 4),
    "f(r, 5, 20)": (20 / 18, 2 * 400 * 23 / (5 * 18**2 * 16)),
    "gamma(r, 2, 3)": (6, 18),
    "gauss(r)": (0, 1),
    "geometric(r, 0.25)": (4, 12),
    "gumbel(r, 1, 2)": (1 + 2 * np.euler_gamma, 4 * np.pi**2 / 6),
    "hypergeometric(r, 5, 5, 4)": (2, 4 * 0.25 * 6 / 9),
    "laplace(r, 1, 2)": (1, 8),
    "wald(r, 2, 3)": (2, 8 / 3),
    "logistic(r, 1, 0.5)": (1, np.pi**2 / 12),
    "normal(r, 2, 3)": (2, 9),
    "poisson(r, 4)": (4, 4),
    "uniform(r)": (0.5, 1 / 12),
    "lognormal(r, 0, 0.5)": (np.exp(0.125), (np.exp(0.25) - 1) * np.exp(0.25)),
    "negative_binomial(r, 3, 0.5)": (3, 6),
    "noncentral_chisquare(r, 3, 2)": (5, 14),
    "pareto(r, 5)": (0.25, 5 / 48),
    "power(r, 2)": (2 / 3, 1 / 18),
    "rayleigh(r, 2)": (2 * np.sqrt(np.pi / 2), (4 - np.pi) * 2),
    "standard_exponential(r)": (1, 1),
    "uniform(r, 2, 5)": (3.5, 0.75),
    "standard_gamma(r, 2)": (2, 2),
    "standard_t(r, 10)": (0, 1.25),
    "triangular(r, 0, 1, 2)": (1, 1 / 6),
    "vonmises(r, 0, 4)": (0, 0.29),
    "weibull(r, 1)": (1, 1),
    "zipf(r, 5)": (1.0437, 0.0698),
    "logseries(r, 0.5)": (1.4427, 0.804),
    "noncentral_f(r, 5, 20, 2)": (1.5556, 422 / 324),
}


lua = runtime_fixture("randomkit = require 'randomkit' torch.manualSeed(3)")


@pytest.mark.parametrize("call", MOMENTS)
def test_moments(lua: Runtime, call: str) -> None:
    mean, variance = MOMENTS[call]
    lua.execute(f"r = torch.Tensor(200, 200) same = randomkit.{call} == r")
    assert lua.eval("same")
    assert abs(lua.eval("r:mean()") - mean) < 6 * np.sqrt(variance) / 200
    assert abs(lua.eval("r:var()") / variance - 1) < 0.15


def test_tensors_of_parameters_have_the_numbers_of_the_original(lua: Runtime) -> None:
    """The numbers and types were printed by the original."""
    lua.execute("""
        torch.manualSeed(5)
        found = {}
        local function show(x)
           for _, value in ipairs(x:totable()) do table.insert(found, ('%.6g'):format(value)) end
           table.insert(found, x:type():sub(7))
        end
        show(randomkit.binomial(torch.Tensor{10, 20}, 0.3))
        show(randomkit.exponential(torch.FloatTensor{2, 1}))
        show(randomkit.randint(1, torch.Tensor{10, 20, 30}))
        show(randomkit.interval(torch.FloatTensor(3), 100))
        show(randomkit.random(torch.DoubleTensor(2)))
        table.insert(found, randomkit.hypergeometric(5, 7, 4))
        found = table.concat(found, ' ')
    """)
    assert lua.eval("found") == (
        "2 8 DoubleTensor 0.463156 2.50851 DoubleTensor 9 5 8 IntTensor 62 27 30 FloatTensor"
        " 2.09009e+09 1.27475e+09 DoubleTensor 3"
    )


def test_bounds_of_whole_numbers(lua: Runtime) -> None:
    assert lua.eval("randomkit.randint(3.5, 3.5)") == 3
    for call, message in (
        (
            "interval(torch.Tensor{1, -1})",
            "interval: max must be a whole number from 0 to 4294967295 (got -1)",
        ),
        ("randint(5, 3)", "randint: high must be a whole number from 5 to 4294967300 (got 3)"),
        ("randint(0/0, 3)", "randint: low must be a whole number (got nan)"),
    ):
        assert_error(lua, f"randomkit.{call}", f"randomkit.{message}")


def test_seeds_and_forms(lua: Runtime) -> None:
    lua.execute("torch.manualSeed(1) a, b = randomkit.poisson(3), randomkit.gauss(torch.Tensor(5))")
    lua.execute("torch.manualSeed(1) c, d = randomkit.poisson(3), randomkit.gauss(torch.Tensor(5))")
    assert lua.eval("a == c and (b - d):abs():max() == 0")
    lua.execute(
        "l = torch.FloatTensor{1, 1000} x = randomkit.poisson(l) y = randomkit.poisson(torch.IntTensor(2), l)"
    )
    assert lua.eval("x:type()") == "torch.DoubleTensor" and lua.eval(
        "x[2] > 500 and x[1] < 50 and y[2] > 500"
    )
    assert lua.eval("type(randomkit.uniform())") == "number" and lua.eval("randomkit.uniform(5, 6) > 5")
    assert 0 <= lua.eval("randomkit.interval(3)") <= 3 and lua.eval(
        "randomkit.standard_cauchy() ~= randomkit.gauss()"
    )
    assert lua.eval("randomkit.ulong() >= 0 and randomkit.long() >= 0 and randomkit.random_sample() < 1")


def test_parameters_for_which_a_draw_would_not_end(lua: Runtime) -> None:
    lua.execute(
        "inf, nan, k = 1 / 0, 0 / 0, torch.Tensor{1, 1 / 0} x = randomkit.vonmises(torch.zeros(2), k)"
    )
    assert lua.eval("randomkit.vonmises(0, inf)") == 0 and lua.eval("x[2] == 0 and x[1] ~= 0")
    assert lua.eval("randomkit.zipf(inf)") == lua.eval("randomkit.zipf(1e9)") == 1
    assert lua.eval("randomkit.zipf(1 + 2 ^ -52) >= 1") and lua.eval("randomkit.vonmises(0, nan)") != 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("poisson(-1)", "randomkit.poisson: lam < 0"),
        (
            "gamma(1)",
            "randomkit.gamma: needs 2 parameters, after a tensor for the result or none (got 1)",
        ),
        ("normal('a', 2)", "randomkit.normal: parameter 1 must be a number (got 'a')"),
        ("gamma(torch.rand(2), torch.rand(3))", "parameter 2 must be a tensor of size [2]"),
    ],
)
def test_wrong_input(lua: Runtime, call: str, message: str) -> None:
    assert_error(lua, "randomkit." + call, message)


def test_numbers_of_the_original(lua: Runtime) -> None:
    # What randomkit of Torch7 printed.
    lua.execute("""
        torch.manualSeed(7) torch.rand(620)
        local k, t = randomkit, torch.Tensor(3)
        list = {k.gauss(), k.binomial(10, 0.3), torch.uniform(), k.gauss(), k.gamma(2, 3), k.poisson(50)}
        for _, value in ipairs{k.interval(100), k.randint(3, 9)} do list[#list + 1] = value end
        k.beta(t, 2, 3)
        for i = 1, 3 do list[#list + 1] = t[i] end
        k.long()
        list[#list + 1] = torch.random()
    """)
    assert lua.eval("list").to_list() == pytest.approx([
        1.1453159184696, 5, 0.87190490658395, -0.34720418247402, 7.9795880932653, 49, 54, 5,
        0.63830002993629, 0.76139065698236, 0.28799542950693, 3405830399,
    ], rel=1e-12)  # fmt: skip
