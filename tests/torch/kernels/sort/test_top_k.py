"""The best of rows, short and long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime
from tests.random_rows import DTYPES, LENGTHS, call, random_rows
from tests.runtimes import runtime_fixture


@pytest.fixture(scope="module")
def run() -> Callable[[str], Any]:
    """Runs Lua source; tensors come back as arrays, several results as a tuple."""
    runtime = Runtime()
    return runtime.execute


def test_best_of_long_rows(run: Callable[[str], Any]) -> None:
    topk = run("return function(x, k, largest) return x:topk(k, 2, largest, true) end")
    x = np.random.default_rng(5).permutation(6000).reshape(20, 300).astype(np.float64)
    for k in (1, 3, 8, 9, 300):
        for largest in (True, False):
            order = np.argsort(-x if largest else x, axis=1)[:, :k]
            values, places = topk(x, float(k), largest)
            assert (places == order + 1).all() and (values == np.take_along_axis(x, order, 1)).all()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_best_of_very_long_rows(run: Callable[[str], Any], dtype: str) -> None:
    """Rows long enough that more than a few elements are kept at once; a permutation has no equals."""
    topk = run("return function(x, k, largest) return x:topk(k, 2, largest, true) end")
    x = np.array([np.random.default_rng(seed).permutation(3000) for seed in range(6)]).astype(dtype)
    for k in (9, 12, 16, 17):
        for largest in (True, False):
            order = np.argsort(-x if largest else x, axis=1)[:, :k]
            values, places = topk(x, float(k), largest)
            np.testing.assert_array_equal(places, order + 1)
            np.testing.assert_array_equal(values, np.take_along_axis(x, order, 1))


lua = runtime_fixture()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("largest", [False, True])
def test_the_best_of_rows(largest: bool, dtype: str, lua: Runtime) -> None:
    for n in LENGTHS:
        x = random_rows(dtype, 8, n)
        for k in {1, min(n, 3), min(n, 8), min(n, 11)}:
            source = f"return torch.topk(x, {k}, 2, {str(largest).lower()}, true)"
            values, places = (np.asarray(part) for part in call(lua, source, x))
            ordered = np.sort(x, axis=1)
            expected = ordered[:, ::-1][:, :k] if largest else ordered[:, :k]
            np.testing.assert_array_equal(values, expected)
            np.testing.assert_array_equal(np.take_along_axis(x, places - 1, axis=1), values)
            assert all(len(set(row)) == k for row in places.tolist())


def test_the_best_of_rows_into_given_results(lua: Runtime) -> None:
    x = np.random.default_rng(4).standard_normal((5, 40))
    expected = np.sort(x, axis=1)[:, :3]
    source = """
       local values, places = torch.Tensor(3, 5):t(), torch.LongTensor(2)
       local same = x:clone()
       torch.topk(values, places, x, 3, 2)
       torch.topk(same, places, same, 3, 2)
       local first = torch.topk(x:t(), 3, 1)
       return values, same, first:t()"""
    for result in call(lua, source, x):
        np.testing.assert_array_equal(np.asarray(result), expected)
