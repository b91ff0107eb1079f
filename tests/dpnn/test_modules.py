"""Modules of dpnn against NumPy and by the checks that hold for all layers; methods of modules."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import LuaError, Runtime
from tests.runtimes import array, runtime_fixture

from ..nn.module_records import SET_UP

lua = runtime_fixture(SET_UP, "require 'dpnn'")


MAPS = "t(2, 3, 6, 5)", "t(1, 3, 7, 7)"
ROUGH = "{any = true, seeded = true, smooth = false}"
MODULES = {
    "ArgMax(1, 1)": ("t(3, 4)", "t(2, 5)", ROUGH),
    "Clip(-1, 1)": ("t(3, 4)", "t(2, 5)", ROUGH),
    "CategoricalEntropy(0)": ("t(3, 4):abs()", "t(2, 5):abs()", "{any = true}"),
    "TotalDropout(0.5)": ("t(3, 4)", "t(2, 5)", "{any = true, seeded = true}"),
    "SpatialRegionDropout(0.3)": (*MAPS, "{any = true, seeded = true}"),
    "SpatialUniformCrop(3, 4)": (*MAPS, "{any = true, seeded = true}"),
    "SpatialFeatNormalization(t(3), t(3):abs())": (*MAPS, "{any = true}"),
    "SimpleColorTransform(3, t(3):abs())": (*MAPS, ROUGH),
    "PCAColorTransform(3, t(3, 2), t(2), 0.5)": (*MAPS, ROUGH),
    "SpatialBinaryConvolution(3, 2, 3, 3)": (*MAPS, ROUGH),
    "FireModule(3, 2, 2, 2, 'Tanh')": (*MAPS, "{any = true}"),
}


@pytest.mark.parametrize("make", MODULES)
def test_what_holds_for_all_modules(lua: Runtime, make: str) -> None:
    x, other, options = MODULES[make]
    if "ArgMax" in make:
        # Indices have no gradient: only the output is compared.
        lua.execute(f"m = nn.{make} y = m:forward({x}) f = m:clone():float():forward({x}:float())")
        np.testing.assert_array_equal(array(lua, "y"), array(lua, x).argmax(1) + 1)
        assert lua.eval("f:equal(y)") is True and lua.eval("f:type()") == "torch.LongTensor"
        return
    lua.execute(
        f"failures = checks(function() return nn.{make} end, {x}, {other}, t(2, 2, 2, 2, 2), {options})"
    )
    assert lua.eval("table.concat(failures, '; ')") == ""


def test_outputs(lua: Runtime) -> None:
    lua.execute("""
        x = t(2, 3, 4, 5)
        clip = nn.Clip(-0.5, 1):forward(x)
        norm = nn.SpatialFeatNormalization(t(3), t(3):abs()):forward(x)
        crop = nn.SpatialUniformCrop(2, 3)
        part = crop:forward(x)
        simple = nn.SimpleColorTransform(3, torch.Tensor{1, 0, 2})
        shifted = simple:forward(x) - x
        binary = nn.SpatialBinaryConvolution(3, 2, 2, 2)
        plain = nn.SpatialConvolution(3, 2, 2, 2)
        plain.bias:zero()
        plain.weight:copy(binary.weight):sign()
        for i = 1, 2 do plain.weight[i]:mul(binary.weight[i]:clone():abs():mean()) end
        same = plain:forward(x):csub(binary:forward(x)):abs():max()
    """)
    x, mean = array(lua, "x"), array(lua, "t(3)")[:, None, None]
    np.testing.assert_array_equal(array(lua, "clip"), x.clip(-0.5, 1))
    np.testing.assert_allclose(array(lua, "norm"), (x - mean) / abs(mean))
    windows = np.lib.stride_tricks.sliding_window_view(x[0], (2, 3), (1, 2)).reshape(3, -1, 2, 3)
    assert any((array(lua, "part")[0] == windows[:, i]).all() for i in range(windows.shape[1]))
    shifts = array(lua, "shifted")
    np.testing.assert_allclose(shifts, np.broadcast_to(shifts[:, :, :1, :1], x.shape), atol=1e-12)
    assert abs(shifts[:, 1]).max() == 0 and 0 < abs(shifts[:, 0]).max() <= 1
    assert lua.eval("same") < 1e-12


def test_sparse_parameters_of_a_class_of_a_program(lua: Runtime) -> None:
    """Only these are updated and zeroed, by their factors. The numbers are the original's."""
    lua.execute("""
        local Rows, parent = torch.class('nn.SparseRows', 'nn.Linear')
        function Rows:sparseParameters()
           return { [2] = self.weight[2] }, { [2] = self.gradWeight[2] }, { [2] = 10 }, 3
        end
        local m = nn.Sequential():add(nn.SparseRows(1, 3)):add(nn.Linear(3, 1))
        for _, p in ipairs(m:parameters()) do p:fill(1) end
        for _, g in ipairs(select(2, m:parameters())) do g:fill(1) end
        m:updateParameters(0.1)
        m:zeroGradParameters()
        local rows, last = m:get(1), m:get(2)
        numbers = { rows.weight[1][1], rows.weight[2][1], rows.bias[1], rows.gradWeight[1][1],
           rows.gradWeight[2][1], rows.gradBias[1], last.weight[1][1], last.gradBias[1] }
        local parameters, gradients, scales, count = m:sparseParameters()
        local keys = {}
        for i in pairs(parameters) do table.insert(keys, i) end
        table.sort(keys)
        keys, factor, nothing = table.concat(keys, ' '), scales[2], scales[4]
        text = keys .. ' ' .. count
    """)
    assert list(lua.eval("numbers").values()) == pytest.approx([1, 0, 1, 1, 0, 1, 0.9, 0])
    assert lua.eval("text") == "2 4 5 5" and lua.eval("factor") == 10 and lua.eval("nothing") is None


