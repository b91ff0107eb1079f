"""adagrad, adadelta and rmsprop to the last digit: the original's steps, one rounding for each operation.

`addcmul(v, y, z)` adds (v y) z, `addcdiv(v, y, z)` adds (v y) / z; numbers are rounded to the tensor's type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime

Array = np.ndarray[Any, Any]
STEPS, COUNT = 25, 1003


def adagrad(x: Array, gradients: list[Array]) -> Array:
    T = x.dtype.type
    variance = np.zeros_like(x)
    for n, g in enumerate(gradients):
        rate = 0.05 / (1 + n * 0.01)
        variance += (T(1) * g) * g
        x = x + (T(-rate) * g) / (np.sqrt(variance) + T(1e-10))
    return x


def adadelta(x: Array, gradients: list[Array]) -> Array:
    T = x.dtype.type
    variance, deltas = np.zeros_like(x), np.zeros_like(x)
    for g in gradients:
        variance = variance * T(0.95)
        variance += (T(1 - 0.95) * g) * g
        deviation = np.sqrt(variance + T(1e-6))
        delta = np.sqrt(deltas + T(1e-6)) / deviation * g
        x = x + T(-1) * delta
        deltas = deltas * T(0.95)
        deltas += (T(1 - 0.95) * delta) * delta
    return x


def rmsprop(x: Array, gradients: list[Array]) -> Array:
    T = x.dtype.type
    mean = np.full_like(x, T(0.1))
    for g in gradients:
        mean = mean * T(0.99)
        mean += (T(1.0 - 0.99) * g) * g
        x = x + (T(-0.02) * g) / (np.sqrt(mean) + T(1e-8))
    return x


CONFIGS = {
    "adagrad": "learningRate = 0.05, learningRateDecay = 0.01",
    "adadelta": "rho = 0.95",
    "rmsprop": "learningRate = 0.02, initialMean = 0.1",
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float", "double"])
@pytest.mark.parametrize("method", [adagrad, adadelta, rmsprop])
def test_last_digits(method: Callable[..., Array], dtype: type[Any]) -> None:
    rng = np.random.default_rng(7)
    start = rng.standard_normal(COUNT).astype(dtype)
    scales = 10.0 ** rng.integers(-6, 4, (STEPS, COUNT))
    gradients = list((rng.standard_normal((STEPS, COUNT)) * scales).astype(dtype))
    runtime = Runtime()
    runtime.globals()["x"], runtime.globals()["all"] = start.copy(), np.stack(gradients)
    runtime.execute(
        f"local config = {{ {CONFIGS[method.__name__]} }}\n"
        f"for n = 1, {STEPS} do require 'optim'.{method.__name__}("
        "function() return 0, all[n]:clone() end, x, config) end"
    )
    found, expected = np.array(runtime.eval("x")), method(start, gradients)
    differing = np.count_nonzero(found != expected)
    assert differing == 0, (differing, np.abs(found - expected).max())
