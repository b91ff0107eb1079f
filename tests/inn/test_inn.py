"""inn: modules against NumPy, gradients by finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import Runtime
from tests.runtimes import array, assert_error, runtime_fixture

from ..finite_differences import GRADIENTS

lua = runtime_fixture("inn = require 'inn' torch.manualSeed(5)", GRADIENTS)


def gradient_error(lua: Runtime, module: str, size: str) -> float:
    lua.execute(f"""
    m, x = {module}, torch.rand({size}) out = m:forward(x):clone() g = torch.randn(out:size())
    gradient = m:backward(x, g):clone() function loss() return m:forward(x):dot(g) end
    """)
    return float(lua.eval("worst_difference(loss, {{x, gradient}})"))


def test_fixed_layers(lua: Runtime) -> None:
    lua.execute("x, mean = torch.randn(3, 2, 4, 5), torch.randn(2, 4, 5)")
    lua.execute("m, n = inn.MeanSubtraction(mean), inn.MeanSubtraction(torch.Tensor{1, 2})")
    assert np.abs(array(lua, "m:forward(x)") - array(lua, "x") + array(lua, "mean")).max() < 1e-12
    assert np.abs(array(lua, "n:forward(x[1])") - array(lua, "x[1]") + [[[1]], [[2]]]).max() < 1e-12
    # updateGradInput gives the gradient; the field stays empty, as in the original.
    assert lua.eval("m:updateGradInput(x, x):equal(x) and m.gradInput:nElement() == 0") is True
    lua.execute("a = inn.ConstAffine(2) a.a:copy(torch.Tensor{2, 3}) a.b:fill(1)")
    for size, shape in {"3, 2": (2,), "2, 4, 5": (2, 1, 1), "3, 2, 4, 5": (2, 1, 1)}.items():
        assert gradient_error(lua, "a", size) < 1e-8
        assert np.abs(array(lua, "out") - array(lua, "x") * np.reshape([2, 3], shape) - 1).max() < 1e-12


def test_pooling_and_normalization(lua: Runtime) -> None:
    assert gradient_error(lua, "inn.SpatialMaxPooling(2, 2, 2, 2)", "2, 5, 7") < 1e-8
    assert array(lua, "out").shape == (2, 3, 4)
    assert gradient_error(lua, "inn.SpatialAveragePooling(3, 3, 2, 2)", "1, 2, 6, 6") < 1e-8
    assert gradient_error(lua, "inn.SpatialSameResponseNormalization(3, 0.5, 0.75)", "2, 4, 5") < 1e-7
    x = array(lua, "x")
    padded = np.pad(x**2, ((0, 0), (1, 1), (1, 1)))
    means = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2)).mean((-1, -2))
    assert np.abs(array(lua, "out") - x * (1 + 0.5 * means) ** -0.75).max() < 1e-12
    assert gradient_error(lua, "inn.SpatialPyramidPooling{{1, 1}, {2, 2}}", "3, 4, 4") < 1e-8
    assert gradient_error(lua, "inn.SpatialPyramidPooling({1, 1}, {2, 2})", "2, 3, 4, 4") < 1e-8
    x = array(lua, "x")
    wanted = [x.max((2, 3)), x.reshape(2, 3, 2, 2, 2, 2).max((3, 5)).reshape(2, 12)]
    assert np.abs(array(lua, "out") - np.concatenate(wanted, 1)).max() == 0


def test_stochastic_pooling(lua: Runtime) -> None:
    lua.execute("e = inn.SpatialStochasticPooling(2, 2) e:evaluate()")
    lua.execute("x = torch.rand(1, 3, 4, 6) out = e:forward(x):clone()")
    windows = array(lua, "x").reshape(3, 2, 2, 3, 2)
    wanted = (windows**2).sum((2, 4)) / windows.sum((2, 4))
    assert np.abs(array(lua, "out")[0] - wanted).max() < 1e-12
    # Frequencies of the drawn elements are their parts of the sum; the gradient goes to them.
    lua.execute("""
    m, x = inn.SpatialStochasticPooling(2, 2), torch.Tensor{{{1, 2}, {3, 4}}}:repeatTensor(4000, 1, 1)
    out = m:forward(x) g = m:backward(x, torch.ones(out:size()))
    """)
    found = array(lua, "out").ravel()
    for value in (1, 2, 3, 4):
        assert abs((found == value).mean() - value / 10) < 0.03
    assert (array(lua, "g").reshape(4000, 4) * [1, 2, 3, 4]).sum(1).tolist() == found.tolist()
    # Windows over the edge and windows that overlap.
    lua.execute("m = inn.SpatialStochasticPooling(3, 3, 2, 2) x = torch.rand(2, 6, 8) out = m:forward(x)")
    lua.execute("g = m:backward(x, torch.ones(out:size()))")
    assert array(lua, "out").shape == (2, 3, 4) and (array(lua, "out") > 0).all()
    assert array(lua, "g").sum() == 24
    lua.execute("z = inn.SpatialStochasticPooling(2, 2):forward(torch.zeros(1, 2, 2))")
    assert array(lua, "z").ravel().tolist() == [0]


def test_regions(lua: Runtime) -> None:
    lua.execute("""
    m, images = inn.ROIPooling(2, 3), torch.randn(2, 3, 8, 9)
    regions = torch.Tensor{{1, 1, 1, 9, 8}, {2, 3, 2, 6, 7}, {2, 9, 8, 9, 8}}
    x = {images, regions} out = m:forward(x):clone() g = torch.randn(out:size())
    gradient = m:backward(x, g)[1]:clone() function loss() return m:forward(x):dot(g) end
    """)
    images, found = array(lua, "images"), array(lua, "out")
    # Rows 2 to 7 in three cells of two, columns 3 to 6 in two of two.
    wanted = images[1, :, 1:7, 2:6].reshape(3, 3, 2, 2, 2).max((2, 4))
    assert np.abs(found[1] - wanted).max() == 0
    assert (found[2] == images[1, :, 7, 8][:, None, None]).all()
    # Eight rows in three cells of 8 / 3, which overlap, and nine columns in two of 4.5.
    rows, columns = [(0, 3), (2, 6), (5, 8)], [(0, 5), (4, 9)]
    for i, (top, bottom) in enumerate(rows):
        for j, (left, right) in enumerate(columns):
            assert (found[0, :, i, j] == images[0, :, top:bottom, left:right].max((1, 2))).all()
    assert lua.eval("worst_difference(loss, {{images, gradient}})") < 1e-8
    lua.execute("half = inn.ROIPooling(1, 1, 0.5):forward{images, torch.Tensor{{1, 1, 1, 15, 13}}}")
    assert (array(lua, "half").ravel() == images[0, :, :7, :8].max((1, 2))).all()


def test_batch_normalization_without_statistics(lua: Runtime) -> None:
    lua.execute("""
    net = nn.Sequential():add(nn.SpatialConvolution(2, 3, 3, 3):noBias()):add(nn.SpatialBatchNormalization(3))
       :add(nn.ReLU()):add(nn.View(-1):setNumInputDims(3)):add(nn.Linear(12, 4)):add(nn.BatchNormalization(4))
    x = torch.randn(6, 2, 4, 4)
    for _ = 1, 3 do net:forward(x) end
    net:get(2).weight:uniform() net:get(2).bias:normal() net:evaluate() y = net:forward(x):clone()
    a = inn.utils.BNtoFixed(net:clone(), true) b = require('inn.utils').foldBatchNorm(net:clone())
    """)
    assert lua.eval("(a:forward(x) - y):abs():max()") < 1e-12
    assert lua.eval("(b:forward(x) - y):abs():max()") < 1e-12
    assert lua.eval("#b.modules") == 4 and lua.eval("#a:findModules('nn.SpatialBatchNormalization')") == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            "inn.ROIPooling(2, 2):forward{torch.rand(1, 1, 4, 4), torch.Tensor{{2, 1, 1, 2, 2}}}",
            "an index from 1 to 1",
        ),
        (
            "inn.ROIPooling(2, 2):forward{torch.rand(1, 1, 4, 4), torch.Tensor{{1, 1, 0/0, 2, 2}}}",
            "finite numbers",
        ),
        ("inn.ROIPooling(2, 2):forward{torch.rand(1, 1, 4, 4), torch.rand(2, 4)}", "a tensor of regions x 5"),
        (
            "inn.SpatialStochasticPooling(2, 2):forward(torch.ones(1, 2, 2):mul(-1))",
            "inputs must not be negative",
        ),
        (
            "inn.SpatialStochasticPooling(3, 3):forward(torch.ones(1, 2, 2))",
            "at least as large as the 3x3 window",
        ),
        ("inn.ConstAffine(3):forward(torch.ones(2, 2, 2))", "input must be a tensor of 3 planes"),
        ("inn.SpatialPyramidPooling()", "levels must be at least one"),
    ],
)
def test_wrong_input(lua: Runtime, call: str, message: str) -> None:
    assert_error(lua, call, message)


def test_layers_in_files_of_the_original(lua: Runtime) -> None:
    """Response normalization has a class of its own there, and pooling of old files has no ceil_mode."""
    lua.execute("norm = inn.SpatialCrossResponseNormalization(3, 0.1, 0.5)")
    assert lua.eval("torch.type(norm)") == "inn.SpatialCrossResponseNormalization"
    assert lua.eval("torch.type(torch.deserialize(torch.serialize(norm)))") == lua.eval("tostring(norm)")
    lua.execute("x = torch.rand(4, 5, 5) reference = nn.SpatialCrossMapLRN(3, 0.1, 0.5)")
    assert np.array_equal(array(lua, "norm:forward(x)"), array(lua, "reference:forward(x)"))
    for name in ("SpatialMaxPooling", "SpatialAveragePooling"):
        lua.execute(f"pool = inn.{name}(2, 2, 2, 2) pool.ceil_mode = nil")
        assert array(lua, "pool:forward(x)").shape == (4, 3, 3)
