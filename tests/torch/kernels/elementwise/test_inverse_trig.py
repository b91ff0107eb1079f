"""Inverse trigonometric functions of doubles beside NumPy in long doubles."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import Runtime
from tests.torch.kernels.elementwise.last_place import SPECIAL, Array, any_doubles, greatest_error

# Around the numbers where other terms are taken, and where numbers are scaled.
LIMITS = [0.2072, 0.66818, 1 / 0.2072, 2.0**60, 2.0**1000, 2.0**-900, 2.0**900]
LIMITS += [np.nextafter(x, side) for x in (0.5, -0.5, 1.0, -1.0, *LIMITS) for side in (-9e99, 9e99)]


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    return Runtime()


@pytest.mark.parametrize(("name", "limit"), [("arcsin", 0.62), ("arccos", 0.62), ("arctan", 0.56)])
def test_errors(runtime: Runtime, name: str, limit: float) -> None:
    random = np.random.default_rng(2)
    near_one = 1 - np.exp(-random.uniform(0, 36, 20_000))
    parts = [random.uniform(-1, 1, 50_000), random.normal(size=20_000) * 1e-9, near_one, -near_one]
    parts += [np.exp(random.normal(size=20_000) * 9), any_doubles(20_000), np.array(SPECIAL + LIMITS)]
    x = np.concatenate(parts)
    assert greatest_error(runtime, name.replace("arc", "a"), getattr(np, name), x) <= limit


def pairs(values: list[float]) -> tuple[Array, Array]:
    return np.repeat(values, len(values)), np.tile(values, len(values))


def test_errors_of_two_operands(runtime: Runtime) -> None:
    """Of points near and far, of all directions, and all pairs of special numbers."""
    random = np.random.default_rng(3)
    x, y = random.normal(size=(2, 50_000))
    for scale_y, scale_x in ((1, 1), (1e-8, 1), (1e300, 1e305), (1e-290, 1e-290)):
        assert greatest_error(runtime, "atan2", np.arctan2, y * scale_y, x * scale_x) <= 0.58
    assert greatest_error(runtime, "atan2", np.arctan2, 1 + 1e-9 * y, 1 + 1e-9 * x) <= 0.58
    any_pair = any_doubles(50_000), any_doubles(50_000, seed=5)
    for operands in (any_pair, pairs(SPECIAL + LIMITS), (y * 1e-310, x)):
        assert greatest_error(runtime, "atan2", np.arctan2, *operands) <= 0.8
