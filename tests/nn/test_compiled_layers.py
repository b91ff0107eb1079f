"""Upsampling, tables of rows and normalization across maps beside NumPy, at sizes where kernels branch."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import Runtime

DTYPES = {"Float": np.float32, "Double": np.float64}
BOUNDS = {"Float": 2e-6, "Double": 1e-13}


@pytest.fixture(autouse=True)
def _nn(runtime: Runtime) -> None:
    runtime.execute("require 'nn'")


def run(runtime: Runtime, make: str, x: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The output and the gradient of the input, which are the same on one thread and on two."""
    runtime.globals().update({"x": x, "g": g})
    runtime.execute(
        f"m = nn.{make}:type(g:type()) local threads, results = torch.getnumthreads(), {{}}\n"
        "for _, count in ipairs{1, 2} do torch.setnumthreads(count)\n"
        "   y = m:forward(x) r = m:backward(x, g)\n"
        "   results[count] = torch.cat(y:reshape(y:nElement()), r:reshape(r:nElement()):typeAs(y))\n"
        "end torch.setnumthreads(threads)\n"
        "assert(results[1]:ne(results[2]):sum() == 0)"
    )
    return np.array(runtime.eval("y")), np.array(runtime.eval("r"))


def interpolation(size: int, out: int) -> np.ndarray:
    """The matrix of linear interpolation with aligned corners; the original's positions are floats."""
    matrix = np.zeros((out, size))
    for o in range(out):
        step = np.float32(size - 1) / np.float32(out - 1) if out > 1 else np.float32(0)
        position = step * np.float32(o)
        i = int(position)
        part = float(position - np.float32(i))
        matrix[o, i] += 1 - part
        matrix[o, min(i + 1, size - 1)] += part
    return matrix


@pytest.mark.one_in(7)
@pytest.mark.parametrize("type_name", DTYPES)
@pytest.mark.parametrize("size", [(1, 1), (3, 5), (2, 17), (5, 300), (33, 2)], ids=str)
@pytest.mark.parametrize("scale", [1, 2, 3])
def test_planes_are_enlarged(runtime: Runtime, scale: int, size: tuple[int, int], type_name: str) -> None:
    random = np.random.default_rng(scale)
    x = random.standard_normal((2, 3, *size)).astype(DTYPES[type_name])
    g = random.standard_normal((2, 3, size[0] * scale, size[1] * scale)).astype(DTYPES[type_name])
    down, across = (np.repeat(np.eye(n), scale, 0) for n in size)
    for make in (f"SpatialUpSamplingNearest({scale})", f"SpatialUpSamplingBilinear({scale})"):
        if "Bilinear" in make:
            down, across = (interpolation(n, n * scale) for n in size)
        y, r = run(runtime, make, x, g)
        wide, wg = x.astype(np.float64), g.astype(np.float64)
        bound = BOUNDS[type_name] * 8
        np.testing.assert_allclose(y, np.einsum("ih,jw,bphw->bpij", down, across, wide), bound, bound)
        np.testing.assert_allclose(r, np.einsum("ih,jw,bpij->bphw", down, across, wg), bound, bound)


@pytest.mark.parametrize("type_name", DTYPES)
def test_planes_become_smaller_and_volumes_larger(runtime: Runtime, type_name: str) -> None:
    random = np.random.default_rng(1)
    x = random.standard_normal((1, 2, 9, 700)).astype(DTYPES[type_name])
    g = random.standard_normal((1, 2, 4, 31)).astype(DTYPES[type_name])
    y, r = run(runtime, "SpatialUpSamplingBilinear{oheight = 4, owidth = 31}", x, g)
    down, across = interpolation(9, 4), interpolation(700, 31)
    bound = BOUNDS[type_name] * 8
    np.testing.assert_allclose(y, np.einsum("ih,jw,bphw->bpij", down, across, x.astype(float)), bound, bound)
    np.testing.assert_allclose(r, np.einsum("ih,jw,bpij->bphw", down, across, g.astype(float)), bound, bound)
    x = random.standard_normal((1, 2, 3, 4, 5)).astype(DTYPES[type_name])
    g = random.standard_normal((1, 2, 6, 8, 10)).astype(DTYPES[type_name])
    for make, matrices in (
        ("UpSampling(2, 'linear')", [interpolation(n, 2 * n) for n in (3, 4, 5)]),
        ("UpSampling(2)", [np.repeat(np.eye(n), 2, 0) for n in (3, 4, 5)]),
    ):
        y, r = run(runtime, make, x, g)
        np.testing.assert_allclose(
            y, np.einsum("it,jh,kw,bpthw->bpijk", *matrices, x.astype(float)), bound, bound
        )
        np.testing.assert_allclose(
            r, np.einsum("it,jh,kw,bpijk->bpthw", *matrices, g.astype(float)), bound, bound
        )


def test_rows_that_no_term_needs_may_have_no_number(runtime: Runtime) -> None:
    x = np.arange(6.0).reshape(1, 1, 3, 2)
    x[0, 0, 1] = np.nan
    y, _ = run(runtime, "SpatialUpSamplingBilinear{oheight = 2, owidth = 2}", x, np.ones((1, 1, 2, 2)))
    np.testing.assert_array_equal(y[0, 0], x[0, 0, ::2])


