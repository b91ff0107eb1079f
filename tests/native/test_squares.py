"""Norms and spreads of all elements, beside exact sums."""

from __future__ import annotations

import math

import numpy as np
import pytest

from t7shell import Runtime


def test_norms_of_short_and_long_rows() -> None:
    norms = Runtime().execute("return function(x) return x:norm(), x:float():norm(), x:std() end")
    for count in (2, 33, 1024, 1025, 8192, 8193, 70000):
        x = np.random.default_rng(count).standard_normal(count)
        norm, of_floats, spread = norms(x)
        assert norm == pytest.approx(math.sqrt(math.fsum(x * x)), rel=1e-12)
        assert of_floats == pytest.approx(math.sqrt(math.fsum(x.astype("f4").astype("f8") ** 2)), rel=1e-12)
        assert spread == pytest.approx(x.std(ddof=1), rel=1e-12)
    assert math.isnan(norms(np.array([1, np.nan]))[0]) and norms(np.array([1, np.inf]))[0] == math.inf
