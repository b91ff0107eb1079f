"""Distances of pixels, normalization, balanced classes and margins of distributions, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from t7shell import LuaError, Runtime
from tests.runtimes import array, runtime_fixture

from ..finite_differences import GRADIENTS
from ..nn.module_records import SET_UP

lua = runtime_fixture(SET_UP, "nnx = require 'nnx'", GRADIENTS)

IMAGES = "{t(2, 3, 4), t(2, 5, 6):cos()}", "{t(3, 2, 2), t(3, 6, 7)}"
POLAR = "{t(2, 3, 4), t(2, 3, 4):cos(), t(3, 4):gt(0.3):double()}"
MODULES = {
    "SpatialNormalization(3, torch.ones(3, 3), 0.01)": ("t(3, 5, 6)", "t(3, 4, 7)", "t(2, 2)", ""),
    "SpatialMatching(2, 3)": (*IMAGES, "{t(2, 3, 4)}", ""),
    # The distances to pixels that are not there are too large for differences.
    "SpatialMatching(2, 3, true)": (
        "{t(2, 3, 4), t(2, 3, 4):cos()}",
        "{t(1, 2, 2), t(1, 2, 2)}",
        "t(2, 3, 4)",
        "smooth = false",
    ),
    "SpatialRadialMatching(2)": (
        POLAR,
        "{t(1, 2, 5), t(1, 2, 5)}",
        "{t(2, 3, 4), t(2, 3, 5)}",
        "smooth = false",
    ),
    "SpatialGraph{normalize = false}": ("t(3, 4, 5)", "t(2, 1, 3)", "t(3)", ""),
    "SpatialGraph('cosine', false)": ("t(3, 4, 5)", "t(2, 3, 1)", "t(3)", ""),
    "SpatialGraph('euclid', true)": ("t(3, 4, 5)", "t(2, 3, 3)", "t(3)", ""),
}


@pytest.mark.parametrize("make", MODULES)
def test_what_holds_for_all_modules(lua: Runtime, make: str) -> None:
    x, other, wrong, options = MODULES[make]
    lua.execute(f"""
        failures = checks(function() return nn.{make} end, {x}, {other}, {wrong}, {{any = true, {options}}})
        fine = pcall(function() local m = nn.{make} return m:forward({wrong}) end)
    """)
    assert lua.eval("table.concat(failures, '; ')") == "" and lua.eval("fine") is False


def squares(a: Any, b: Any, i: int, j: int, p: int, q: int) -> float:
    if 0 <= p < b.shape[1] and 0 <= q < b.shape[2]:
        return float(((a[:, i, j] - b[:, p, q]) ** 2).sum())
    return 1e30


def test_matching(lua: Runtime) -> None:
    lua.execute("""
        a, b, wide = t(2, 3, 4), t(2, 3, 4):cos(), t(2, 5, 6):cos()
        mask = t(3, 4):gt(0.3):double()
        full, begin = nn.SpatialMatching(3, 4, true):forward{a, b}, nn.SpatialMatching(2, 3):forward{a, wide}
        down = nn.SpatialRadialMatching(2):forward{a, b}
        masked = nn.SpatialRadialMatching(2):forward{a, b, mask}
        m = nn.SpatialMatching(nil, nil, true)
        default = m:forward{a, b}
        radial = nn.SpatialRadialMatching():forward{a, b}
    """)
    a, b, wide = (array(lua, name) for name in ("a", "b", "wide"))
    pixels = [(i, j) for i in range(3) for j in range(4)]
    full, begin, down = np.empty((3, 4, 3, 4)), np.empty((3, 4, 2, 3)), np.empty((3, 4, 2))
    for i, j in pixels:
        # Windows of 3 x 4 reach one pixel up and left; the even one further to the right.
        full[i, j] = [[squares(a, b, i, j, i + p - 1, j + q - 1) for q in range(4)] for p in range(3)]
        begin[i, j] = [[squares(a, wide, i, j, i + p, j + q) for q in range(3)] for p in range(2)]
        down[i, j] = [squares(a, b, i, j, i + p, j) for p in range(2)]
    np.testing.assert_allclose(array(lua, "full"), full)
    np.testing.assert_allclose(array(lua, "begin"), begin)
    assert array(lua, "default").shape == (3, 4, 11, 11)
    np.testing.assert_allclose(array(lua, "down"), down)
    masked = np.where(array(lua, "mask")[..., None] > 0, down, 1e30)
    np.testing.assert_allclose(array(lua, "masked"), masked)
    assert array(lua, "radial").shape == (3, 4, 11)


@pytest.mark.parametrize(
    ("make", "images"),
    [
        ("SpatialMatching(2, 3, true)", "{a, b}"),
        ("SpatialRadialMatching(2)", "{a, b, t(3, 4):gt(0.3):double()}"),
    ],
)
def test_gradients_of_matching(lua: Runtime, make: str, images: str) -> None:
    """The loss leaves the distances to pixels that are not there out."""
    lua.execute(f"""
        a, b, m = t(2, 3, 4), t(2, 3, 4):cos(), nn.{make}
        x = {images}
        g = t(m:forward(x):size()):sin()
        there = m.output:lt(1e29):double()
        local function loss() return torch.cmul(m:forward(x):clone():cmul(there), g):sum() end
        back = m:backward(x, g)
        worst, count = worst_difference(loss, {{{{a, back[1]}}, {{b, back[2]}}}}), #back
        for i = 3, count do worst = math.max(worst, back[i]:abs():sum()) end
    """)
    assert lua.eval("worst") < 1e-7 and lua.eval("count == #x") is True


def test_a_sum_of_losses(lua: Runtime) -> None:
    assert lua.eval("sumCosts{1.5, 2, 3} + sumCosts{}") == 6.5


def test_edges_of_neighbors(lua: Runtime) -> None:
    lua.execute("""
        x = t(3, 4, 5)
        plain = nn.SpatialGraph{normalize = false}:forward(x):clone()
        edges = nn.SpatialGraph():forward(x):clone()
        angles = nn.SpatialGraph{dist = 'cosine'}:forward(x):clone()
        flat = nn.SpatialGraph()
        zero = flat:forward(torch.ones(2, 3, 3)):clone()
        gradient = flat:backward(torch.ones(2, 3, 3), torch.ones(2, 3, 3))
    """)
    x, wanted, cosines = array(lua, "x"), np.zeros((2, 4, 5)), np.zeros((2, 4, 5))
    for k, (down, right) in enumerate(((0, 1), (1, 0))):
        for i in range(4 - down):
            for j in range(5 - right):
                a, b = x[:, i, j], x[:, i + down, j + right]
                wanted[k, i, j] = np.linalg.norm(a - b)
                cosines[k, i, j] = 1 - a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    np.testing.assert_allclose(array(lua, "plain"), wanted)
    np.testing.assert_allclose(array(lua, "edges"), wanted / np.sqrt(3))
    np.testing.assert_allclose(array(lua, "angles"), cosines, atol=1e-9)
    # Equal pixels have no gradient.
    assert not array(lua, "zero").any() and not array(lua, "gradient").any()


def test_normalization(lua: Runtime) -> None:
    lua.execute("""
        kernel, x = torch.Tensor{{1, 2, 1}, {2, 4, 2}, {1, 2, 1}}, t(2, 5, 6)
        y = nn.SpatialNormalization(2, kernel, 0.3):forward(x):clone()
        sum = kernel:sum()
        m = nn.SpatialNormalization(1, torch.ones(3, 3))
        flat = m:forward(x[1]):equal(nn.SpatialNormalization(1, torch.ones(3, 3)):forward(x:narrow(1, 1, 1)))
    """)
    x, kernel = array(lua, "x"), np.outer([1, 2, 1], [1, 2, 1]) / 16

    def means(z: Any) -> Any:
        padded = np.pad(z, [(0, 0), (1, 1), (1, 1)])
        sums = sum(kernel[p, q] * padded[:, p : p + 5, q : q + 6] for p in range(3) for q in range(3))
        return sums.sum(0)

    weights = means(np.ones((2, 5, 6)))
    centered = x - means(x) / weights
    deviations = np.sqrt(means(centered**2)) / weights
    np.testing.assert_allclose(array(lua, "y"), centered / np.maximum(deviations, 0.3))
    assert lua.eval("sum") == 1 and lua.eval("flat") is True


def test_balance(lua: Runtime) -> None:
    lua.execute("""
        m, batches, outputs = nn.Balance(2), {}, {}
        for i = 1, 3 do
           batches[i] = t(4, 3):add(i):sin():abs():add(0.1)
           outputs[i] = m:forward(batches[i]):clone()
        end
        m:evaluate()
        same = m:forward(batches[1]):equal(batches[1])
    """)
    batches = [array(lua, f"batches[{i}]") for i in (1, 2, 3)]
    for i, seen in enumerate((batches[:1], batches[:2], batches[1:])):
        share = np.concatenate(seen).sum(0)
        z = batches[i] / (share / share.sum())
        np.testing.assert_allclose(array(lua, f"outputs[{i + 1}]"), z / z.sum(1, keepdims=True))
    assert lua.eval("same") is True


@pytest.mark.parametrize("average", [True, False])
def test_margins_of_several_classes(lua: Runtime, average: bool) -> None:
    lua.execute(f"""
        c, x = nn.DistMarginCriterion(), t(3, 4)
        z = torch.Tensor{{{{2, 3, 0, 0}}, {{1, 0, 2, 0}}, {{4, 3, 2, 0}}}}
        c.sizeAverage = {str(average).lower()}
        loss, g = c:forward(x, z), c:backward(x, z):clone()
        worst = worst_difference(function() return c:forward(x, z) end, {{{{x, g}}}})
    """)
    x, wanted = array(lua, "x"), 0.0
    for row, classes in zip(x, ([1, 2], [0], [3, 2, 1]), strict=True):
        least = min(row[c] for c in classes)
        wanted += sum(max(0.0, 1 - least + v) for j, v in enumerate(row) if j not in classes)
    assert lua.eval("loss") == pytest.approx(wanted / 4 if average else wanted)
    assert lua.eval("worst") < 1e-8


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nn.Balance('all')", "nBatch must be a number"),
        ("nn.Balance():forward(t(3))", "input must be a tensor of 2 dimensions"),
        ("nn.Balance():backward(t(2, 3), t(2, 3))", "backward called before forward"),
        ("nn.DistMarginCriterion():forward(t(3), t(4))", r"target must be a tensor of size \[3\]"),
        ("nn.SpatialNormalization()", "argument nInputPlane must be a number"),
        ("nn.SpatialNormalization(2, {torch.ones(3)})", r"kernel\[1\] must be a"),
        ("nn.SpatialMatching(0)", "maxh must be"),
        ("nn.SpatialMatching():forward{t(2, 3, 4)}", r"input\[2\] must be a torch.DoubleTensor \(got nil\)"),
        ("nn.SpatialMatching():forward{t(2, 3, 4), t(3, 3, 4)}", r"input\[2\] must be 2 maps"),
        ("nn.SpatialMatching(4, 3):forward{t(2, 3, 4), t(2, 3, 4)}", "maps of at least 6 x 6"),
        ("nn.SpatialMatching(1, 1):backward({t(2, 3, 4), t(2, 3, 4)}, t(2))", "gradOutput must be"),
        ("nn.SpatialRadialMatching():forward{t(2, 3, 4), t(2, 3, 4), t(4, 3)}", "a mask of 3 x 4"),
        ("sumCosts(3)", r"sumCosts: argument 1 must be a table \(got 3\)"),
        ("nn.SpatialGraph{connex = 8}", r"connex must be 4 \(got 8\)"),
    ],
)
def test_wrong_calls(lua: Runtime, source: str, message: str) -> None:
    with pytest.raises(LuaError, match=message):
        lua.execute(source)
