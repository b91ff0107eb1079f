"""Sums and products of the elements so far, over the lengths at which their code changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime


@pytest.fixture(scope="module")
def run() -> Callable[[str], Any]:
    """Runs Lua source; tensors come back as arrays, several results as a tuple."""
    return Runtime().execute


SHAPES = [(1000,), (31, 3), (3, 31), (6, 32), (7, 100), (100, 9), (2, 5, 40), (70, 333)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("transposed", [False, True])
def test_elements_are_accumulated_in_order(
    run: Callable[[str], Any], shape: tuple[int, ...], transposed: bool
) -> None:
    """NumPy accumulates element after element too, so that results are the same to the bit."""
    x = np.random.default_rng(1).standard_normal(shape)
    layout = ":transpose(1, 2)" if transposed and len(shape) > 1 else ""
    both = run(f"return function(x, d) x = x{layout} return torch.cumsum(x, d), torch.cumprod(x, d) end")
    expected = x.swapaxes(0, 1) if layout else x
    for axis in range(len(shape)):
        sums, products = both(x, axis + 1)
        assert np.array_equal(sums, np.cumsum(expected, axis))
        assert np.array_equal(products, np.cumprod(expected, axis))


def test_a_result_may_be_the_operand_or_have_strides(run: Callable[[str], Any]) -> None:
    x = np.random.default_rng(2).standard_normal((5, 64))
    same, wide = run(
        "return function(x) local wide = torch.zeros(5, 128)"
        " torch.cumsum(wide:narrow(2, 65, 64), x, 2) return torch.cumsum(x, x, 2), wide end"
    )(x.copy())
    assert np.array_equal(same, np.cumsum(x, 1))
    assert np.array_equal(wide[:, 64:], np.cumsum(x, 1)) and not wide[:, :64].any()


@pytest.mark.parametrize("shape", [(40, 37), (37, 40), (70, 333), (3, 50, 6)])
def test_floats_accumulate_as_doubles(run: Callable[[str], Any], shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(3).standard_normal(shape).astype(np.float32)
    both = run("return function(x, d) return torch.cumsum(x, d), torch.cumprod(x, d) end")
    for axis in range(len(shape)):
        sums, products = both(x, axis + 1)
        assert np.array_equal(sums, np.cumsum(x.astype(np.float64), axis).astype(np.float32))
        assert np.array_equal(products, np.cumprod(x.astype(np.float64), axis).astype(np.float32))
