"""Sums and other reductions over the lengths at which their code changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime


@pytest.fixture(scope="module")
def run() -> Callable[[str], Any]:
    """Runs Lua source; tensors come back as arrays, several results as a tuple."""
    runtime = Runtime()
    return runtime.execute


def test_column_sums_stay_right_when_blas_takes_over(run: Callable[[str], Any]) -> None:
    x, into = run(
        "local x = torch.range(1, 400):resize(20, 20) for _ = 1, 4000 do x:sum(1) end"
        " return x, torch.sum(torch.Tensor(1, 20):fill(0/0), x, 1)"
    )
    assert (into == x.sum(axis=0, keepdims=True)).all()
    x[3, 4] = np.inf
    assert run("return function(x) return x:sum(1) end")(x)[0, 4] == np.inf


@pytest.mark.parametrize("shape", [(40, 40), (41, 35), (64, 100), (9, 60)])
def test_long_rows_are_summed_in_order(run: Callable[[str], Any], shape: tuple[int, int]) -> None:
    """As many rows as columns or more are summed element after element, to the bit."""
    x = np.random.default_rng(1).standard_normal(shape)
    sums, products = run("return function(x) return x:sum(2), x:prod(2) end")(x)
    sums, products = sums.ravel(), products.ravel()
    if shape[0] >= shape[1]:
        for row, total, product in zip(x.tolist(), sums, products, strict=True):
            expected, factor = row[0], row[0]
            for value in row[1:]:
                expected, factor = expected + value, factor * value
            assert (total, product) == (expected, factor)
    np.testing.assert_allclose(sums, x.sum(1), rtol=1e-12)


@pytest.mark.parametrize("kind", ["Double", "Float", "Byte", "Char", "Short", "Int", "Long"])
def test_tensors_are_equal_to_the_last_element(kind: str) -> None:
    """Of more than one block, contiguous or not; NaN equals nothing, and zeros are equal."""
    results = Runtime().execute(f"""
        local a = torch.range(1, 3000):fmod(50):type('torch.{kind}Tensor')
        local results, m = {{ a:equal(a:clone()), a:view(30, 100):equal(a:view(100, 30)) }}, a:view(30, 100)
        for _, at in ipairs{{1, 1024, 1025, 3000}} do
            local b = a:clone()
            b[at] = 99
            table.insert(results, a:equal(b))
            table.insert(results, m:t():equal(b:view(30, 100):t()))
        end
        table.insert(results, m:t():equal(m:t():contiguous()))
        table.insert(results, torch.Tensor{{0 / 0}}:equal(torch.Tensor{{0 / 0}}))
        table.insert(results, torch.Tensor{{0}}:equal(torch.Tensor{{-0}}))
        return unpack(results)
    """)
    assert results == (True, False, *[False] * 8, True, False, True)
