"""Normally distributed numbers have the bits of the original: C functions of the Mersenne Twister stream."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from t7shell import Runtime
from tests.runtimes import runtime_fixture

SEED = 42


def expected(count: int, value: Callable[[float], float]) -> list[float]:
    """Box and Muller over NumPy's stream of the same seed, with the functions of the C library."""
    bits = np.random.MT19937()
    bits._legacy_seeding(SEED)
    uniform = [int(word) / 2**32 for word in bits.random_raw(count + 1)]
    numbers = []
    for x, y in zip(uniform[0::2], uniform[1::2], strict=False):
        rho, angle = math.sqrt(-2 * math.log(1 - y)), 2 * math.pi * x
        numbers += [value(rho * math.cos(angle)), value(rho * math.sin(angle))]
    return numbers[:count]


runtime = runtime_fixture()


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize(
    "count", [1, 2, 7, 62, 64, 65, 623, 1000, 1249, 70001, pytest.param(2**20, marks=pytest.mark.slow)]
)
def test_randn(runtime: Runtime, count: int, threads: int) -> None:
    runtime.execute(f"torch.setnumthreads({threads}) torch.manualSeed({SEED}) x = torch.randn({count})")
    assert np.array(runtime.eval("x")).tolist() == expected(count, lambda z: z)


def test_calls_sequential(runtime: Runtime) -> None:
    """The second of a pair is left for the next call, of whatever kind."""
    runtime.execute(
        f"""
        torch.manualSeed({SEED})
        local parts = {{}}
        for _, n in ipairs {{ 3, 1, 64, 5, 1000, 333, 2000, 1 }} do
           parts[#parts + 1] = torch.randn(n)
           parts[#parts + 1] = torch.Tensor {{ torch.normal() }}
           local strided = torch.Tensor(4, 2)
           strided:select(2, 2):normal()
           parts[#parts + 1] = strided:select(2, 2):clone()
        end
        x = torch.cat(parts)
        """
    )
    got = np.array(runtime.eval("x")).tolist()
    assert got == expected(len(got), lambda z: z)


def test_other_values_and_types(runtime: Runtime) -> None:
    for count in (5, 300, 3000):
        runtime.execute(f"torch.manualSeed({SEED}) x = torch.Tensor({count}):normal(3, 0.7)")
        assert np.array(runtime.eval("x")).tolist() == expected(count, lambda z: z * 0.7 + 3)
        runtime.execute(f"torch.manualSeed({SEED}) x = torch.Tensor({count}):logNormal(0.1, 0.7)")
        assert np.array(runtime.eval("x")).tolist() == expected(count, lambda z: math.exp(z * 0.7 + 0.1))
        runtime.execute(f"torch.manualSeed({SEED}) x = torch.FloatTensor({count}):normal()")
        assert np.array(runtime.eval("x")).tolist() == np.float32(expected(count, lambda z: z)).tolist()


def test_state_is_the_originals(runtime: Runtime) -> None:
    """A state that was saved within a pair goes on with the other half."""
    runtime.execute(
        f"""
        torch.manualSeed({SEED})
        torch.randn(3)
        local state = torch.getRNGState()
        x = torch.randn(600)
        torch.setRNGState(state)
        y = torch.randn(600)
        """
    )
    assert np.array(runtime.eval("x")).tolist() == expected(603, lambda z: z)[3:]
    assert np.array(runtime.eval("y")).tolist() == expected(603, lambda z: z)[3:]
