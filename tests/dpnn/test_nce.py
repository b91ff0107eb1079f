"""Noise-contrastive estimation: the loss by hand, gradients by finite differences, training, wrong input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from t7shell import LuaError, Runtime
from tests.runtimes import array, runtime_fixture

from ..finite_differences import GRADIENTS

lua = runtime_fixture("require 'dpnn' torch.manualSeed(1)", GRADIENTS)


@pytest.mark.parametrize("shared", ["true", "false"])
def test_output(lua: Runtime, shared: str) -> None:
    """Probabilities of the model and of the noise, from the weights and the classes that were drawn."""
    lua.execute(f"""
        m = nn.NCEModule(3, 6, 4, torch.range(1, 6), 2) m.batchnoise = {shared}
        x, classes = torch.randn(5, 3), torch.Tensor{{6, 1, 3, 3, 2}}
        out = m:forward{{x, classes}}
    """)
    x, weight, bias = array(lua, "x"), array(lua, "m.weight"), array(lua, "m.bias")
    classes = array(lua, "classes").astype(int) - 1
    # Shared noise comes before the classes, other noise after the class of each row.
    drawn = array(lua, "m.sampleidx")
    noise = np.broadcast_to(drawn[:4] if shared == "true" else drawn[:, 1:], (5, 4)) - 1
    model = np.exp(x @ weight.T + bias) / 2
    unigrams = np.arange(1, 7) / 21
    of_class, of_noise = model[np.arange(5), classes], np.take_along_axis(model, noise, 1)
    wanted = [of_class, of_noise, unigrams[classes], unigrams[noise]]
    for i, part in enumerate(wanted):
        np.testing.assert_allclose(array(lua, f"out[{i + 1}]"), part, rtol=1e-12)


def test_loss(lua: Runtime) -> None:
    lua.execute("""
        c = nn.NCECriterion()
        parts = {torch.rand(3), torch.rand(3, 2), torch.rand(3), torch.rand(3, 2)}
        loss = c:forward(parts)
        grads = c:backward(parts)
        c.sizeAverage = false
        whole = c:forward(parts)
    """)
    pt, ps, nt, ns = (array(lua, f"parts[{i}]") for i in (1, 2, 3, 4))
    wanted = -(np.log(pt / (pt + 2 * nt)).sum() + np.log(2 * ns / (ps + 2 * ns)).sum())
    assert lua.eval("loss") == pytest.approx(wanted / 3) and lua.eval("whole") == pytest.approx(wanted)
    np.testing.assert_allclose(array(lua, "grads[1]"), -(1 / pt - 1 / (pt + 2 * nt)) / 3, rtol=1e-5)
    np.testing.assert_allclose(array(lua, "grads[2]"), 1 / (ps + 2 * ns) / 3, rtol=1e-5)
    assert not array(lua, "grads[3]").any() and not array(lua, "grads[4]").any()


@pytest.mark.parametrize("shared", ["true", "false"])
def test_gradients(lua: Runtime, shared: str) -> None:
    """Of the loss by the input and the parameters, with the same noise each time."""
    lua.execute(f"""
        m, c = nn.NCEModule(3, 6, 4, torch.range(1, 6), 2), nn.NCECriterion()
        m.batchnoise = {shared}
        local drawn = m:noiseSample(torch.LongTensor(), {shared} and 1 or 5, 4)
        m.noiseSample = function() return drawn end
        x, classes = torch.randn(5, 3), torch.LongTensor{{6, 1, 3, 3, 2}}
        local function loss() return c:forward(m:forward{{x, classes}}) end
        loss()
        m:zeroGradParameters()
        grads = m:backward({{x, classes}}, c:backward(m.output))
        local pairs = {{{{x, grads[1]}}, {{m.weight, m.gradWeight}}, {{m.bias, m.gradBias}}}}
        worst = worst_difference(loss, pairs)
    """)
    assert lua.eval("worst") < 1e-5
    assert lua.eval("grads[2]:type()") == "torch.DoubleTensor" and array(lua, "grads[2]").tolist() == [0] * 5


def test_noise(lua: Runtime) -> None:
    """Classes by their frequencies, by the alias method too, which never draws a class of frequency 0."""
    lua.execute("""
        torch.manualSeed(3)
        m = nn.NCEModule(3, 4, 2, torch.Tensor{1, 0, 5, 4}):float()
        drawn = m:noiseSample(torch.LongTensor(), 100, 50)
        shares = m:noiseProb(torch.FloatTensor(), drawn)
        f = torch.deserialize(torch.serialize(m:fastNoise())):double():float()
        torch.manualSeed(4)
        fast = f:noiseSample(torch.LongTensor(), 100, 50)
        torch.manualSeed(4)
        again = m:noiseSample(torch.LongTensor(), 100, 50):equal(fast)
        out = f:forward{torch.rand(2, 3):float(), torch.LongTensor{1, 3}}
    """)
    frequencies = np.array([0.1, 0, 0.5, 0.4])
    for name in ("drawn", "fast"):
        drawn = array(lua, name)
        assert drawn.shape == (100, 50)
        np.testing.assert_allclose(np.bincount(drawn.ravel(), minlength=5)[1:] / 5000, frequencies, atol=0.03)
        assert (drawn != 2).all()
    np.testing.assert_allclose(array(lua, "shares"), frequencies[array(lua, "drawn") - 1], rtol=1e-6)
    assert lua.eval("again") is True and lua.eval("out[1]:type()") == "torch.FloatTensor"


def test_evaluation_gives_all_classes(lua: Runtime) -> None:
    lua.execute("""
        m = nn.NCEModule(3, 6, 4, torch.ones(6))
        x = torch.randn(2, 3)
        m.normalized = true m:evaluate()
        p = m:forward{x, torch.ones(2)}
        m.logsoftmax = true
        l = m:forward{x, torch.ones(2)}
    """)
    scores = np.exp(array(lua, "x") @ array(lua, "m.weight").T + array(lua, "m.bias"))
    np.testing.assert_allclose(array(lua, "p"), scores / scores.sum(1, keepdims=True))
    np.testing.assert_allclose(array(lua, "l"), np.log(scores / scores.sum(1, keepdims=True)))


def test_training_finds_the_classes(lua: Runtime) -> None:
    """Four inputs, each of a different class."""
    lua.execute("""
        m, c = nn.NCEModule(4, 4, 8, torch.ones(4)), nn.NCECriterion()
        local x, classes = torch.eye(4), torch.LongTensor{3, 1, 4, 2}
        for _ = 1, 300 do
           c:forward(m:forward{x, classes})
           m:zeroGradParameters()
           m:backward({x, classes}, c:backward(m.output))
           m:updateParameters(1)
        end
        z = m.Z[1]
        m.normalized = true m:evaluate()
        _, best = m:forward{x, classes}:max(2)
    """)
    assert array(lua, "best").ravel().tolist() == [3, 1, 4, 2] and lua.eval("z") > 0


def test_types_and_files(lua: Runtime, tmp_path: Any) -> None:
    lua.execute(f"""
        m = nn.NCEModule(3, 6, 4, torch.range(1, 6), 2):float()
        torch.save('{tmp_path}/m.t7', m)
        n = torch.load('{tmp_path}/m.t7')
        same = n:forward{{torch.rand(2, 3):float(), torch.ones(2)}}
        n:clearState()
    """)
    assert lua.eval("same[2]:type()") == "torch.FloatTensor" and lua.eval("#n.output") == 0
    assert lua.eval("tostring(m)") == "nn.NCEModule(3 -> 6)"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nn.NCEModule(3, 4)", "NCEModule: .*unigrams"),
        ("nn.NCEModule(3, 4, 2, torch.ones(3))", "unigrams must have 4 elements"),
        ("nn.NCEModule(3, 4, 2, torch.zeros(4))", "positive sum"),
        ("m:noiseSample(torch.Tensor(), 1, 2)", "classes must be a LongTensor"),
        ("m:noiseSample(torch.LongTensor(), 0, 2)", "rows must be"),
        ("m:noiseProb(3, torch.LongTensor{1})", "frequencies must be a tensor"),
        ("m:forward(torch.rand(2, 3))", "input"),
        ("m:forward{torch.rand(2, 2), torch.ones(2)}", "batch x 3"),
        ("m:forward{torch.rand(2, 3), torch.ones(3)}", "must be a tensor of 2 classes"),
        ("m:forward{torch.rand(2, 3), torch.Tensor{1, 7}}", r"classes must be from 1 to 6 \(got 1 to 7\)"),
        ("m:backward({torch.rand(2, 3), torch.ones(2)}, {})", "backward called before forward with noise"),
        ("nn.NCECriterion():forward(torch.rand(2))", "input"),
        ("local x = torch.rand(2) nn.NCECriterion():forward{x, x, x, x}", "batch x k"),
    ],
)
def test_wrong_input(lua: Runtime, source: str, message: str) -> None:
    lua.execute("m = nn.NCEModule(3, 6, 4, torch.range(1, 6), 2)")
    with pytest.raises(LuaError, match=message):
        lua.execute(source)


def test_inputs_that_are_not_contiguous(lua: Runtime) -> None:
    """The scores and gradients that the original prints."""
    lua.execute("""
    torch.manualSeed(1)
    local m = nn.NCEModule(3, 5, 2, torch.Tensor{1, 2, 3, 4, 5}, 1)
    torch.manualSeed(2)
    local input = { torch.rand(3, 2):t(), torch.LongTensor{1, 2} }
    scores = m:forward(input)[1]
    local gradients = { torch.rand(2, 2):select(2, 1), torch.rand(2, 2):t(), torch.ones(2), torch.ones(2, 2) }
    gradient = m:backward(input, gradients)[1]
    """)
    np.testing.assert_allclose(array(lua, "scores"), [0.2239, 0.0853], atol=6e-5)
    wanted = [[-0.0343, 0.1334, -0.0012], [-0.0172, 0.1242, 0.0343]]
    np.testing.assert_allclose(array(lua, "gradient"), wanted, atol=6e-5)