def test_binary_weights_that_a_program_writes(lua: Runtime) -> None:
    """Between two forwards in training. The outputs are the original's."""
    lua.execute("""
        binary, x = nn.SpatialBinaryConvolution(1, 1, 2, 2), torch.range(1, 9):view(1, 3, 3)
        binary:forward(x)
        binary.weight:fill(-3)
        filled = binary:forward(x):clone():view(-1)
        binary.weight:copy(torch.Tensor{1, -2, 3, -2})
        binary:forward(x)
        binary:maxParamNorm(1)
        limited = binary:forward(x):view(-1)
    """)
    assert array(lua, "filled").tolist() == [-36, -48, -72, -84]
    np.testing.assert_allclose(array(lua, "limited"), -1)


def test_the_entropy_of_classes(lua: Runtime) -> None:
    """The gradient that is added, by finite differences of minus the entropy."""
    lua.execute("""
        m, x = nn.CategoricalEntropy(0.7), nn.SoftMax():forward(t(3, 4))
        m:forward(x)
        -- The sum of all counts as a constant, and the gradient is a mean over the rows.
        local share = x:sum()
        local function entropy_of()
           local p = x:sum(1):div(share)
           return -torch.cmul(p, torch.log(p)):sum() / 3
        end
        found, worst = m:backward(x, torch.zeros(3, 4)):clone():view(-1), 0
        local flat = x:view(-1)
        for i = 1, 12 do
           local was = flat[i]
           flat[i] = was + 1e-6 local up = entropy_of()
           flat[i] = was - 1e-6
           worst = math.max(worst, math.abs(-0.7 * (up - entropy_of()) / 2e-6 - found[i]))
           flat[i] = was
        end
        enough = nn.CategoricalEntropy(0.7, 0.001)
        enough:forward(x)
        none = enough:backward(x, torch.zeros(3, 4)):abs():max()
        -- No entropy is no small one.
        none_of_nan = enough:backward(torch.Tensor{{-2, 1}}, torch.zeros(1, 2)):abs():max()
    """)
    assert lua.eval("worst") < 1e-7
    assert lua.eval("none") == 0
    assert lua.eval("none_of_nan") == 0


