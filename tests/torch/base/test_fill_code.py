"""Fills of many neighbors, by vectors and what is left behind them."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import Runtime

TYPES = ["float16", "float32", "float64", "int8", "uint8", "int16", "int32", "int64"]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("threads", [1, 2])
def test_fills_end_where_the_view_does(dtype: str, threads: int) -> None:
    runtime = Runtime()
    runtime.execute(f"torch.setnumthreads({threads})")
    for count in (512, 513, 527, 544, 641, 1023, 40003, 300007):
        for first in (0, 1, 5):
            runtime.globals()["x"] = np.zeros(count + 20, dtype)
            got = np.asarray(runtime.execute(f"return x:clone():narrow(1, {first + 1}, {count}):fill(3)"))
            whole = np.asarray(runtime.execute(f"x:narrow(1, {first + 1}, {count}):fill(3) return x"))
            expected = np.zeros(count + 20, dtype)
            expected[first : first + count] = 3
            np.testing.assert_array_equal(whole, expected)
            assert (got == 3).all()
