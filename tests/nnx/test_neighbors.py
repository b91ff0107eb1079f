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

POSITIVE = "t(4, 3):abs():add(0.1)"
IMAGES = "{t(2, 3, 4), t(2, 5, 6):cos()}", "{t(3, 2, 2), t(3, 6, 7)}"
POLAR = "{t(2, 3, 4), t(2, 3, 4):cos(), t(3, 4):gt(0.3):double()}"
MODULES = {
    "Balance(1)": (POSITIVE, "t(2, 5):abs():add(0.2)", "t(3)", ""),
    "SpatialNormalization(3, torch.ones(3, 3))": ("t(2, 3, 5, 6)", "t(3, 4, 7)", "t(2, 2)", ""),
    "SpatialNormalization(1, {torch.ones(3), torch.ones(5)})": ("t(5, 6)", "t(1, 7, 4)", "t(2, 4, 4)", ""),
    "SpatialMatching(3, 2, false)": (*IMAGES, "{t(2, 3, 4)}", ""),
    # The distances to pixels that are not there are too large for differences.
    "SpatialMatching(3, 2)": (
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
    "SpatialGraph{connex = 8}": ("t(3, 4, 5)", "t(2, 1, 3)", "t(3)", ""),
    "SpatialGraph('cosine', false, 8)": ("t(3, 4, 5)", "t(2, 3, 1)", "t(3)", ""),
    "SpatialGraph('euclid', true)": ("t(3, 4, 5)", "t(2, 3, 3)", "t(3)", ""),
    "SpatialGraph{normalize = true, connex = 8}": ("t(3, 4, 5)", "t(2, 1, 3)", "t(3)", ""),
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
        full, begin = nn.SpatialMatching(4, 3):forward{a, b}, nn.SpatialMatching(3, 2, false):forward{a, wide}
        same = nn.SpatialMatching(3, 2, false):forward{a, b}
        down = nn.SpatialRadialMatching(2):forward{a, b}
        masked = nn.SpatialRadialMatching(2):forward{a, b, mask}
        m = nn.SpatialMatching()
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
    assert array(lua, "same").shape == (2, 2, 2, 3) and array(lua, "default").shape == (3, 4, 11, 11)
    np.testing.assert_allclose(array(lua, "same")[1, 1, 1, 2], squares(a, b, 1, 1, 2, 3))
    np.testing.assert_allclose(array(lua, "down"), down)
    masked = np.where(array(lua, "mask")[..., None] > 0, down, 1e30)
    np.testing.assert_allclose(array(lua, "masked"), masked)
    assert array(lua, "radial").shape == (3, 4, 11)


@pytest.mark.parametrize(
    ("make", "images"),
    [("SpatialMatching(3, 2)", "{a, b}"), ("SpatialRadialMatching(2)", "{a, b, t(3, 4):gt(0.3):double()}")],
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


def test_edges_to_eight_neighbors(lua: Runtime) -> None:
    lua.execute("""
        x = t(3, 4, 5)
        edges = nn.SpatialGraph{connex = 8}:forward(x):clone()
        divided = nn.SpatialGraph{connex = 8, normalize = true}:forward(x):clone()
        four = nn.SpatialGraph():forward(x):clone()
        flat = nn.SpatialGraph{normalize = true}
        zero = flat:forward(torch.ones(2, 3, 3)):clone()
        gradient = flat:backward(torch.ones(2, 3, 3), torch.ones(2, 3, 3))
    """)
    x, wanted, there = array(lua, "x"), np.zeros((4, 4, 5)), []
    for k, (down, right) in enumerate(((0, 1), (1, 0), (1, 1), (1, -1))):
        for i in range(4):
            for j in range(5):
                if i + down < 4 and 0 <= j + right < 5:
                    wanted[k, i, j] = np.linalg.norm(x[:, i, j] - x[:, i + down, j + right])
                    there.append(wanted[k, i, j])
    np.testing.assert_allclose(array(lua, "edges"), wanted)
    np.testing.assert_allclose(array(lua, "four"), wanted[:2])
    np.testing.assert_allclose(array(lua, "divided"), wanted / np.std(there, ddof=1))
    # Distances that are all the same have no deviation to divide by.
    assert not array(lua, "zero").any() and not array(lua, "gradient").any()


def test_normalization(lua: Runtime) -> None:
    lua.execute("""
        kernel, x = torch.Tensor{{1, 2, 1}, {2, 4, 2}, {1, 2, 1}}, t(2, 5, 6)
        y = nn.SpatialNormalization(2, kernel, 0.3):forward(x):clone()
        local line = torch.Tensor{1, 2, 1}
        split = nn.SpatialNormalization(2, {line, line}, 0.3):forward(x):clone()
        kept = kernel:sum()
        m = nn.SpatialNormalization(1, torch.ones(3, 3))
        flat = m:forward(x[1]):equal(nn.SpatialNormalization(1, torch.ones(3, 3)):forward(x:narrow(1, 1, 1)))
    """)
    x, kernel = array(lua, "x"), np.outer([1, 2, 1], [1, 2, 1]) / 16

    def means(z: Any) -> Any:
        padded = np.pad(z, [(0, 0), (1, 1), (1, 1)])
        sums = sum(kernel[p, q] * padded[:, p : p + 5, q : q + 6] for p in range(3) for q in range(3))
        return sums.mean(0)

    weights = means(np.ones((2, 5, 6)))
    centered = x - means(x) / weights
    deviations = np.sqrt(means(centered**2)) / weights
    np.testing.assert_allclose(array(lua, "y"), centered / np.maximum(deviations, 0.3))
    np.testing.assert_allclose(array(lua, "split"), array(lua, "y"))
    assert lua.eval("kept") == 16 and lua.eval("flat") is True


def test_balance(lua: Runtime) -> None:
    lua.execute("""
        m, batches, outputs = nn.Balance(2), {}, {}
        for i = 1, 3 do
           batches[i] = t(2 + i, 3):add(i):sin():abs():add(0.1)
           outputs[i] = m:forward(batches[i]):clone()
        end
        local x, g = batches[3], t(5, 3)
        back = m:backward(x, g)
        -- The same state for each call: the batch before the last, then the last.
        local function loss()
           local n = nn.Balance(2)
           n:forward(batches[2])
           return n:forward(x):dot(g)
        end
        worst = worst_difference(loss, {{x, back}})
        m:evaluate()
        same = m:forward(x):equal(x) and m:backward(x, g):equal(g)
        zeros = nn.Balance():forward(torch.Tensor{{0, 1}, {0, 0}})
    """)
    batches = [array(lua, f"batches[{i}]") for i in (1, 2, 3)]
    for i, seen in enumerate((batches[:1], batches[:2], batches[1:])):
        z = batches[i] / np.concatenate(seen).mean(0)
        np.testing.assert_allclose(array(lua, f"outputs[{i + 1}]"), z / z.sum(1, keepdims=True))
    assert lua.eval("worst") < 1e-8 and lua.eval("same") is True
    assert array(lua, "zeros").tolist() == [[0, 1], [0, 0]]


@pytest.mark.parametrize("size", ["3, 4", "4"])
@pytest.mark.parametrize(("options", "average"), [("()", True), ("{sizeAverage = false}", False)])
def test_margins_of_distributions(lua: Runtime, size: str, options: str, average: bool) -> None:
    lua.execute(f"""
        c, x, z = nn.DistMarginCriterion{options}, t({size}), t({size}):cos():abs()
        loss, g = c:forward(x, z), c:backward(x, z):clone()
        worst = worst_difference(function() return c:forward(x, z) end, {{{{x, g}}}})
        f = torch.deserialize(torch.serialize(c)):float()
        single = f:forward(x:float(), z:float())
    """)
    x, z = np.atleast_2d(array(lua, "x")), np.atleast_2d(array(lua, "z"))
    wanted = 0.0
    for row, target in zip(x, z, strict=True):
        c = int(target.argmax())
        wanted += sum(max(0.0, 1 - row[c] + v) for j, v in enumerate(row) if j != c) / len(row)
    wanted /= len(x) if average else 1
    assert lua.eval("loss") == pytest.approx(wanted) and lua.eval("worst") < 1e-8
    assert lua.eval("single") == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nn.Balance('all')", "nBatch must be a number"),
        ("nn.Balance():forward(t(3))", "input must be a tensor of 2 dimensions"),
        ("nn.Balance():backward(t(2, 3), t(2, 3))", "backward called before forward"),
        ("nn.DistMarginCriterion(2)", r"options must be a table \(got 2\)"),
        ("nn.DistMarginCriterion():forward(t(3), t(4))", r"target must be a tensor of size \[3\]"),
        ("nn.SpatialNormalization()", "needs nInputPlane, kernel"),
        ("nn.SpatialNormalization(2, {torch.ones(3)})", r"kernel\[2\] must be a"),
        ("nn.SpatialNormalization(2, torch.ones(2, 2))", "odd sizes"),
        ("nn.SpatialMatching(0)", "maxw must be"),
        ("nn.SpatialMatching():forward{t(2, 3, 4)}", r"input\[2\] must be a torch.DoubleTensor \(got nil\)"),
        ("nn.SpatialMatching():forward{t(2, 3, 4), t(3, 3, 4)}", r"input\[2\] must be 2 maps"),
        ("nn.SpatialMatching():forward{t(2, 3, 4), t(2, 3, 5)}", r"of size \[2x3x4\]"),
        ("nn.SpatialMatching(3, 4, false):forward{t(2, 3, 4), t(2, 3, 4)}", "maps of at least 4 x 3"),
        ("nn.SpatialMatching():backward({t(2, 3, 4), t(2, 3, 4)}, t(2))", "gradOutput must be"),
        ("nn.SpatialRadialMatching():forward{t(2, 3, 4), t(2, 3, 4), t(4, 3)}", "a mask of 3 x 4"),
        ("sumCosts(3)", r"sumCosts: argument 1 must be a table \(got 3\)"),
        ("nn.SpatialGraph{connex = 6}", r"connex must be 4 or 8 \(got 6\)"),
    ],
)
def test_wrong_calls(lua: Runtime, source: str, message: str) -> None:
    with pytest.raises(LuaError, match=message):
        lua.execute(source)