@pytest.mark.parametrize("name", ["BinaryLogisticRegression", "SpatialBinaryLogisticRegression"])
def test_logistic_regression(lua: Runtime, name: str) -> None:
    lua.execute(f"""
        local size = torch.LongStorage(('{name}'):find 'Spatial' and {{2, 1, 3, 4}} or {{24, 1}})
        x, z = torch.view(t(24), size):mul(30), torch.view(t(24):cos(), size):sign()
        c, s = nn.{name}(), nn.{name}(false)
        averaged = s.sizeAverage
        s.sizeAverage = false
        loss, sum, g = c:forward(x, z), s:forward(x, z), c:backward(x, z)
        float = c:clone():float():forward(x:float(), z:float())
    """)
    x, z = array(lua, "x"), array(lua, "z")
    # That of maps takes no argument, and is half of the mean; the sum is one over the batch.
    assert lua.eval("averaged") is ("Spatial" in name)
    half = 0.5 if "Spatial" in name else 1
    wanted = np.logaddexp(0, -x * z) * half
    assert lua.eval("loss") == pytest.approx(wanted.mean()) and lua.eval("sum") == pytest.approx(
        2 * wanted.mean() if "Spatial" in name else wanted.sum()
    )
    assert lua.eval("float") == pytest.approx(wanted.mean(), rel=1e-5)
    np.testing.assert_allclose(array(lua, "g"), -z / (1 + np.exp(x * z)) / 24 * half, rtol=1e-9, atol=1e-30)


def test_rewards(lua: Runtime) -> None:
    lua.execute("""
        net = nn.ReinforceNormal()
        c = nn.BinaryClassReward(net, 2)
        p, base = torch.Tensor{0.7, 0.2, 0.5}, torch.zeros(3, 1)
        loss = c:forward({p, base}, torch.LongTensor{1, 1, 1})
        c:backward({p, base}, torch.LongTensor{1, 1, 1})
        rewards = net.reward
        mean, dev = t(3, 2), t(3, 2):abs():add(0.5)
        y = net:forward{mean, dev}
        g = net:backward({mean, dev}, y)
        spread = net:rewardAs(mean)
        torch.manualSeed(1)
        gamma = nn.ReinforceGamma(2)
        shapes = torch.Tensor(4000, 2)
        shapes:select(2, 1):fill(0.6) shapes:select(2, 2):fill(4)
        drawn = gamma:forward(shapes):clone()
        gamma:reinforce(torch.Tensor(4000):fill(-1))
        score = gamma:backward(shapes, drawn)
        gamma:evaluate()
        expected = gamma:forward(shapes)
    """)
    # A probability of a half is not above it.
    assert lua.eval("loss") == pytest.approx(-2 / 3)
    reward = np.array([2, 0, 0]) / 3
    np.testing.assert_allclose(array(lua, "rewards"), reward)
    np.testing.assert_allclose(array(lua, "spread"), np.repeat(reward[:, None], 2, 1))
    y, m, d = array(lua, "y"), array(lua, "mean"), array(lua, "dev")
    np.testing.assert_allclose(array(lua, "g[1]"), -reward[:, None] * (y - m) / d**2)
    np.testing.assert_allclose(
        array(lua, "g[2]"), -reward[:, None] * ((y - m) ** 2 - d**2) / d**3, atol=1e-12
    )
    drawn = array(lua, "drawn")
    assert drawn.mean(0) == pytest.approx([1.2, 8], rel=0.06) and drawn.var(0) == pytest.approx(
        [2.4, 16], rel=0.15
    )
    np.testing.assert_allclose(array(lua, "expected[1]"), [1.2, 8])
    # The mean of the derivative of the logarithm of a density is zero; euler's constant gives digamma(1).
    assert abs(array(lua, "score").mean(0)).max() < 0.1
    lua.execute("""
        gamma:training() gamma:forward(torch.ones(1, 1)) gamma:reinforce(torch.Tensor{-1})
        one = gamma:backward(torch.ones(1, 1), torch.ones(1, 1))[1][1] - math.log(gamma.output[1][1] / 2)
        torch.manualSeed(5) a = gamma:forward(torch.Tensor{0.6, 4, 1})
        torch.manualSeed(5) b = randomkit.gamma(torch.FloatTensor{0.6, 4, 1}, torch.FloatTensor{2, 2, 2})
        same = a:equal(b:double())
    """)
    assert lua.eval("one") == pytest.approx(0.5772156649015329, abs=1e-7)  # in floats
    assert lua.eval("same")  # the draws are those of randomkit


