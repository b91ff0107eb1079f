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


COUNTS = [*range(1, 70), 127, 128, 1024, 1025, 20032, 20033]


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float", "double"])
@pytest.mark.parametrize("inplace", ["false", "true"])
@pytest.mark.parametrize("module", ["ReLU", "ReLU6"])
def test_rectifiers_of_nan_and_zeros(runtime: Runtime, module: str, inplace: str, dtype: Float) -> None:
    """ReLU asks `x > 0`, in place `x <= 0`: NaN stays. ReLU6 `x < 0`, then `x <= 6`: NaN is 6, -0 stays."""
    for count in COUNTS:
        x: Array = np.resize(np.array([-0.0, -1.0, -np.nan, np.nan, -np.inf], dtype), count)
        runtime.globals()["x"] = x
        runtime.execute(f"y = nn.{module}({inplace}):type(x:type()):forward(x:clone())")
        expected = np.where(np.isnan(x) & (inplace == "true"), x, np.zeros_like(x))
        if module == "ReLU6":
            expected = np.where(np.isnan(x), dtype(6), np.where(x < 0, dtype(0), x))
        assert np.array(runtime.eval("y")).tobytes() == expected.tobytes(), count


# constructor: what NaN becomes in vectors and views; None where it stays in all tensors.
IN_PLACE = {
    "ReLU(true)": None,
    "Threshold(0.5, 0.25, true)": None,
    "LeakyReLU(0.25, true)": None,
    "ReLU6(true)": 6.0,
    "HardTanh(-0.5, 0.25, true)": 0.25,
}


@pytest.mark.parametrize("tensor", ["double", "float"])
@pytest.mark.parametrize("layout", ["vector", "matrix", "row", "transposed", "every second"])
@pytest.mark.parametrize("module", IN_PLACE)
def test_nan_in_place(runtime: Runtime, module: str, layout: str, tensor: str) -> None:
    """HardTanh and ReLU6 of the original walk vectors and views twice, the second time NaN is the limit."""
    limit = IN_PLACE[module]
    runtime.execute(f"""
    local function laid(x)
       x = x:{tensor}()
       local wide = x.new(6, 8):zero()
       local views = {{
          vector = x.new(12), matrix = x.new(3, 4), row = x.new(1, 12), transposed = x.new(4, 3):t(),
          ['every second'] = wide:unfold(2, 1, 2):select(3, 1):narrow(1, 1, 3),
       }}
       local view = views['{layout}']
       return view:copy(x:viewAs(view:clone()))
    end
    local x = laid(torch.range(-6, 5):apply(function(v) return v == 3 and 0 / 0 or v end))
    local m = nn.{module}:{tensor}()
    before = x:clone():view(-1)
    local y = m:forward(x)
    assert(y:isSetTo(x))
    after = y:clone():view(-1)
    -- The gradient at the input as it was: what was NaN passes.
    x:copy(before:viewAs(x:clone()))
    local g = laid(torch.range(1, 12))
    assert(m:updateGradInput(x, g):isSetTo(g))
    gradient = g:clone():view(-1)
    n = nn.{module}:{tensor}()
    n.inplace = false
    other = n:forward(before)
    other_gradient = n:updateGradInput(before, before.new(12):copy(torch.range(1, 12)))""")
    before, after, gradient, other, other_gradient = (
        np.array(runtime.eval(name)) for name in ("before", "after", "gradient", "other", "other_gradient")
    )
    assert np.isnan(before).tolist() == [False] * 9 + [True] + [False] * 2
    stays = limit is None or layout in ("matrix", "row")
    assert np.isnan(after[9]) if stays else after[9] == limit
    assert gradient[9] == 10
    # All others are as elsewhere.
    numbers = ~np.isnan(before)
    np.testing.assert_array_equal(after[numbers], other[numbers])
    np.testing.assert_array_equal(gradient[numbers], other_gradient[numbers])


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
