"""Sine, cosine and tangent beside NumPy in long doubles."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import Runtime
from tests.torch.kernels.elementwise.last_place import SPECIAL, any_doubles, greatest_error

# The double and the Float that are the nearest to multiples of pi / 2, those where the way to reduce changes,
# and others beside multiples.
CLOSE = [6381956970095103 * 2.0**797, 16367173 * 2.0**72, 2.0**24, np.nextafter(2.0**24, 0)]
CLOSE += [np.nextafter(k * np.pi / 2, side) for k in (1, 2, 3, 29, 10**6, 2**23, 2**40) for side in (0, 1e99)]


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    return Runtime()


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_errors(runtime: Runtime, name: str) -> None:
    """Of all magnitudes, and near multiples of a quarter turn."""
    random = np.random.default_rng(1)
    parts = [random.normal(size=20_000) * scale for scale in (1e-9, 0.3, 1, 10, 1e5, 2e7, 1e12, 1e22)]
    quarters = np.concatenate([random.integers(-(2**k), 2**k, 10_000) for k in (5, 20, 30)])
    parts += [any_doubles(20_000), np.pi / 2 * quarters, np.array(SPECIAL + CLOSE)]
    x = np.concatenate(parts)
    assert greatest_error(runtime, name, getattr(np, name), x) <= 0.58
    with np.errstate(over="ignore"):
        x = x.astype(np.float32)
    assert greatest_error(runtime, name, getattr(np, name), x) <= 0.5001


def test_near_multiples_of_a_quarter_turn(runtime: Runtime) -> None:
    """The cosine of the double that is the nearest to one, by 1200 bits of pi."""
    cosine = runtime.execute("return function(x) return torch.cos(x) end")
    assert cosine(np.array([6381956970095103 * 2.0**797]))[0] == -4.687165924254628e-19
    assert cosine(np.array([1.5707963267948966]))[0] == 6.123233995736766e-17


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
@pytest.mark.parametrize("tensor", ["Float", "Double"])
def test_bits_depend_on_no_neighbor(runtime: Runtime, name: str, tensor: str) -> None:
    """Elements beside large ones, for which other code runs, are what they are alone and as numbers."""
    source = f"""
    torch.setdefaulttensortype('torch.DoubleTensor')
    local x = torch.range(1, 1003):mul(0.37):type('torch.{tensor}Tensor')
    local alone = torch.{name}(x)
    for i = 1, 1003, 3 do x[i] = 1e20 * i end
    x[8], x[12] = 1 / 0, 0 / 0
    local beside, wrong = torch.{name}(x), 0
    for i = 1, 1003 do
       local single = torch.{name}(x:narrow(1, i, 1))[1]
       local same = beside[i] == single or single ~= single and beside[i] ~= beside[i]
       if not same or i % 3 == 2 and i ~= 8 and beside[i] ~= alone[i] then wrong = wrong + 1 end
       local number = '{tensor}' == 'Double' and torch.{name}(x[i]) or single
       if single == single and number ~= single then wrong = wrong + 1 end
    end
    return wrong
    """
    assert runtime.execute(source) == 0