def test_methods(lua: Runtime) -> None:
    lua.execute("""
        net = nn.Sequential():extend(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
        size = net:size()
        m = nn.Linear(2, 3)
        batch = m:toBatch(t(2), 1)
        sample = m:fromBatch(m:forward(batch))
        rows = m:fromBatch(m:forward(m:toBatch(t(4, 2), 1)))
        -- Glimpses of programs take points, batches of one number each, for samples of no dimension.
        points = m:toBatch(t(3, 1), 0)
        turned = m:contiguousInput(t(2, 4):t())
        again = m:contiguousInput(nil, true)
        still = nn.Linear(2, 2):dontBackward()
        still:zeroGradParameters() still:forward(t(3, 2)) nothing = still:backward(t(3, 2), t(3, 2))
        kind = net:float():extrapolateType()
        net:double():forward(t(5, 2))
        table = nn.LookupTable(4, 3)
        table.weight:mul(10)
        table:maxParamNorm(1)
        longest = table.weight:norm(2, 1):max()
        net:accept{visit = function(_, module) visited = torch.type(module) end}
        net:checkParameters()
        m.weight[1][1] = 0 / 0
        fine, message = pcall(m.checkParameters, m)
    """)
    assert lua.eval("size") == 3 and lua.eval("batch:dim()") == 2 and lua.eval("sample:dim()") == 1
    assert lua.eval("rows:dim()") == 2 and lua.eval("points:dim()") == 2
    assert lua.eval("turned:isContiguous() and again:equal(turned)") is True
    assert lua.eval("nothing == nil and still.gradWeight:abs():max() == 0") is True
    assert lua.eval("kind") == "torch.FloatTensor" and lua.eval("net:get(1).output:nElement()") == 15
    assert lua.eval("longest") == pytest.approx(1) and lua.eval("visited") == "nn.Sequential"
    assert lua.eval("fine") is False and "parameter 1 has elements that are nan" in lua.eval("message")


def test_glimpses_reach_over_the_border(lua: Runtime) -> None:
    """The centre of the first patch goes to the corner of the picture; what lies outside is zero."""
    lua.execute("""
        m, x = nn.SpatialGlimpse(3, 2, 2), t(2, 1, 6, 7)
        y = m:forward{x, torch.Tensor{{-1, -1}, {0.3, 0.9}}}
        g = nn.SpatialGlimpse(2, 2, 1.5):forward{x, torch.Tensor{{-1, -1}, {0.3, 0.9}}}
    """)
    x = array(lua, "x")
    padded = np.pad(x[0, 0], 1)
    np.testing.assert_array_equal(array(lua, "y[1][1]"), padded[:3, :3])
    padded = np.pad(x[1, 0], 1)
    row, column = int(0.65 * 5), int(0.95 * 6)
    np.testing.assert_array_equal(array(lua, "y[2][1]"), padded[row : row + 3, column : column + 3])
    wide = np.pad(x[0, 0], 2)[:6, :6].reshape(3, 2, 3, 2).mean((1, 3))
    np.testing.assert_allclose(array(lua, "y[1][2]"), wide)
    assert lua.eval("g:size(3)") == 2


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nn.Clip(1, -1)", "lower bound must be less than the upper one"),
        ("nn.Clip(1)", "needs minval, maxval"),
        ("nn.TotalDropout(1)", "p must be from 0 to less than 1"),
        ("nn.SpatialUniformCrop(9):forward(t(3, 6, 6))", "a part of 9 x 9 from"),
        ("nn.SpatialUniformCrop(3, 3, 2)", "scale must be a table"),
        ("nn.SimpleColorTransform(3, t(2))", "range must be a tensor of 3 elements"),
        ("nn.PCAColorTransform(3, t(2, 2), t(2))", "eigenvectors must be a tensor of 3 x 2"),
        ("nn.SpatialFeatNormalization(t(3)):forward(t(2, 4, 4))", "input must be 3 planes"),
        ("nn.CategoricalEntropy():forward(t(3))", "input must be a tensor of 2 dimensions"),
        ("nn.CategoricalEntropy():backward(t(2, 3):byte(), t(2, 3))", "does not implement"),
        (
            "local m = nn.SpatialBinaryConvolution(2, 2, 3, 3) m.weight = t(2):int() m:forward(t(2, 4, 4))",
            "weight must be a DoubleTensor or FloatTensor",
        ),
        ("nn.ReinforceGamma(1):forward(torch.zeros(2, 2))", "shapes in the input must be > 0"),
        ("nn.BinaryLogisticRegression():forward(t(3), t(2))", "target must be a tensor of 3 elements"),
        ("nn.Linear(2, 2):toBatch('x', 1)", "input must be a tensor"),
        ("nn.SpatialUniformCrop(2):forward(t(2, 2))", "tensor of 3 or 4 dimensions"),
    ],
)
def test_wrong_calls(lua: Runtime, source: str, message: str) -> None:
    with pytest.raises(LuaError, match=message):
        lua.execute(source)


