"""Transfer functions that let gradients pass where a comparison holds: NaN, signed zeros, ties."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime

Array = np.ndarray[Any, Any]
Float = type[np.float32] | type[np.float64]

TINY = np.finfo(np.float32).smallest_subnormal
SPECIAL = [np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf, TINY, -TINY]
SPECIAL += [0.5, -0.5, 6.0, -6.0, 1e38, -1e38, 0.25, 7.0]

# constructor: where gradients pass
MODULES: dict[str, Callable[[Array], Array]] = {
    "ReLU()": lambda x: x > 0,
    "Threshold(-0.0, -1)": lambda x: x > 0,
    "Threshold(0.5, 0.1)": lambda x: x > 0.5,
    "Threshold(-math.huge, -math.huge)": lambda x: x > -np.inf,
    "Threshold(math.huge, 1)": lambda x: x > np.inf,
    "Threshold(0/0, 1)": lambda x: x > np.nan,
    # The original asks `x <= min || x >= max`, which no NaN is.
    "ReLU6()": lambda x: ~((x <= 0) | (x >= 6)),
    "HardTanh(-0.5, 0)": lambda x: ~((x <= -0.5) | (x >= 0)),
    "HardTanh(-0.0, 0.5)": lambda x: ~((x <= 0) | (x >= 0.5)),
    "HardTanh(-math.huge, math.huge)": lambda x: ~((x <= -np.inf) | (x >= np.inf)),
    "HardShrink(0)": lambda x: (x > 0) | (x < 0),
    "HardShrink(-0.0)": lambda x: (x > 0) | (x < 0),
    "HardShrink(0.5)": lambda x: (x > 0.5) | (x < -0.5),
    "SoftShrink(0.5)": lambda x: (x > 0.5) | (x < -0.5),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float", "double"])
@pytest.mark.parametrize("repeats", [1, 65, 20000], ids=["16", "1040", "320000"])
@pytest.mark.parametrize("module", MODULES)
def test_gradients_pass_bit_by_bit(runtime: Runtime, module: str, repeats: int, dtype: Float) -> None:
    x: Array = np.tile(np.array(SPECIAL, dtype), repeats)
    # A gradient for each input, of which none repeats with the inputs.
    gradient = np.resize(np.array([*SPECIAL, 3.0], dtype), x.size)
    runtime.globals()["x"], runtime.globals()["g"] = x, gradient
    # Not in the middle of a vector register, and not the whole of one.
    runtime.execute(
        f"m, n = nn.{module}:type(x:type()), x:nElement() - 2\n"
        "x, g = x:narrow(1, 2, n), g:narrow(1, 2, n) m:forward(x) r = m:updateGradInput(x, g)"
    )
    x, gradient = x[1:-1], gradient[1:-1]
    bits = np.uint32 if dtype is np.float32 else np.uint64
    expected = np.where(MODULES[module](x), gradient, dtype(0)).view(bits)
    np.testing.assert_array_equal(np.array(runtime.eval("r")).view(bits), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float", "double"])
@pytest.mark.parametrize("limit", [0, 0.5])
def test_shrinking_keeps_what_passes(runtime: Runtime, limit: float, dtype: Float) -> None:
    x: Array = np.array(SPECIAL, dtype)
    runtime.globals()["x"] = x
    runtime.execute(f"y = nn.HardShrink({limit}):type(x:type()):forward(x)")
    expected = np.where((x > limit) | (x < -limit), x, dtype(0))
    np.testing.assert_array_equal(np.array(runtime.eval("y")), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float", "double"])
@pytest.mark.parametrize("inplace", ["false", "true"])
@pytest.mark.parametrize("module", ["ReLU", "ReLU6"])
def test_rectifiers_of_nan_and_zeros(runtime: Runtime, module: str, inplace: str, dtype: Float) -> None:
    """ReLU asks `x > 0`, ReLU6 as the original: `x < 0`, then `x <= 6`, where NaN is 6 and -0 stays."""
    counts = [*range(1, 70), 127, 128, 1024, 1025, 20032, 20033]
    for count in counts:
        x: Array = np.resize(np.array([-0.0, -1.0, -np.nan, np.nan, -np.inf], dtype), count)
        runtime.globals()["x"] = x
        runtime.execute(f"y = nn.{module}({inplace}):type(x:type()):forward(x:clone())")
        expected = np.zeros_like(x)
        if module == "ReLU6":
            expected = np.where(np.isnan(x), dtype(6), np.where(x < 0, dtype(0), x))
        assert np.array(runtime.eval("y")).tobytes() == expected.tobytes(), count


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float", "double"])
@pytest.mark.parametrize(("low", "high"), [("-1", "1"), ("-0.0", "0.5"), ("-0.5", "0"), ("-0.5", "-0.0")])
def test_limits_at_ties(runtime: Runtime, low: str, high: str, dtype: Float) -> None:
    """`x < min` gives min, then `x <= max` keeps x, else max: a tie keeps the zero of the element."""
    x: Array = np.resize(np.array([*SPECIAL, 1.0, -1.0], dtype), 1001)
    runtime.globals()["x"] = x
    runtime.execute(f"y = nn.HardTanh({low}, {high}):type(x:type()):forward(x)")
    least, most = dtype(low), dtype(high)
    expected = np.where(x < least, least, np.where(x <= most, x, most))
    bits = np.uint32 if dtype is np.float32 else np.uint64
    np.testing.assert_array_equal(np.array(runtime.eval("y")).view(bits), expected.view(bits))
