"""Normalisation beyond what holds for all layers: running statistics, evaluation, errors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from t7shell import Runtime

Lua = Callable[[str], str]


@pytest.fixture(autouse=True)
def _nn(lua: Lua) -> None:
    lua("require 'nn'")


@pytest.mark.parametrize("size", [(6, 3), (4, 3, 2, 3), (3, 3, 9, 8)], ids=str)
def test_running_statistics_and_evaluation(runtime: Runtime, size: tuple[int, ...]) -> None:
    x = np.sin(np.arange(np.prod(size)) * 3.3).reshape(size)
    runtime.globals()["x"] = x
    runtime.execute(
        f"m = nn.{'BatchNormalization' if len(size) == 2 else 'SpatialBatchNormalization'}(3, 1e-3, 0.25)\n"
        "m.weight:copy(torch.Tensor{2, 0.5, 1}) m.bias:copy(torch.Tensor{1, 0, -1})\n"
        "m:forward(x) m:forward(x) m:evaluate() m:zeroGradParameters()\n"
        "y = m:forward(x):clone()\n"
        "g = torch.range(1, x:nElement()):cos():viewAs(x) r = m:backward(x, g):clone()"
    )
    over, shape = tuple(d for d in range(x.ndim) if d != 1), [1, 3] + [1] * (x.ndim - 2)
    mean, var = np.zeros(3), np.ones(3)
    for _ in range(2):
        mean = 0.75 * mean + 0.25 * x.mean(over)
        var = 0.75 * var + 0.25 * x.var(over, ddof=1)
    np.testing.assert_allclose(np.array(runtime.eval("m.running_mean")), mean, atol=1e-12)
    np.testing.assert_allclose(np.array(runtime.eval("m.running_var")), var, atol=1e-12)
    weight, bias = np.array([2, 0.5, 1]).reshape(shape), np.array([1, 0, -1]).reshape(shape)
    scaled = (x - mean.reshape(shape)) / np.sqrt(var.reshape(shape) + 1e-3)
    np.testing.assert_allclose(np.array(runtime.eval("y")), scaled * weight + bias, atol=1e-12)
    g = np.cos(np.arange(1, x.size + 1)).reshape(size)
    np.testing.assert_allclose(
        np.array(runtime.eval("r")), g * weight / np.sqrt(var.reshape(shape) + 1e-3), atol=1e-12
    )
    np.testing.assert_allclose(np.array(runtime.eval("m.gradWeight")), (g * scaled).sum(over), atol=1e-12)
    np.testing.assert_allclose(np.array(runtime.eval("m.gradBias")), g.sum(over), atol=1e-12)


@pytest.mark.parametrize("size", [(2, 3, 4, 5), (2, 3, 9, 9), (2, 3, 2, 9, 9)], ids=str)
def test_gradients_of_a_module_that_never_trained(runtime: Runtime, size: tuple[int, ...]) -> None:
    x = np.sin(np.arange(np.prod(size)) * 3.3).reshape(size)
    g = np.cos(np.arange(np.prod(size)) * 1.7).reshape(size)
    runtime.globals().update({"x": x, "g": g})
    runtime.execute(
        f"m = nn.{'Spatial' if len(size) == 4 else 'Volumetric'}BatchNormalization(3, 1e-3)\n"
        "m.weight:copy(torch.Tensor{2, 0.5, 1}) m.running_mean:copy(torch.Tensor{1, -1, 0.5})\n"
        "m.running_var:copy(torch.Tensor{2, 1, 0.25}) m:evaluate() m:zeroGradParameters()\n"
        "m:forward(x) r = m:backward(x, g)"
    )
    shape, over = [1, 3] + [1] * (len(size) - 2), tuple(d for d in range(len(size)) if d != 1)
    mean, scale = np.array([1, -1, 0.5]).reshape(shape), np.sqrt(np.array([2, 1, 0.25]).reshape(shape) + 1e-3)
    weight = np.array([2, 0.5, 1]).reshape(shape)
    np.testing.assert_allclose(np.array(runtime.eval("r")), g * weight / scale, atol=1e-12)
    scaled = (x - mean) / scale
    np.testing.assert_allclose(np.array(runtime.eval("m.gradWeight")), (g * scaled).sum(over), atol=1e-12)


@pytest.mark.parametrize("size", [(70, 300), (5, 3, 9, 8), (3, 2, 50, 50)], ids=str)
def test_floats_of_many_rows_or_pixels_are_near_doubles(runtime: Runtime, size: tuple[int, ...]) -> None:
    name = "BatchNormalization" if len(size) == 2 else "SpatialBatchNormalization"
    runtime.globals()["x"] = np.sin(np.arange(np.prod(size)) * 3.3).reshape(size) + 3
    runtime.globals()["g"] = np.cos(np.arange(np.prod(size)) * 1.7).reshape(size)
    runtime.execute(
        f"double = nn.{name}({size[1]}) double.weight:uniform(1, 2) single = double:clone():float()\n"
        "function run(m, x, g)\n"
        "   m:zeroGradParameters()\n"
        "   local y, r = m:forward(x):clone(), m:backward(x, g):clone()\n"
        "   return {y, r, m.gradWeight, m.gradBias, m.running_var}\n"
        "end\n"
        "doubles, floats = run(double, x, g), run(single, x:float(), g:float())"
    )
    for i in range(1, 6):
        expected = np.array(runtime.eval(f"doubles[{i}]"))
        result = np.array(runtime.eval(f"floats[{i}]"))
        np.testing.assert_allclose(result, expected, atol=3e-6 * abs(expected).max())


@pytest.mark.parametrize("type_name", ["Float", "Double"])
@pytest.mark.parametrize(
    "size",
    [
        (2, 1),
        (9, 17),
        (3, 131),
        (20, 300),
        (2, 5, 1, 3),
        (3, 9, 5, 6),
        (2, 3, 1, 31),
        (2, 3, 4, 8),
        (9, 2, 3, 11),
        (3, 2, 15, 17),
        (2, 2, 23, 45),
    ],
    ids=str,
)
def test_planes_of_all_sizes_on_any_number_of_threads(
    runtime: Runtime, size: tuple[int, ...], type_name: str
) -> None:
    random = np.random.default_rng(len(size))
    dtype = np.float32 if type_name == "Float" else np.float64
    x, g = (random.standard_normal(size).astype(dtype) for _ in range(2))
    runtime.globals().update({"x": x, "g": g})
    name = "BatchNormalization" if len(size) == 2 else "SpatialBatchNormalization"
    runtime.execute(
        f"m = nn.{name}({size[1]}):type(x:type()) m.bias:uniform() m:zeroGradParameters()\n"
        "local threads, results = torch.getnumthreads(), {}\n"
        "for _, count in ipairs{1, 2} do torch.setnumthreads(count)\n"
        "   m.gradWeight:zero() m.gradBias:zero()\n"
        "   local y, r = m:forward(x):clone(), m:backward(x, g):clone()\n"
        "   local all = {y:view(-1), r:view(-1), m.gradWeight, m.gradBias, m.save_mean, m.save_std}\n"
        "   results[count] = torch.cat(all, 1)\n"
        "end torch.setnumthreads(threads)\n"
        "assert(results[1]:ne(results[2]):sum() == 0) y = m:forward(x)"
    )
    over, shape = tuple(d for d in range(x.ndim) if d != 1), [1, size[1]] + [1] * (x.ndim - 2)
    wide, wg = x.astype(np.float64), g.astype(np.float64)
    weight, bias = (np.array(runtime.eval(f"m.{f}")).reshape(shape).astype(float) for f in ("weight", "bias"))
    deviation = np.sqrt(wide.var(over, keepdims=True) + 1e-5)
    scaled = (wide - wide.mean(over, keepdims=True)) / deviation
    bound = 2e-5 if type_name == "Float" else 1e-11
    np.testing.assert_allclose(np.array(runtime.eval("y")), scaled * weight + bias, bound, bound)
    centered = wg - wg.mean(over, keepdims=True) - scaled * (wg * scaled).mean(over, keepdims=True)
    scale = np.abs(weight / deviation).max()
    np.testing.assert_allclose(
        np.array(runtime.eval("m.gradInput")), centered * weight / deviation, bound, bound * scale
    )
    np.testing.assert_allclose(
        np.array(runtime.eval("m.gradWeight")), (wg * scaled).sum(over), bound, 5 * bound
    )
    np.testing.assert_allclose(np.array(runtime.eval("m.gradBias")), wg.sum(over), bound, 5 * bound)


@pytest.mark.parametrize("special", [np.nan, np.inf])
@pytest.mark.parametrize("size", [(40, 20), (3, 4, 3, 5), (3, 4, 9, 9)], ids=str)
def test_a_plane_with_no_number_leaves_the_others(
    runtime: Runtime, size: tuple[int, ...], special: float
) -> None:
    x = np.random.default_rng(3).standard_normal(size)
    runtime.globals()["x"] = x
    name = "BatchNormalization" if len(size) == 2 else "SpatialBatchNormalization"
    damaged = x.copy()
    damaged[1, 2] = special
    runtime.globals()["damaged"] = damaged
    runtime.execute(
        f"m = nn.{name}({size[1]}) wanted = m:forward(x):clone() r = m:backward(x, x):clone()\n"
        "y = m:forward(damaged):clone() q = m:backward(damaged, x)"
    )
    for got, wanted in (("y", "wanted"), ("q", "r")):
        a, b = np.array(runtime.eval(got)), np.array(runtime.eval(wanted))
        assert np.isnan(a[:, 2]).all()
        np.testing.assert_array_equal(np.delete(a, 2, 1), np.delete(b, 2, 1))


def test_a_gradient_in_the_place_of_what_it_comes_from(lua: Lua) -> None:
    code = (
        "m = nn.SpatialBatchNormalization(2) x = torch.randn(3, 2, 9, 9) g = torch.randn(3, 2, 9, 9)\n"
        "m:forward(x) wanted = m:backward(x, g):clone()\n"
        "m.gradInput:set({}) print(m:backward(x, g):ne(wanted):sum() == 0)"
    )
    assert lua(code.format("g")) == lua(code.format("x")) == "true\n"


def test_gradients_of_the_input_alone_leave_those_of_parameters(lua: Lua) -> None:
    assert (
        lua(
            "local m, x = nn.BatchNormalization(2), torch.Tensor{{1, 2}, {3, 5}, {4, 4}}\n"
            "m:zeroGradParameters() m:forward(x)\n"
            "m:updateGradInput(x, torch.ones(3, 2))\n"
            "print(m.gradWeight:abs():max(), m.gradBias:max())\n"
            "m:accGradParameters(x, torch.ones(3, 2), 2)\n"
            "print(m.gradBias[1], m.gradBias[2])"
        )
        == "0\t0\n6\t6\n"
    )


def test_places_without_deviation_pass_gradients_through_the_threshold(lua: Lua) -> None:
    assert (
        lua(
            "local m = nn.SpatialDivisiveNormalization(1, torch.ones(3, 3), 0.5, 2)\n"
            "local x = torch.zeros(1, 3, 3)\n"
            "print(m:forward(x):sum(), m:backward(x, torch.ones(1, 3, 3)):sum())"
        )
        == "0\t4.5\n"
    )


def test_kernels_are_made_to_add_up_to_one(lua: Lua) -> None:
    assert (
        lua("local k = torch.ones(3, 3) nn.SpatialSubtractiveNormalization(2, k) print(k:sum())") == "0.5\n"
    )


@pytest.mark.parametrize(
    "code, message",
    [
        (
            "nn.BatchNormalization(2):forward(torch.ones(3))",
            "only batches are supported: input must have 2 dimensions",
        ),
        (
            "nn.SpatialBatchNormalization(2):forward(torch.ones(3, 3, 2, 2))",
            "input must have 2 features in dimension 2",
        ),
        ("nn.BatchNormalization(nil)", "nOutput must be at least 1 (got nil)"),
        (
            "local m, x = nn.BatchNormalization(2), torch.rand(3, 2) m:forward(x) m.save_std = nil\n"
            "m:backward(x, torch.rand(3, 2))",
            "save_std must have 2 elements",
        ),
        ("nn.SpatialSubtractiveNormalization(1, torch.ones(2, 2))", "kernel must have odd sizes"),
        (
            "nn.SpatialSubtractiveNormalization(2):forward(torch.ones(1, 9, 9))",
            "input must have 2 planes, or a batch",
        ),
        ("nn.SpatialCrossMapLRN(3):forward(torch.ones(3, 3))", "input must have 3 or 4 dimensions"),
    ],
)
def test_wrong_calls_say_what_was_expected(lua: Lua, code: str, message: str) -> None:
    assert message in lua(f"print(select(2, pcall(function() {code} end)))")
