"""Losses and gradients of NaN, inf and ties, by the comparisons of Torch7's criterions.

Each is computed here element by element in the type of the tensors, with Python's comparisons, which are C's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from t7shell import Runtime

Array = np.ndarray[Any, Any]
Float = type[np.float32] | type[np.float64]

TYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float", "double"])
X = [np.nan, np.inf, -np.inf, 1.0, -1.0, 0.0, 0.5, 3e38, -3e38, 1.0000001]


def answers(runtime: Runtime, make: str, dtype: Float, **values: Any) -> tuple[float, list[Array]]:
    """The loss and gradients of a criterion; values are x, target and what the constructor uses."""
    name = "torch.FloatTensor" if dtype is np.float32 else "torch.DoubleTensor"
    for key, value in values.items():
        runtime.globals()[key] = value
    runtime.execute(
        f"local c = nn.{make}:type('{name}') loss = c:forward(x, target)\n"
        "g = c:backward(x, target) if torch.isTensor(g) then g = { g } end g1, g2 = g[1], g[2] or g[1]"
    )
    return runtime.eval("loss"), [np.array(runtime.eval("g1")), np.array(runtime.eval("g2"))]


def same(found: tuple[float, list[Array]], loss: float, *gradients: Any) -> None:
    np.testing.assert_allclose(found[0], loss, rtol=1e-6)
    for one, other in zip(found[1], gradients, strict=False):
        np.testing.assert_allclose(one, other, rtol=1e-6)


@TYPES
@pytest.mark.parametrize("value", X)
def test_absolute_differences(runtime: Runtime, value: float, dtype: Float) -> None:
    x: Array = np.array([value] * 10, dtype)
    y: Array = np.array(X, dtype)
    with np.errstate(all="ignore"):
        d = x - y
        found = answers(runtime, "AbsCriterion()", dtype, x=x, target=y)
        same(found, np.abs(d.astype(float)).mean(), [0.1 if v >= 0 else -0.1 for v in d])
        loss = [0.5 * z * z if z < 1 else z - 0.5 for z in np.abs(d).astype(float)]
        slope = [-0.1 if v < -1 else 0.1 if v > 1 else 0.1 * v for v in d]
        same(answers(runtime, "SmoothL1Criterion()", dtype, x=x, target=y), np.mean(loss), slope)


@TYPES
@pytest.mark.parametrize("value", X)
def test_margins(runtime: Runtime, value: float, dtype: Float) -> None:
    for sign in (1, -1):
        x, y = np.array([value], dtype), np.array([sign], dtype)
        z = dtype(1) - x[0] * y[0]
        slope = [-sign if x[0] * y[0] < 1 else 0]
        same(answers(runtime, "MarginCriterion()", dtype, x=x, target=y), z if z > 0 else 0, slope)
        far = dtype(1) - x[0]
        loss = value if sign == 1 else far if far > 0 else 0
        slope = [0 if sign == -1 and x[0] > 1 else sign]
        same(answers(runtime, "HingeEmbeddingCriterion()", dtype, x=x, target=y), loss, slope)


@TYPES
def test_sums_of_absolute_values(runtime: Runtime, dtype: Float) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 2, -3, 0], dtype)
    found = answers(runtime, "L1Cost()", dtype, x=x, target=None)
    assert np.isnan(found[0]) and found[1][0].tolist() == [0, 1, -1, 1, -1, 0]


@TYPES
def test_divergence_counts_positive_targets_only(runtime: Runtime, dtype: Float) -> None:
    x = np.array([np.nan, np.nan, np.inf, 0.5, 2], dtype)
    y = np.array([-1, 0, np.nan, 0.5, np.inf], dtype)
    found = answers(runtime, "DistKLDivCriterion()", dtype, x=x, target=y)
    same(found, np.inf, [0, 0, 0, -0.1, -np.inf])


def lists(values: Array, targets: Array, weights: Array | None, p: int, margin: float) -> tuple[float, Array]:
    """MultiMarginCriterion of rows."""
    dtype = values.dtype.type
    gradient, loss = np.zeros_like(values), 0.0
    g = dtype(1 / values.size)
    for x, t, r in zip(values, targets, gradient, strict=True):
        for d in range(len(x)):
            z = dtype(margin) - x[t] + x[d]
            if d != t and z > 0:
                w = dtype(1) if weights is None else weights[t]
                loss += float((z if p == 1 else z * z) * w)
                r[d] = (g if p == 1 else 2 * g * z) * w
                r[t] -= r[d]
    return loss / values.size, gradient


@TYPES
@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("weight", [None, 2.0, 0.0, np.nan, np.inf])
def test_margins_of_classes(runtime: Runtime, weight: float | None, p: int, dtype: Float) -> None:
    random = np.random.default_rng(5)
    rows = random.choice(np.array(X, dtype), (40, 4))
    # Nothing comes near the target, so that no weight counts.
    rows[0], rows[1] = [9, 0, -1, np.nan], [np.nan, 1, 2, 3]
    targets = random.integers(0, 4, 40)
    targets[:2] = 0
    weights = None if weight is None else np.array([weight] * 4, dtype)
    with np.errstate(all="ignore"):
        for some in [slice(0, 1), slice(1, 2), slice(0, 40)] + [slice(i, i + 1) for i in range(2, 20)]:
            loss, gradient = lists(rows[some], targets[some], weights, p, 0.5)
            make = f"MultiMarginCriterion({p}, {'nil' if weights is None else 'weights'}, 0.5)"
            found = answers(runtime, make, dtype, x=rows[some], target=targets[some] + 1, weights=weights)
            assert found[0] == pytest.approx(loss, rel=1e-6, nan_ok=True)
            np.testing.assert_array_equal(found[1][0], gradient)


@TYPES
def test_margins_of_several_classes(runtime: Runtime, dtype: Float) -> None:
    random = np.random.default_rng(6)
    for _ in range(60):
        x = random.choice(np.array(X, dtype), 5)
        count = random.integers(0, 5)
        listed = random.permutation(5)[:count]
        target = np.zeros(5, np.int64)
        target[:count] = listed + 1
        loss, gradient, g = 0.0, np.zeros_like(x), dtype(1 / 5)
        with np.errstate(all="ignore"):
            for t in listed:
                for d in set(range(5)) - set(listed.tolist()):
                    z = dtype(1) - x[t] + x[d]
                    if z > 0:
                        loss += float(z)
                        gradient[t] -= g
                        gradient[d] += g
            found = answers(runtime, "MultiLabelMarginCriterion()", dtype, x=x, target=target)
            assert found[0] == pytest.approx(loss / 5, rel=1e-6)
            np.testing.assert_array_equal(found[1][0], gradient)


@TYPES
def test_pairs(runtime: Runtime, dtype: Float) -> None:
    name = "torch.FloatTensor" if dtype is np.float32 else "torch.DoubleTensor"
    source = """
    local function answer(make, a, b, target)
       local c = make:type('TYPE')
       local x = { torch.Tensor(a):type('TYPE'), torch.Tensor(b):type('TYPE') }
       if type(target) == 'table' then target = torch.Tensor(target):type('TYPE') end
       local loss, g = c:forward(x, target), c:backward(x, target)
       local words = { ('%g'):format(loss) }
       for i = 1, 2 do
          for _, v in ipairs(g[i]:view(-1):totable()) do words[#words + 1] = ('%g'):format(v + 0) end
       end
       return (table.concat(words, ' '):gsub('%-nan', 'nan'))
    end
    local n, inf = 0 / 0, math.huge
    return table.concat({
       -- A number as target: the loss is NaN, and no less than 0. Several: NaN is not at least 0.
       answer(nn.MarginRankingCriterion(), { n }, { 1 }, 1),
       answer(nn.MarginRankingCriterion(), { inf }, { inf }, -1),
       answer(nn.MarginRankingCriterion(), { n, 1 }, { 1, 1 }, { 1, -1 }),
       answer(nn.L1HingeEmbeddingCriterion(), { 1, n }, { 0, 0 }, 1),
       answer(nn.L1HingeEmbeddingCriterion(), { inf, 1 }, { 0, 0 }, -1),
       answer(nn.CosineEmbeddingCriterion(), { n, 1 }, { 1, 1 }, -1),
       answer(nn.CosineEmbeddingCriterion(), { { n, 1 }, { 0, 2 } }, { { 1, 1 }, { 0, 2 } }, { -1, -1 }),
    }, '\\n')"""
    lines = runtime.execute(source.replace("TYPE", name)).splitlines()
    assert lines[:3] == ["nan -1 1", "nan 1 -1", "0.5 0 0.5 0 -0.5"]
    assert lines[3].split()[0] == "nan" and lines[4] == "0 0 0 0 0"
    assert lines[5] == "0 0 0 0 0"
    assert lines[6].split()[:3] == ["0.5", "0", "0"]


@TYPES
def test_an_l1_distance_of_nan_is_a_loss(runtime: Runtime, dtype: Float) -> None:
    a, b = np.array([np.nan, 2], dtype), np.array([1, 1], dtype)
    runtime.globals()["a"], runtime.globals()["b"] = a, b
    runtime.execute("c = nn.L1HingeEmbeddingCriterion():type(a:type()) loss = c:forward({ a, b }, -1)")
    assert np.isnan(runtime.eval("loss"))
    # Not above the margin: the signs, of which that of NaN is drawn.
    first, second = np.array(runtime.eval("c:backward({ a, b }, -1)[1]"))
    assert abs(first) == 1 and second == -1


@TYPES
def test_weights_of_classes_without_sum(runtime: Runtime, dtype: Float) -> None:
    """No gradient where the weights sum to nothing, or to NaN but in pictures."""
    x, target = np.zeros((2, 3), dtype), np.array([1, 3])
    picture, targets = np.zeros((1, 3, 1, 2), dtype), np.array([[[1, 3]]])
    for average in ("true", "false"):
        for weights, total in (([1, 1, -1], 0), ([1, 1, -3], -2), ([1, 1, np.nan], np.nan)):
            w = np.array(weights, dtype)
            _, found = answers(runtime, f"ClassNLLCriterion(w, {average})", dtype, x=x, target=target, w=w)
            assert not found[0].any()
            make = f"SpatialClassNLLCriterion(w, {average})"
            _, found = answers(runtime, make, dtype, x=picture, target=targets, w=w)
            expected = np.zeros_like(picture)
            if np.isnan(total):
                expected[0, 0, 0, 0], expected[0, 2, 0, 1] = np.nan if average == "true" else -1, np.nan
            np.testing.assert_array_equal(found[0], expected)
    w = np.array([49, 1, 3], dtype)
    _, found = answers(runtime, "ClassNLLCriterion(w)", dtype, x=x, target=target, w=w)
    assert found[0][0, 0] == -dtype(49) / dtype(52) and found[0][1, 2] == -dtype(3) / dtype(52)
