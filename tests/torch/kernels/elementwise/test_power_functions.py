"""Exponentials and powers beside NumPy in long doubles."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import Runtime
from tests.torch.kernels.elementwise.last_place import SPECIAL, Array, any_doubles, greatest_error

BORDERS = [709.78, 709.79, 710.5, -708.4, -745.1, -745.2, -746.0, 2.0**-54]
BASES = [*SPECIAL, -0.5, 2.0, -2.0, 3.0, -3.0, 2.5, -2.5, 2.0**53 - 1, -(2.0**53), 1e22]


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    return Runtime()


def test_exponentials(runtime: Runtime) -> None:
    random = np.random.default_rng(1)
    parts = [random.normal(size=30_000) * scale for scale in (1e-9, 0.1, 1, 20, 100)]
    assert greatest_error(runtime, "exp", np.exp, np.concatenate(parts)) <= 0.6
    others = np.concatenate([random.normal(size=30_000) * 400, any_doubles(20_000), SPECIAL, BORDERS])
    assert greatest_error(runtime, "exp", np.exp, others) <= 0.8


def operands() -> list[tuple[Array, Array, float]]:
    """Ordinary pairs, numbers near one with large exponents, negative bases, all magnitudes."""
    random = np.random.default_rng(2)
    x, y = random.normal(size=(2, 30_000))
    whole = random.integers(-40, 40, 30_000).astype(float)
    cases = [(np.exp(x), y, 0.54), (np.exp(x), y * 100, 0.54), (1 + x * 1e-3, y * 1e5, 0.54)]
    cases += [(1 + x * 1e-9, y * 1e10, 0.54), (-np.exp(x), whole, 0.54)]
    cases += [(np.exp(random.uniform(-745, 709, 30_000)), y, 0.8), (any_doubles(30_000), y, 0.8)]
    return cases


@pytest.mark.parametrize("case", range(7))
def test_powers(runtime: Runtime, case: int) -> None:
    x, y, limit = operands()[case]
    assert greatest_error(runtime, "cpow", np.power, x, y) <= limit
    by_number = "return function(x) return torch.pow(x, 2.5) end"
    by_tensor = "return function(x, y) return torch.cpow(x, y) end"
    np.testing.assert_array_equal(
        runtime.execute(by_number)(x), runtime.execute(by_tensor)(x, np.full(30_000, 2.5))
    )
    with np.errstate(over="ignore"):
        x, y = x.astype(np.float32), y.astype(np.float32)
    assert greatest_error(runtime, "cpow", np.power, x, y) <= 0.5001


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_powers_of_special_numbers(runtime: Runtime, kind: type) -> None:
    """All pairs: zeros, infinities, NaN, odd and even exponents, fractions of negative numbers."""
    with np.errstate(all="ignore"):
        x, y = (
            np.array(part).astype(kind) for part in (np.repeat(BASES, len(BASES)), np.tile(BASES, len(BASES)))
        )
    assert greatest_error(runtime, "cpow", np.power, x, y) <= 0.6


def test_powers_of_whole_numbers_are_exact(runtime: Runtime) -> None:
    pairs = [(a, b) for a in range(-60, 61) for b in range(30) if abs(a**b) < 2**53]
    x, y = np.array(pairs, float).T
    power = runtime.execute("return function(x, y) return torch.cpow(x, y) end")
    np.testing.assert_array_equal(power(x, y), [float(a**b) for a, b in pairs])


@pytest.mark.parametrize("function", ["torch.pow(x, 1.7)", "torch.exp(x)"])
@pytest.mark.parametrize("tensor", ["Float", "Double"])
def test_bits_depend_on_no_neighbor(runtime: Runtime, function: str, tensor: str) -> None:
    """Elements beside zeros and large negative numbers, for which other code runs."""
    source = f"""
    local function f(x) return {function} end
    local x = torch.range(1, 1003):mul(0.07):type('torch.{tensor}Tensor')
    local alone = f(x)
    for i = 1, 1003, 3 do x[i] = i % 2 == 0 and 0 or -9 * i end
    local beside, wrong = f(x), 0
    for i = 1, 1003 do
       if i % 3 ~= 1 and (beside[i] ~= alone[i] or f(x:narrow(1, i, 1))[1] ~= alone[i]) then
          wrong = wrong + 1
       end
    end
    return wrong
    """
    assert runtime.execute(source) == 0
