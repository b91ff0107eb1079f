"""Logarithms and remainders of doubles beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import Runtime
from tests.torch.kernels.elementwise.last_place import SPECIAL, any_doubles, greatest_error


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    return Runtime()


@pytest.mark.parametrize("name", ["log", "log1p"])
def test_logarithms(runtime: Runtime, name: str) -> None:
    """Of all magnitudes, near one and special ones; and in a program whose step overwrites its operand."""
    random = np.random.default_rng(4)
    near = [np.exp(random.normal(size=20_000) * scale) for scale in (1e-9, 1e-4, 0.2, 3)]
    around_zero = [random.normal(size=20_000) * scale for scale in (1e-310, 1e-20, 1e-9, 0.1)]
    close = [1 - 2**-53, 1 + 2**-52, 0.5**0.5, 2**0.5]
    x = np.concatenate([any_doubles(20_000), *near, *around_zero, SPECIAL, close])
    assert greatest_error(runtime, name, getattr(np, name), x) <= 0.54
    softplus = runtime.execute("return function(x) return require('nn').SoftPlus():forward(x) end")
    small = np.linspace(-30, 15, 1001)
    np.testing.assert_allclose(softplus(small), np.log1p(np.exp(small)), rtol=1e-14)


def test_remainders_are_exact(runtime: Runtime) -> None:
    """Of quotients up to 2^2000 and beside whole numbers, of denormal and of special numbers."""
    random = np.random.default_rng(6)
    x, y = random.normal(size=(2, 20_000))
    wholes = random.integers(1, 2**30, 20_000)
    tenth, least = np.full(20_000, 0.1), np.full(20_000, 5e-324)
    cases = [(x, y), (x * 1e8, y), (x * 1e300, y * 1e-310), (x * 1e-308, y * 1e-310), (x * 1e300, least)]
    cases += [(wholes * 0.1, tenth), (np.nextafter(wholes * 0.1, 0), tenth), (wholes * x * 2.0**24, y)]
    cases += [(any_doubles(20_000), any_doubles(20_000, seed=7))]
    cases += [(np.repeat(SPECIAL, 14), np.tile(SPECIAL, 14))]
    modulus = runtime.execute("return function(x, y) return torch.cfmod(x, y) end")
    by_number = runtime.execute("return function(x, y) return torch.fmod(x, y) end")
    for x, y in cases:
        with np.errstate(all="ignore"):
            expected = np.fmod(x, y)
        got, known = modulus(x, y), ~np.isnan(expected)
        np.testing.assert_array_equal(got, expected)
        np.testing.assert_array_equal(np.signbit(got[known]), np.signbit(expected[known]))
        divisor = float(y[3])
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(by_number(x, divisor), np.fmod(x, divisor))
