"""Extremes and their places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime
from tests.random_rows import DTYPES, LENGTHS, call, random_rows


@pytest.fixture(scope="module")
def run() -> Callable[[str], Any]:
    """Runs Lua source; tensors come back as arrays, several results as a tuple."""
    runtime = Runtime()
    return runtime.execute


@pytest.mark.parametrize(("name", "expected"), [("max", [3, 2]), ("min", [3, 2])])
def test_nan_wins_and_ties_go_to_the_first(run: Callable[[str], Any], name: str, expected: list[int]) -> None:
    for padding in (0, 40):
        got = run(
            "local x = torch.Tensor{{1, 5, 0/0, 0/0}, {3, 4, 4, 3}}"
            f" x = torch.cat(x, torch.zeros(2, {padding} + 1):add(3.5))"
            f" x[2][2], x[2][3] = {'4, 4' if name == 'max' else '1, 1'}"
            f" local best, place = x:{name}(2) return best, place, x:{name}()"
        )
        assert got[1][:, 0].tolist() == expected
        assert np.isnan(got[0][0, 0]) and np.isnan(got[2])


@pytest.fixture(scope="module")
def lua() -> Runtime:
    return Runtime()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["max", "min"])
def test_extremes_and_their_first_places(name: str, dtype: str, lua: Runtime) -> None:
    for n in LENGTHS:
        x = random_rows(dtype, 20, n)
        values, places = call(lua, f"return torch.{name}(x, 2)", x)
        at = getattr(x, "arg" + name)(axis=1)
        np.testing.assert_array_equal(np.asarray(places)[:, 0] - 1, at)
        np.testing.assert_array_equal(np.asarray(values)[:, 0], x[np.arange(20), at])


def test_an_extreme_keeps_the_sign_of_zero(lua: Runtime) -> None:
    for n in LENGTHS[1:]:
        x = np.zeros((1, n))
        x[0, 0] = -0.0
        values, places = call(lua, "return torch.max(x, 2)", x)
        assert np.asarray(places)[0, 0] == 1
        assert np.signbit(np.asarray(values)[0, 0])
