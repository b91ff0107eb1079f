"""Layers over whole sequences: NumPy, the same layers step by step, gradients, states, masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from t7shell import LuaError, Runtime
from tests.runtimes import array

Array = np.ndarray[Any, np.dtype[np.float64]]


def sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def seq_lstm(w: Array, b: Array, x: Array, project: Array | None = None) -> tuple[Array, Array]:
    """Outputs and cells of all steps."""
    hidden = w.shape[1] // 4
    c = np.zeros((x.shape[1], hidden))
    h = c if project is None else c @ project
    outputs, cells = [], []
    for step in x:
        i, f, o, g = np.split(np.concatenate([step, h], axis=1) @ w + b, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        if project is not None:
            h = h @ project
        outputs.append(h)
        cells.append(c)
    return np.array(outputs), np.array(cells)


def seq_gru(w: Array, b: Array, x: Array) -> Array:
    hidden = w.shape[1] // 3
    h = np.zeros((x.shape[1], hidden))
    outputs = []
    for step in x:
        r, u = np.split(
            sigmoid(np.concatenate([step, h], axis=1) @ w[:, : 2 * hidden] + b[: 2 * hidden]), 2, axis=1
        )
        new = np.tanh(np.concatenate([step, r * h], axis=1) @ w[:, 2 * hidden :] + b[2 * hidden :])
        h = u * h + (1 - u) * new
        outputs.append(h)
    return np.array(outputs)


LAYERS = ["nn.SeqLSTM(3, 4)", "nn.SeqLSTMP(3, 4, 2)", "nn.SeqGRU(3, 4)"]


@pytest.mark.parametrize("make", LAYERS)
def test_outputs(runtime: Runtime, make: str) -> None:
    runtime.execute(f"""
        m, x = {make}, t(5, 2, 3)
        y = m:forward(x):clone()
        m.batchfirst = true
        turned = m:forward(x:transpose(1, 2)):transpose(1, 2)
    """)
    w, b, x = array(runtime, "m.weight"), array(runtime, "m.bias"), array(runtime, "x")
    if "GRU" in make:
        wanted = seq_gru(w, b, x)
    else:
        wanted, cells = seq_lstm(w, b, x, array(runtime, "m.weightO") if "P" in make else None)
        np.testing.assert_allclose(array(runtime, "m.cell"), cells, rtol=1e-12)
    for name in ("y", "turned"):
        np.testing.assert_allclose(array(runtime, name), wanted, rtol=1e-12)


@pytest.mark.parametrize(
    ("make", "steps"), [("nn.SeqLSTM(3, 4)", "toFastLSTM"), ("nn.SeqGRU(3, 4)", "toGRU")]
)
@pytest.mark.parametrize("kind", ["Double", "Float"])
def test_the_same_layer_step_by_step(runtime: Runtime, make: str, steps: str, kind: str) -> None:
    """Outputs, gradients of the input and those of the parameters."""
    runtime.execute(f"""
        local kind = 'torch.{kind}Tensor'
        m, x, g = {make}:type(kind), t(5, 2, 3):type(kind), t(5, 2, 4):type(kind)
        s = nn.Sequencer(m:{steps}())
        m:zeroGradParameters() s:zeroGradParameters()
        y, z = m:forward(x), s:forward(x)
        a, b = m:backward(x, g), s:backward(x, g)
        d = m:{steps}()
        _, own = d:parameters()
        _, theirs = s:parameters()
        worst = math.max((y - z):abs():max(), (a - b):abs():max())
        for i = 1, #own do worst = math.max(worst, (own[i] - theirs[i]):abs():max()) end
    """)
    assert runtime.eval("worst") < (1e-12 if kind == "Double" else 1e-4)


STEPS = "t(4, 2, 3)", "t(2, 3, 3)", "t(4, 2, 5)"
MODULES = {
    **{make: STEPS for make in LAYERS},
    **{f"(function() local m = {make} m.batchfirst = true return m end)()": STEPS for make in LAYERS},
    "nn.SeqLSTM(3, 4):maskZero()": STEPS,
    "nn.SeqBRNN(3, 4)": STEPS,
    "nn.SeqBRNN(3, 4, true, nn.JoinTable(3))": STEPS,
    "nn.Sequential():add(nn.SeqLSTM(3, 4)):add(nn.Sequencer(nn.Linear(4, 2))):add(nn.SeqGRU(2, 2))": STEPS,
}


@pytest.mark.parametrize("make", MODULES)
def test_what_holds_for_all_modules(runtime: Runtime, make: str) -> None:
    x, other, wrong = MODULES[make]
    runtime.execute(f"failures = checks(function() return {make} end, {x}, {other}, {wrong}, {{any = true}})")
    assert runtime.eval("table.concat(failures, '; ')") == ""


@pytest.mark.parametrize(
    ("make", "first"),
    [
        ("nn.SeqLSTM(3, 4)", "{t(2, 4), t(2, 4):cos(), t(3, 2, 3)}"),
        ("nn.SeqGRU(3, 4)", "{t(2, 4), t(3, 2, 3)}"),
        ("nn.SeqLSTM(3, 4)", "{t(2, 4), t(3, 2, 3)}"),
    ],
)
def test_states_as_inputs(runtime: Runtime, make: str, first: str) -> None:
    runtime.execute(
        f"failures = checks(function() return {make} end, {first}, {first}, t(2, 2), {{any = true}})"
    )
    assert runtime.eval("table.concat(failures, '; ')") == ""


@pytest.mark.parametrize("make", LAYERS)
@pytest.mark.parametrize("mode", ["training", "evaluate"])
def test_states_that_are_remembered(runtime: Runtime, make: str, mode: str) -> None:
    runtime.execute(f"""
        m, x = {make}, t(6, 2, 3)
        m:{mode}()
        whole = m:forward(x):clone()
        again = m:forward(x):equal(whole)
        m:remember('both')
        m:forget()
        a, b = m:forward(x:narrow(1, 1, 2)):clone(), m:forward(x:narrow(1, 3, 4)):clone()
        goes_on = torch.cat(a, b, 1):csub(whole):abs():max()
        m:forget()
        begins = m:forward(x):csub(whole):abs():max()
        fine, message = pcall(m.forward, m, t(2, 3, 3))
        if m.train == false then m:training() else m:evaluate() end
        switched = m:forward(x):csub(whole):abs():max()
    """)
    assert runtime.eval("again") is True
    assert (
        runtime.eval("goes_on") < 1e-14
        and runtime.eval("begins") < 1e-14
        and runtime.eval("switched") < 1e-14
    )
    assert runtime.eval("fine") is False and "output before must be a tensor of 3 x" in runtime.eval(
        "message"
    )


def test_zeros_start_a_sequence_anew(runtime: Runtime) -> None:
    """Against the layer for single steps, with rows of zeros at the front and between."""
    runtime.execute("""
        m = nn.SeqLSTM(3, 4)
        s = nn.Sequencer(m:toFastLSTM():maskZero(1))
        m:maskZero()
        x, g = t(6, 2, 3), t(6, 2, 4)
        x[1][2]:zero() x[3]:zero() x[4][1]:zero()
        m:zeroGradParameters() s:zeroGradParameters()
        worst = (m:forward(x) - s:forward(x)):abs():max()
        zeros = m.output[3]:abs():max()
        worst = math.max(worst, (m:backward(x, g) - s:backward(x, g)):abs():max())
        m.maskzero = false
        local own, theirs = m:toFastLSTM(), s:findModules('nn.MaskZero')[1].modules[1]
        _, own = own:parameters()
        _, theirs = theirs:parameters()
        for i = 1, #own do worst = math.max(worst, (own[i] - theirs[i]):abs():max()) end
    """)
    assert runtime.eval("worst") < 1e-13 and runtime.eval("zeros") == 0


def test_states_of_an_encoder_go_into_a_decoder(runtime: Runtime) -> None:
    runtime.execute("""
        enc, dec = nn.SeqLSTM(2, 3), nn.SeqLSTM(2, 3)
        x, z, g = t(3, 2, 2), t(2, 2, 2):cos(), t(2, 2, 3)
        function run()
           enc:forward(x)
           dec.userPrevOutput = nn.rnn.recursiveCopy(dec.userPrevOutput, enc.output[3])
           dec.userPrevCell = nn.rnn.recursiveCopy(dec.userPrevCell, enc.cell[3])
           return dec:forward(z):dot(g)
        end
        run()
        enc:zeroGradParameters()
        dec:backward(z, g)
        enc.userNextGradCell = nn.rnn.recursiveCopy(enc.userNextGradCell, dec.userGradPrevCell)
        enc.gradPrevOutput = nn.rnn.recursiveCopy(enc.gradPrevOutput, dec.userGradPrevOutput)
        enc:backward(x, torch.zeros(3, 2, 3))
        worst = 0
        local w, d = enc.weight:view(-1), enc.gradWeight:view(-1)
        for i = 1, w:size(1) do
           local was = w[i]
           w[i] = was + 1e-6 local up = run()
           w[i] = was - 1e-6 worst = math.max(worst, math.abs((up - run()) / 2e-6 - d[i]))
           w[i] = was
        end
    """)
    assert runtime.eval("worst") < 1e-8


def test_initial_weights(runtime: Runtime) -> None:
    runtime.execute("""
        torch.manualSeed(4) m = nn.SeqLSTM(3, 4)
        torch.manualSeed(4) w = torch.Tensor(7, 16):normal(0, 1 / math.sqrt(7))
        p = nn.SeqLSTMP(3, 4, 2)
    """)
    assert runtime.eval("m.weight:equal(w)") is True
    np.testing.assert_array_equal(array(runtime, "m.bias"), [0] * 4 + [1] * 4 + [0] * 8)
    assert runtime.eval("#p:parameters()") == 3 and runtime.eval("p.weight:size(1)") == 5


@pytest.mark.parametrize("first", [False, True])
def test_projections_of_single_steps(runtime: Runtime, first: bool) -> None:
    """Step by step they are what forward and backward do for all steps."""
    runtime.execute(f"""
        torch.manualSeed(4)
        m = nn.SeqLSTMP(3, 4, 2)
        m.batchfirst = {str(first).lower()}
        local x, g = t(5, 2, 3), t(5, 2, 2)
        if m.batchfirst then x, g = x:transpose(1, 2), g:transpose(1, 2) end
        y = m:forward(x):clone()
        m:zeroGradParameters()
        m:backward(x, g, 0.5)
        local whole = m.gradWeightO:clone()
        m.gradWeightO:zero()
        m.output:zero()
        for step = 1, 5 do
           m:adapter(step)
           m:gradAdapter(0.5, step)
        end
        same = (m.output - y):abs():max() < 1e-12 and (m.gradWeightO - whole):abs():max() < 1e-12
        local plain = nn.SeqLSTM(3, 4)
        local z = plain:forward(t(5, 2, 3)):clone()
        plain:adapter(2)
        plain:gradAdapter(1, 2)
        kept = plain.output:equal(z)
    """)
    assert runtime.eval("same and kept") is True


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nn.SeqLSTMP(3, 4, 2):adapter(1)", "before forward and backward of a sequence"),
        (
            "local m = nn.SeqLSTMP(3, 4, 2) m:forward(t(2, 2, 3)) m:adapter(3)",
            r"step must be a whole number from 1 to 2 \(got 3\)",
        ),
        ("nn.SeqLSTM(3)", "SeqLSTM: hidden size must be a number"),
        (
            "nn.SeqLSTM(3, 4):forward(t(2, 3))",
            r"input must be a tensor of steps x batch x 3 \(got DoubleTensor \[2x3\]\)",
        ),
        ("nn.SeqLSTM(3, 4):forward(t(2, 2, 5))", "steps x batch x 3"),
        ("nn.SeqLSTM(3, 4):forward(t(2, 2, 3):float())", "input must be a torch.DoubleTensor"),
        ("nn.SeqLSTM(3, 4):forward{t(2, 5), t(2, 2, 3)}", "output before must be a tensor of 2 x 4"),
        ("nn.SeqGRU(3, 4):forward{t(2, 4), t(2, 4), t(2, 2, 3)}", "a sequence or { h0, sequence }"),
        ("nn.SeqLSTM(3, 4):backward(t(2, 2, 3), t(2, 2, 4))", "backward called before forward"),
        (
            "local m = nn.SeqLSTM(3, 4) m:forward(t(2, 2, 3)) m:backward(t(2, 2, 3), t(2, 2, 3))",
            "gradOutput must be",
        ),
        ("nn.SeqLSTM(3, 4):remember('x')", "argument 1 must be"),
        ("nn.SeqLSTMP(3, 4, 2):toFastLSTM()", "not defined for layers with a projection"),
        ("nn.SeqBRNN(3, 4, false, 3)", "argument 4 must be a module"),
    ],
)
def test_wrong_calls(runtime: Runtime, source: str, message: str) -> None:
    with pytest.raises(LuaError, match=message):
        runtime.execute(source)


def test_remembered_state_follows_the_type(runtime: Runtime) -> None:
    """The third part of a sequence, computed in Floats; the numbers are those that the original prints."""
    runtime.execute("""
    torch.manualSeed(3)
    local m, x = nn.SeqLSTM(1, 1), torch.ones(2, 1, 1)
    m:remember('both')
    m:forward(x) m:forward(x)
    out = m:float():forward(x:float()):view(-1):totable()
    """)
    np.testing.assert_allclose(list(runtime.eval("out").values()), [-0.3837, -0.3987], atol=6e-5)
