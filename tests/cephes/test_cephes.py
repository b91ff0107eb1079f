"""cephes against SciPy under its own names, and against known values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from t7shell import Runtime
from tests.runtimes import array, assert_error, runtime_fixture

lua = runtime_fixture("cephes = require 'cephes'")


def test_every_function_can_be_called(lua: Runtime) -> None:
    lua.execute("""
    local x, missing = torch.Tensor{0.25, 0.5}, {}
    for name, f in pairs(cephes) do
       local done = type(f) ~= 'function' or name:find '^is'
       for n = 1, 4 do
          local arguments = {}
          for i = 1, n do arguments[i] = x end
          if not done then
             done = pcall(f, unpack(arguments)) and not pcall(f, unpack(arguments, 1, n - 1))
          end
       end
       if not done then missing[#missing + 1] = name end
    end
    names = table.concat(missing, ' ')
    """)
    assert lua.eval("names") == ""


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ("gamma(5)", 24),
        ("lgam(5)", np.log(24)),
        ("beta(2, 3)", 1 / 12),
        ("erf(0)", 0),
        ("ndtr(0)", 0.5),
        ("igam(1, 2)", 1 - np.exp(-2)),
        ("igamc(1, 2)", np.exp(-2)),
        ("igami(1, math.exp(-2))", 2),
        ("incbet(1, 1, 0.3)", 0.3),
        ("incbi(1, 1, 0.3)", 0.3),
        ("psi(1)", -np.euler_gamma),
        ("zeta(2, 1)", np.pi**2 / 6),
        ("ellpk(1)", np.pi / 2),
        ("ellpe(1)", np.pi / 2),
        ("hyperg(1, 1, 2)", np.exp(2)),
        ("j0(0)", 1),
        ("fac(5)", 120),
        ("bdtr(1, 2, 0.5)", 0.75),
        ("pdtr(0, 2)", np.exp(-2)),
        ("chdtrc(2, 2)", np.exp(-1)),
        ("cbrt(27)", 3),
        ("exp10(3)", 1000),
        ("expn(1, 1)", special.exp1(1)),
        ("hyp2f1(1, 1, 2, 0.5)", 2 * np.log(2)),
        ("spence(1)", 0),
        ("exp(2)", np.exp(2)),
        ("log10(1000)", 3),
        ("cot(math.pi / 4)", 1),
        ("atan2(1, -1)", 3 * np.pi / 4),
        ("hypot(3, 4)", 5),
        ("pow(4, 0.5)", 2),
        ("powi(2, 3)", 8),
        ("ldexp(3, 2)", 12),
        ("signbit(-2)", 1),
        ("expx2(2, 1)", np.exp(4)),
        ("expx2(2, -1)", np.exp(-4)),
        ("ei(1)", -special.exp1(-1 + 0j).real),
        # The derivative of 1 / (x (x + 1)) at 1.
        ("betagrad(1, 2)", -3 / 4),
        # sqrt(pi) gamma(2) gamma(1.5).
        ("mvgam(2, 2)", np.pi / 2),
        ("lmvgam(2, 2)", np.log(np.pi / 2)),
        ("ffi.chdtrc(2, 2)", np.exp(-1)),
    ],
)
def test_known_values(lua: Runtime, call: str, value: float) -> None:
    assert abs(lua.eval(f"cephes.{call}") - value) < 1e-12


def test_kinds_of_numbers(lua: Runtime) -> None:
    lua.execute("""
    kinds = ''
    for _, x in ipairs {1, math.huge, -math.huge, cephes.nan} do
       for _, name in ipairs {'isfinite', 'isinf', 'isnan'} do
          kinds = kinds .. (cephes[name](x) and 1 or 0)
       end
       kinds = kinds .. ' '
    end""")
    assert lua.eval("kinds") == "100 010 010 001 "


def test_tensors(lua: Runtime) -> None:
    lua.execute("x = torch.rand(3, 4):t() y = torch.rand(4, 3) r = torch.Tensor() f = torch.rand(2):float()")
    x, y = array(lua, "x"), array(lua, "y")
    assert np.abs(array(lua, "cephes.beta(x, y)") - special.beta(x, y).ravel()).max() < 1e-12
    assert np.abs(array(lua, "cephes.jv(2, x)") - special.jv(2, x).ravel()).max() < 1e-12
    assert lua.eval("cephes.gamma(r, x) == r")
    assert np.abs(array(lua, "r") - special.gamma(x).ravel()).max() < 1e-12
    assert lua.eval("cephes.gamma(f):type()") == "torch.DoubleTensor"
    lua.execute("s, c = cephes.sici(x) ai, aip, bi, bip = cephes.airy(0)")
    assert np.abs(array(lua, "c") - special.sici(x)[1].ravel()).max() < 1e-12
    assert abs(lua.eval("bip") - special.airy(0)[3]) < 1e-12
    assert np.isnan(lua.eval("cephes.gamma(-1)"))


def test_sizes_and_types_of_the_original(lua: Runtime) -> None:
    lua.execute("x = torch.Tensor{{1, 2}, {3, 4}}")
    # Operands match by the number of elements, and results are vectors; a given one keeps its shape.
    assert array(lua, "cephes.hypot(x, torch.Tensor{0, 0, 4, 3})").tolist() == [1, 2, 5, 5]
    assert array(lua, "cephes.pow(torch.FloatTensor{{2}}, x)").tolist() == [2, 4, 8, 16]
    assert array(lua, "cephes.pow(x, torch.Tensor{2})").tolist() == [1, 4, 9, 16]
    assert array(lua, "cephes.fac(torch.Tensor{4})").tolist() == [24]
    assert array(lua, "cephes.fac(torch.FloatTensor(2, 2), x:t())").tolist() == [[1, 6], [2, 24]]
    assert array(lua, "cephes.fac(torch.Tensor(2, 2), torch.range(1, 4))").tolist() == [[1, 2], [6, 24]]
    lua.execute("torch.setdefaulttensortype('torch.FloatTensor')")
    assert lua.eval("cephes.exp(x):type()") == "torch.FloatTensor"
    lua.execute("torch.setdefaulttensortype('torch.DoubleTensor')")


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        # 2 (e^x (x - 1) + 1) / x^2.
        ("hyperg(2, 3, 1)", 2.0),
        # Beyond doubles, with the sign of the gamma function at a.
        ("hyperg(2, 3, math.huge)", np.inf),
        ("hyperg(-2.5, 3, 1e300)", -np.inf),
        # 1 - 2 x / 3 + x^2 / 12, a polynomial.
        ("hyperg(-2, 3, 1e7)", 1 - 2e7 / 3 + 1e14 / 12),
    ],
)
def test_hyperg(lua: Runtime, call: str, wanted: float) -> None:
    assert lua.eval("cephes." + call) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("gamma()", "cephes.gamma: needs 1 argument, after a tensor for the result or none (got 0)"),
        ("gamma('x')", "cephes.gamma: argument 1 must be a number (got 'x')"),
        ("isnan('x')", "cephes.isnan: argument 1 must be a number (got 'x')"),
        ("mvgam(3, 1e9)", "cephes.mvgam: the degree must be at most 1000000 (got 1e+09)"),
        (
            "beta(torch.rand(2), torch.rand(3))",
            "argument 2 must be a tensor of size [2] (got DoubleTensor [3])",
        ),
    ],
)
def test_wrong_input(lua: Runtime, call: str, message: str) -> None:
    assert_error(lua, "cephes." + call, message)
