"""Element-wise programs as machine code: beside NumPy in double precision, and beside single steps."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime
from tests.torch.kernels.elementwise.last_place import greatest_error

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 1e-45, -1e-45, 2.0**-126]
SPECIAL += [88.72283, 88.7229, -103.97, -104]


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    return Runtime()


def floats(count: int) -> Any:
    """Floats of all magnitudes, ordinary ones, and special ones."""
    random = np.random.default_rng(1)
    any_bits = random.integers(0, 2**32, count, dtype=np.uint64).astype(np.uint32).view(np.float32)
    any_bits = np.where(np.isnan(any_bits), np.float32(np.nan), any_bits)
    ordinary = [random.normal(size=count) * scale for scale in (1e-3, 1, 50)]
    return np.concatenate([any_bits, *[part.astype(np.float32) for part in ordinary], np.float32(SPECIAL)])


@pytest.mark.parametrize("name", ["exp", "log", "log1p", "tanh", "cosh", "sinh"])
def test_functions_are_right_within_four_units(runtime: Runtime, name: str) -> None:
    x = floats(20_000)
    assert greatest_error(runtime, name, getattr(np, name), x) <= 4


WIDE = {
    "atan": np.arctan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan2": np.arctan2,
    "cfmod": np.fmod,
    "cremainder": lambda x, y: x - y * np.floor(x.astype(np.float32) / y.astype(np.float32)),
}


@pytest.mark.parametrize("name", WIDE)
def test_functions_that_are_computed_in_doubles(runtime: Runtime, name: str) -> None:
    """Such results are the right ones, rounded once; all pairs of special numbers are among them."""
    x = floats(20_000)
    y = np.random.default_rng(3).permutation(x)
    x, y = (np.concatenate(pair) for pair in ((x, np.repeat(SPECIAL, 14)), (y, np.tile(SPECIAL, 14))))
    count = 2 if name in ("atan2", "cfmod", "cremainder") else 1
    operands = [part.astype(np.float32) for part in (x, y)[:count]]
    got = runtime.execute(f"return function(...) return torch.{name}(...) end")(*operands)
    with np.errstate(all="ignore"):
        expected = WIDE[name](*[part.astype(np.float64) for part in operands]).astype(np.float32)
    np.testing.assert_array_equal(got, expected)
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(got[known]), np.signbit(expected[known]))


@pytest.mark.parametrize("name", ["exp", "tanh", "cosh", "sinh"])
def test_functions_of_doubles(runtime: Runtime, name: str) -> None:
    random = np.random.default_rng(2)
    parts = [random.normal(size=20_000) * scale for scale in (1e-8, 0.1, 1, 20, 400)]
    x = np.concatenate([*parts, SPECIAL, [709.78, 709.79, 710.5, -708.4, -745.1, -745.2, -746, 5e-324]])
    assert greatest_error(runtime, name, getattr(np, name), x) <= 4


@pytest.mark.parametrize("tensor", ["Float", "Double"])
@pytest.mark.parametrize(
    "program",
    [
        "torch.exp(x)",
        "torch.log(torch.abs(x))",
        "torch.atan2(x, x)",
        "torch.sin(x)",
        "torch.tan(x)",
        "torch.asin(torch.div(x, 9))",
        "torch.fmod(x, 0.3)",
        "torch.sigmoid(x)",
        "torch.sign(x)",
        "torch.clamp(x, -1, 1)",
        "torch.addcmul(x, 2, x, x)",
    ],
)
def test_bits_depend_on_no_place(runtime: Runtime, tensor: str, program: str) -> None:
    source = f"""
    local function f(x) return {program} end
    local all = torch.{tensor}Tensor(3, 1003)
    all:copy(torch.range(1, all:nElement()):mul(0.37):sin():mul(9))
    local plain = f(all[2])
    local strided, shifted = f(all:t():clone():t()[2]), f(all[2]:narrow(1, 4, 1000))
    return torch.ne(plain, strided):sum() + torch.ne(plain:narrow(1, 4, 1000), shifted):sum()
    """
    assert runtime.execute(source) == 0


EXACT = """
torch.manualSeed(1)
local nn = require 'nn'
torch.setdefaulttensortype('torch.%sTensor')
local x, y, p = torch.randn(1037), torch.randn(1037), torch.rand(1037):add(0.1)
for i, v in ipairs { 0, -0.0, 1 / 0, -1 / 0, 0 / 0, 2.5, -2.5, 0.5, -1 } do x[i], y[100 + i] = v, v end
local function show(name, t)
   io.write(name)
   for i = 1, t:nElement() do io.write((' %%.17g'):format(t[i] ~= t[i] and 0 / 0 or t[i])) end
   print()
end
for _, name in ipairs { 'round', 'sign', 'frac', 'rsqrt' } do show(name, torch[name](x)) end
show('clamp', torch.clamp(x, -1, 1))
show('cmax', torch.cmax(x, 0.5))
show('cmin', torch.cmin(x, 0.5))
show('lerp', torch.lerp(x, y, 0.3))
show('addcmul', torch.addcmul(x, 0.3, y, p))
show('addcdiv', torch.addcdiv(x, 0.3, y, p))
show('pow', torch.pow(x, -2))
show('fmod', torch.cfmod(x, p))
show('remainder', torch.cremainder(x, p))
show('gt', torch.gt(torch.Tensor(), x, 0.5))
for _, m in ipairs { nn.ReLU(), nn.ReLU6(), nn.LeakyReLU(0.1), nn.PReLU(), nn.SoftSign(), nn.HardTanh(),
   nn.HardShrink(), nn.SoftShrink(), nn.Threshold(0.1, 0.2), nn.Abs(), nn.Sqrt() } do
   show(torch.type(m), m:forward(x))
   show(torch.type(m), m:backward(x, y))
end
for _, m in ipairs { nn.MSECriterion(), nn.AbsCriterion(), nn.SmoothL1Criterion(), nn.MarginCriterion() } do
   show(torch.type(m), m:backward(x, y))
end
"""


@pytest.mark.parametrize("tensor", ["Float", "Double"])
def test_exact_programs_have_the_bits_of_single_steps(tensor: str) -> None:
    """The variable makes NumPy, and so the shell, do without the instructions."""
    command = [sys.executable, "-m", "t7shell", "-e", EXACT % tensor]
    outputs = []
    for disabled in ("", "X86_V3 AVX2 FMA3"):
        environment = os.environ | {"NPY_DISABLE_CPU_FEATURES": disabled}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout.splitlines())
    assert len(outputs[0]) == 40
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("tensor", ["Float", "Double"])
@pytest.mark.parametrize("count", [1, 7, 8, 21, 1000, 70_001])
def test_totals(runtime: Runtime, tensor: str, count: int) -> None:
    """A mean of squares, by pieces and with elements that fill no vector."""
    source = f"""
    local x = torch.range(1, {count}):type('torch.{tensor}Tensor'):mul(0.25)
    return require('nn').MSECriterion():type('torch.{tensor}Tensor'):forward(x, x:clone():zero())
    """
    expected = np.mean((np.arange(1, count + 1) * 0.25) ** 2)
    np.testing.assert_allclose(runtime.execute(source), expected, rtol=1e-6 if tensor == "Float" else 1e-13)
