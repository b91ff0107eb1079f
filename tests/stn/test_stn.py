"""stn: samples against SciPy, matrices by hand, gradients by finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import map_coordinates

from t7shell import Runtime
from tests.runtimes import array, assert_error, runtime_fixture

from ..finite_differences import GRADIENTS

lua = runtime_fixture("require 'stn' torch.manualSeed(5)", GRADIENTS)


FLAGS = {
    "true, false, false": 1, "false, true, false": 1, "false, false, true": 2,
    "true, true, false": 2, "true, true, true": 4, "": 6,
}  # fmt: skip


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("batch", ["3, ", ""])
def test_matrices(lua: Runtime, flags: str, batch: str) -> None:
    count = FLAGS[flags]
    lua.execute(f"""
    m, x = nn.AffineTransformMatrixGenerator({flags}), torch.randn({batch}{count})
    out = m:forward(x):clone() g = torch.randn(out:size()) gradient = m:backward(x, g):clone()
    function loss() return m:forward(x):dot(g) end
    """)
    assert lua.eval("worst_difference(loss, {{x, gradient}})") < 1e-8
    rows = array(lua, "x").reshape(-1, count)
    for row, found in zip(rows, array(lua, "out").reshape(-1, 2, 3), strict=True):
        if count == 6:
            wanted = row.reshape(2, 3)
        else:
            used, values = [word == "true" for word in flags.split(", ")], list(row)
            angle = values.pop(0) if used[0] else 0
            scale = values.pop(0) if used[1] else 1
            y, x = values if used[2] else (0, 0)
            turn = np.array(
                [[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]]
            )
            wanted = (turn @ np.diag([scale, scale, 1]) @ np.array([[1, 0, y], [0, 1, x], [0, 0, 1]]))[:2]
        assert np.abs(found - wanted).max() < 1e-12


def test_grids(lua: Runtime) -> None:
    lua.execute("""
    m, x = nn.AffineGridGeneratorBHWD(3, 4), torch.randn(2, 2, 3)
    out = m:forward(x):clone() g = torch.randn(out:size()) gradient = m:backward(x, g):clone()
    function loss() return m:forward(x):dot(g) end
    """)
    y, x = np.meshgrid(np.linspace(-1, 1, 3), np.linspace(-1, 1, 4), indexing="ij")
    points = np.stack([y, x, np.ones_like(y)], -1)
    wanted = np.einsum("hwk,bik->bhwi", points, array(lua, "x"))
    assert np.abs(array(lua, "out") - wanted).max() < 1e-12
    assert lua.eval("worst_difference(loss, {{x, gradient}})") < 1e-8
    assert array(lua, "m:forward(x[1])").shape == (3, 4, 2)


@pytest.mark.parametrize("batch", [True, False])
def test_samples(lua: Runtime, batch: bool) -> None:
    lua.execute(f"""
    m = nn.BilinearSamplerBHWD()
    images, grids = torch.randn(2, 5, 6, 3), torch.rand(2, 4, 7, 2):mul(2.8):add(-1.4)
    if not {str(batch).lower()} then images, grids = images[1], grids[1] end
    x = {{images, grids}} out = m:forward(x):clone() g = torch.randn(out:size()) d = m:backward(x, g)
    function loss() return m:forward(x):dot(g) end
    a, b = d[1]:clone(), d[2]:clone()
    """)
    images, grids = array(lua, "images"), array(lua, "grids")
    if not batch:
        images, grids = images[None], grids[None]
    found = array(lua, "out").reshape(len(images), 4, 7, 3)
    for image, grid, sampled in zip(images, grids, found, strict=True):
        places = [(grid[..., 0] + 1) * 2, (grid[..., 1] + 1) * 2.5]
        for plane in range(3):
            # A border of zeros makes samples fade out over a pixel.
            padded = np.pad(image[..., plane], 3)
            wanted = map_coordinates(padded, [places[0] + 3, places[1] + 3], order=1)
            assert np.abs(sampled[..., plane] - wanted).max() < 1e-9
    assert lua.eval("worst_difference(loss, {{images, a}})") < 1e-7
    assert lua.eval("worst_difference(loss, {{grids, b}})") < 1e-6


def test_points_that_are_nowhere(lua: Runtime) -> None:
    lua.execute("""
    m = nn.BilinearSamplerBHWD() x = torch.ones(1, 2, 2, 1)
    grid = torch.Tensor{0/0, 0, 1e300, 0, -1/0, 1/0, 1, 1}:view(1, 1, 4, 2)
    """)
    assert array(lua, "m:forward{x, grid}").ravel().tolist() == [0, 0, 0, 1]


def test_a_transformer_of_identity(lua: Runtime) -> None:
    lua.execute("""
    net = nn.Sequential():add(nn.ConcatTable():add(nn.Identity())
       :add(nn.Sequential():add(nn.View(1, -1)):add(nn.Linear(18, 6)):add(nn.AffineTransformMatrixGenerator())
       :add(nn.AffineGridGeneratorBHWD(3, 3)))):add(nn.BilinearSamplerBHWD())
    l = net:findModules('nn.Linear')[1] l.weight:zero() l.bias:copy(torch.Tensor{1, 0, 0, 0, 1, 0})
    net:float() x = torch.rand(1, 3, 3, 2):float()
    """)
    assert lua.eval("(net:forward(x) - x):abs():max()") < 1e-6
    assert lua.eval("net:backward(x, x):size(2)") == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("nn.AffineTransformMatrixGenerator():forward(torch.rand(5))", "a tensor of 6 parameters"),
        ("nn.AffineGridGeneratorBHWD(1, 4)", "height must be a whole number of at least 2 (got 1)"),
        ("nn.AffineGridGeneratorBHWD(3, 4):forward(torch.rand(3, 3))", "input must be a tensor of 2x3"),
        (
            "nn.BilinearSamplerBHWD():forward{torch.rand(1, 2, 2, 1), torch.rand(1, 2, 2, 3)}",
            "grids must be batch",
        ),
        ("nn.BilinearSamplerBHWD():forward(torch.rand(2))", "input must be a table"),
    ],
)
def test_wrong_input(lua: Runtime, call: str, message: str) -> None:
    assert_error(lua, call, message)


def test_points_outside(lua: Runtime) -> None:
    """Points outside of the image have no gradients. The original prints these numbers."""
    lua.execute("""
    m, images = nn.BilinearSamplerBHWD(), torch.range(1, 9):view(1, 3, 3, 1)
    grids = torch.Tensor{-2.5, 0.2, 0.2, 1.9, -2, 0.1, -1.4, -0.6, 1.5, 1.4, 0.3, 2.2}:view(1, 2, 3, 2)
    out = m:forward{images, grids}
    to_images, to_grids = unpack(m:backward({images, grids}, torch.range(1, 6):view(1, 2, 3, 1)))
    """)
    np.testing.assert_allclose(array(lua, "out").ravel(), [0, 0.66, 0, 0.84, 2.7, 0])
    np.testing.assert_allclose(array(lua, "to_images").ravel(), [1.44, 0.96, 0, 0, 0, 0.16, 0, 0, 1.54])
    wanted = np.array([[0, 0], [0.6, -13.2], [6.3, 0], [5.6, 2.4], [-27, -22.5], [0, 0]])
    np.testing.assert_allclose(array(lua, "to_grids").reshape(-1, 2), wanted, atol=1e-12)


def test_outputs_that_are_views_in_files_of_torch7(lua: Runtime) -> None:
    """There the matrices may be the input of that time, which must not be written."""
    lua.execute("""
    x, m = torch.range(1, 6):view(1, 6), nn.AffineTransformMatrixGenerator()
    m.output = x:view(1, 2, 3)
    m:forward(torch.zeros(2, 6))
    """)
    assert lua.eval("x:sum()") == 21
