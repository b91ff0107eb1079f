"""Element-wise programs: bits that depend on no place, orders of operations, special numbers, and totals."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import Runtime


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    return Runtime()


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


@pytest.mark.parametrize("tensor", ["Float", "Double"])
def test_addcmul_and_addcdiv_take_the_number_first(runtime: Runtime, tensor: str) -> None:
    """(v y) w and (v y) / w, each rounded in the type, as Torch7's loops."""
    kind = np.float32 if tensor == "Float" else np.float64
    random = np.random.default_rng(7)
    a, b, c = (random.uniform(0.1, 1.1, 1000).astype(kind) for _ in range(3))
    v = kind(0.37)
    q, m = runtime.execute("return function(...) return torch.addcdiv(...), torch.addcmul(...) end")(
        a, 0.37, b, c
    )
    np.testing.assert_array_equal(q, a + v * b / c)
    np.testing.assert_array_equal(m, a + v * b * c)


def test_addcmul_does_not_overflow_between(runtime: Runtime) -> None:
    f = "torch.FloatTensor{1e20}"
    assert runtime.execute(f"return torch.addcmul(torch.FloatTensor{{0}}, 1e-20, {f}, {f})[1]") == np.float32(
        1e20
    )


def test_rounding_and_limits_keep_the_sign_of_zero(runtime: Runtime) -> None:
    for call in ("torch.round(x)", "torch.clamp(x, 0, 1)", "torch.clamp(x, -1, 0)"):
        for tensor in ("Float", "Double"):
            source = f"local x = torch.{tensor}Tensor{{-0.0}} return 1 / {call}[1]"
            assert runtime.execute(source) == -np.inf, call
    assert runtime.execute("return 1 / torch.clamp(torch.Tensor{0}, -0.0, 1)[1]") == np.inf


TRANSFER = """
local nn, nan = require 'nn', 0 / 0
return function(kind)
   local x, g = torch[kind] { nan }, torch[kind] { nan }
   local function forward(m, input) return m:type('torch.' .. kind):forward(input)[1] end
   local sqrt = nn.Sqrt():type('torch.' .. kind)
   sqrt:forward(torch[kind] { 4 })
   local of_output = nn.Sqrt():type('torch.' .. kind)
   of_output:forward(x)
   return forward(nn.HardTanh(), x), forward(nn.ReLU6(), x), forward(nn.ReLU(), x),
      of_output:backward(x, torch[kind] { 1 })[1], forward(nn.ELU(), torch[kind] { -1e-8 }),
      forward(nn.ELU(), torch[kind] { -1e-6 })
end
"""


@pytest.mark.parametrize("kind", ["FloatTensor", "DoubleTensor"])
def test_transfer_functions_of_special_numbers(runtime: Runtime, kind: str) -> None:
    """As the original's conditions have it; ELU of Floats computes in doubles."""
    hard, six, relu, root, tiny, small = runtime.execute(TRANSFER)(kind)
    assert (hard, six, relu) == (1, 6, 0)
    assert np.isnan(root)
    number = np.float32 if kind == "FloatTensor" else np.float64
    assert tiny == number(np.exp(np.float64(number(-1e-8))) - 1)
    assert small == number(np.exp(np.float64(number(-1e-6))) - 1)


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