@pytest.mark.parametrize("type_name", DTYPES)
@pytest.mark.parametrize("n", [1, 3, 15, 16, 17, 200])
@pytest.mark.parametrize("by_count", [False, True])
def test_rows_of_a_table(runtime: Runtime, by_count: bool, n: int, type_name: str) -> None:
    random = np.random.default_rng(n)
    index = random.integers(1, 8, 500)
    g = random.standard_normal((500, n)).astype(DTYPES[type_name])
    runtime.globals().update({"index": index, "g": g})
    runtime.execute(
        f"m = nn.LookupTable(7, {n}, 3):type(g:type()) m.gradWeight:fill(1)\n"
        f"{'m:scaleGradByFreq()' if by_count else ''}\n"
        "m.weight[2]:fill(0 / 0) y = m:forward(index) m:accGradParameters(index, g, 0.5)"
    )
    weight = np.array(runtime.eval("m.weight"))
    np.testing.assert_array_equal(np.array(runtime.eval("y")), weight[index - 1])
    expected = np.ones((7, n))
    counts = np.bincount(index, minlength=8)
    for row, gradient in zip(index, g.astype(np.float64), strict=True):
        if row != 3:
            expected[row - 1] += gradient * 0.5 / (counts[row] if by_count else 1)
    bound = BOUNDS[type_name] * 50
    np.testing.assert_allclose(np.array(runtime.eval("m.gradWeight")), expected, bound, bound)


@pytest.mark.parametrize("type_name", DTYPES)
@pytest.mark.parametrize("size", [(1, 1, 1), (3, 2, 3), (2, 7, 1, 5), (2, 5, 9, 31)], ids=str)
@pytest.mark.parametrize("window", [1, 3, 4, 100])
def test_normalization_across_maps(
    runtime: Runtime, window: int, size: tuple[int, ...], type_name: str
) -> None:
    random = np.random.default_rng(window)
    x, g = (random.standard_normal(size).astype(DTYPES[type_name]) for _ in range(2))
    y, r = run(runtime, f"SpatialCrossMapLRN({window}, 0.5, 0.75, 2)", x, g)
    maps, half = size[-3], (window - 1) // 2
    near = np.array([[abs(i - j) <= half for j in range(maps)] for i in range(maps)], float)
    wide, wg = x.astype(np.float64), g.astype(np.float64)
    scale = 2 + 0.5 / window * np.einsum("ij,...jhw->...ihw", near, wide**2)
    expected = wide * scale**-0.75
    bound = BOUNDS[type_name] * 10
    np.testing.assert_allclose(y, expected, bound, bound)
    sums = np.einsum("ij,...jhw->...ihw", near, wg * expected / scale)
    np.testing.assert_allclose(r, wg * scale**-0.75 - 2 * 0.5 / window * 0.75 * wide * sums, bound, bound)


@pytest.mark.parametrize("type_name", DTYPES)
@pytest.mark.parametrize("p", [1, 2])
def test_margins_of_classes(runtime: Runtime, p: int, type_name: str) -> None:
    random = np.random.default_rng(p)
    x = random.standard_normal((9, 17)).astype(DTYPES[type_name])
    target, weights = random.integers(1, 18, 9), random.random(17).astype(DTYPES[type_name])
    runtime.globals().update({"x": x, "target": target, "weights": weights})
    runtime.execute(
        f"m = nn.MultiMarginCriterion({p}, weights, 0.7):type(x:type())\n"
        "loss = m:forward(x, target) r = m:backward(x, target)"
    )
    wide, rows = x.astype(np.float64), np.arange(9)
    excess = np.maximum(0.7 - wide[rows, target - 1][:, None] + wide, 0)
    excess[rows, target - 1] = 0
    factor = weights[target - 1].astype(float)[:, None] / (9 * 17)
    bound = BOUNDS[type_name] * 5
    np.testing.assert_allclose(runtime.eval("loss"), (excess**p * factor).sum(), bound)
    slope = (2 * excess if p == 2 else (excess > 0).astype(float)) * factor
    slope[rows, target - 1] = -slope.sum(1)
    np.testing.assert_allclose(np.array(runtime.eval("r")), slope, bound, bound)


def test_a_target_without_bound_has_the_slope_of_all_others(runtime: Runtime) -> None:
    x, g = np.array([[-np.inf, 1, 2, 3]]), np.array([[-0.75, 0.25, 0.25, 0.25]])
    runtime.globals()["x"] = x
    runtime.execute("r = nn.MultiMarginCriterion():backward(x, torch.LongTensor{1})")
    np.testing.assert_array_equal(np.array(runtime.eval("r")), g)


@pytest.mark.parametrize("type_name", DTYPES)
def test_margins_of_several_targets(runtime: Runtime, type_name: str) -> None:
    random = np.random.default_rng(5)
    x = random.standard_normal((3, 6)).astype(DTYPES[type_name])
    target = np.array([[2, 5, 0, 1, 1, 1], [0, 3, 0, 0, 0, 0], [6, 5, 4, 3, 2, 1]])
    runtime.globals().update({"x": x, "target": target})
    runtime.execute(
        "m = nn.MultiLabelMarginCriterion():type(x:type())\n"
        "loss = m:forward(x, target) r = m:backward(x, target)"
    )
    loss, slope, marks = 0.0, np.zeros((3, 6)), np.zeros((3, 6))
    for i, row in enumerate([[1, 4], [], [0, 1, 2, 3, 4, 5]]):
        marks[i, row] = 1
        for c in row:
            for j in set(range(6)) - set(row):
                excess = 1 - float(x[i, c]) + float(x[i, j])
                loss += max(excess, 0)
                slope[i, j] += excess > 0
                slope[i, c] -= excess > 0
    bound = BOUNDS[type_name] * 5
    np.testing.assert_allclose(runtime.eval("loss"), loss / 18, bound)
    np.testing.assert_allclose(np.array(runtime.eval("r")), slope / 18, bound, bound)
    np.testing.assert_array_equal(np.array(runtime.eval("m.isTarget")), marks)