def test_fixed_deviations_of_each_element(lua: Runtime) -> None:
    """The original prints these numbers."""
    lua.execute("""
    torch.manualSeed(1)
    m, x = nn.ReinforceNormal(torch.Tensor{0.1, 0.2, 0.3}), torch.range(1, 6):view(2, 3):sin()
    out = m:forward(x)
    m:reinforce(torch.Tensor{1, 2})
    gradient = m:backward(x, x)
    """)
    np.testing.assert_allclose(
        array(lua, "out"), [[0.5443, 1.2507, 0.0120], [-0.9850, -0.8542, -0.2793]], atol=6e-5
    )
    wanted = [[29.7183, -8.5348, 1.4350], [45.6404, -5.2366, -0.0025]]
    np.testing.assert_allclose(array(lua, "gradient"), wanted, atol=6e-5)


def test_reward_with_a_baseline_in_a_column(lua: Runtime) -> None:
    """The original prints these numbers."""
    lua.execute("""
    net, scores = nn.ReinforceCategorical(), torch.Tensor{{0.5, 0.5}, {0.3, 0.7}, {0.2, 0.8}}
    net:forward(scores)
    input = { scores, torch.Tensor{{0.1, 0.2}, {0.3, 0.4}, {0.5, 0.6}}:narrow(2, 1, 1) }
    criterion, target = nn.VRClassReward(net), torch.Tensor{1, 2, 1}
    loss = criterion:forward(input, target)
    gradient = criterion:backward(input, target)[2]
    """)
    assert lua.eval("loss") == pytest.approx(-2 / 3)
    np.testing.assert_allclose(array(lua, "gradient").ravel(), [-0.6, -0.4667, 0.3333], atol=6e-5)
    np.testing.assert_allclose(array(lua, "net.reward"), [0.3, 0.2333, -0.1667], atol=6e-5)


def test_buffers_that_are_views_in_files_of_torch7(lua: Runtime) -> None:
    """There an output may be the input of that time, and a gradInput the gradOutput."""
    lua.execute("""
    local x, g = torch.Tensor{{1, 3}}, torch.Tensor{{5, 6}}
    local clip, entropy = nn.Clip(-1, 1), nn.CategoricalEntropy()
    clip.gradInput, entropy.output = g:view(1, 2), x:view(1, 2)
    clip:forward(torch.ones(1, 2))
    clip:backward(torch.ones(1, 2), torch.ones(1, 2))
    entropy:forward(torch.ones(1, 2))
    kept_x, kept_g = x, g
    """)
    assert array(lua, "kept_x").tolist() == [[1, 3]] and array(lua, "kept_g").tolist() == [[5, 6]]
