"""Recurrent modules against NumPy, and what they keep from step to step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import LuaError, Runtime

Array = np.ndarray[Any, np.dtype[np.float64]]


def sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def lstm(p: list[Array], x: Array) -> Array:
    """With peepholes. Parameters: forget gate, input gate, hidden layer, output gate."""
    (fw, fb, fu, fc), (iw, ib, iu, ic), (hw, hb, hu), (ow, ob, ou, oc) = p[:4], p[4:8], p[8:11], p[11:]
    h = c = np.zeros((x.shape[1], 4))
    out = []
    for step in x:
        f = sigmoid(step @ fw.T + fb + h @ fu.T + c * fc)
        i = sigmoid(step @ iw.T + ib + h @ iu.T + c * ic)
        c_new = f * c + i * np.tanh(step @ hw.T + hb + h @ hu.T)
        h = sigmoid(step @ ow.T + ob + h @ ou.T + c_new * oc) * np.tanh(c_new)
        c = c_new
        out.append(h)
    return np.array(out)


def fast_lstm(p: list[Array], x: Array) -> Array:
    w, b, u = p
    h = c = np.zeros((x.shape[1], 4))
    out = []
    for step in x:
        i, g, f, o = np.split(step @ w.T + b + h @ u.T, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        out.append(h)
    return np.array(out)


def gru(p: list[Array], x: Array) -> Array:
    w, b, u, hw, hb, hu = p
    h = np.zeros((x.shape[1], 4))
    out = []
    for step in x:
        r, z = np.split(sigmoid(step @ w.T + b + h @ u.T), 2, axis=1)
        h = (1 - z) * np.tanh(step @ hw.T + hb + (r * h) @ hu.T) + z * h
        out.append(h)
    return np.array(out)


def simple(p: list[Array], x: Array) -> Array:
    start, w, b, u, ub = p
    h = np.tanh(x[0] @ w.T + b + start)
    out = [h]
    for step in x[1:]:
        h = np.tanh(step @ w.T + b + h @ u.T + ub)
        out.append(h)
    return np.array(out)


@pytest.mark.parametrize(
    ("make", "reference"),
    [
        ("nn.LSTM(3, 4)", lstm),
        ("nn.FastLSTM(3, 4)", fast_lstm),
        ("graph_lstm(3, 4)", fast_lstm),
        ("nn.GRU(3, 4)", gru),
        ("nn.Recurrent(4, nn.Linear(3, 4), nn.Linear(4, 4), nn.Tanh())", simple),
    ],
)
def test_outputs_and_the_order_of_parameters(
    runtime: Runtime, make: str, reference: Callable[..., Array]
) -> None:
    runtime.execute(
        f"torch.manualSeed(2) m = nn.Sequencer({make}) x = t(5, 2, 3) y = m:forward(x) p = m:parameters()"
    )
    parameters = [np.array(runtime.eval(f"p[{i + 1}]")) for i in range(int(runtime.eval("#p")))]
    np.testing.assert_allclose(
        np.array(runtime.eval("y")), reference(parameters, np.array(runtime.eval("x")))
    )


def test_initial_draws(runtime: Runtime) -> None:
    """Those of the linear layers inside, in the order in which they are built."""
    runtime.execute("""
        torch.manualSeed(3) m = nn.FastLSTM(3, 4) after = torch.random()
        torch.manualSeed(3) a, b = nn.Linear(3, 16), nn.Linear(4, 16, false) wanted = torch.random()
        same = m.i2g.weight:equal(a.weight) and m.i2g.bias:equal(a.bias) and m.o2g.weight:equal(b.weight)
        torch.manualSeed(3) l = nn.LSTM(3, 4)
        torch.manualSeed(3) a, b, c = nn.Linear(3, 4), nn.Linear(4, 4, false), nn.CMul(4)
        first = l.inputGate:parameters()
        gates = first[1]:equal(a.weight) and first[3]:equal(b.weight) and first[4]:equal(c.weight)
    """)
    assert runtime.eval("same and gates and after == wanted")


@pytest.mark.parametrize(
    "make",
    [
        "nn.LSTM(2, 3)",
        "nn.FastLSTM(2, 3)",
        "nn.GRU(2, 3)",
        "nn.Recurrent(3, nn.Linear(2, 3), nn.Linear(3, 3))",
    ],
)
@pytest.mark.parametrize(
    ("when", "train", "kept"),
    [
        ("both", True, True),
        ("both", False, True),
        ("train", True, True),
        ("train", False, False),
        ("eval", True, False),
        ("eval", False, True),
        ("neither", True, False),
        ("neither", False, False),
    ],
)
def test_states_that_are_remembered(runtime: Runtime, make: str, when: str, train: bool, kept: bool) -> None:
    runtime.execute(f"""
        m, x = nn.Sequencer({make}), t(7, 2, 2)
        if not {str(train).lower()} then m:evaluate() end
        whole = m:forward(x):clone()
        m:forget()
        m:remember('{when}')
        a = m:forward(x:narrow(1, 1, 3)):clone()
        b = m:forward(x:narrow(1, 4, 4)):clone()
        goes_on = torch.cat(a, b, 1):csub(whole):abs():max() == 0
        begins_again = m:forward(x:narrow(1, 1, 3)):equal(a)
    """)
    assert runtime.eval("goes_on") is kept and runtime.eval("begins_again") is not kept


def test_gradients_end_where_a_remembered_sequence_begins(runtime: Runtime) -> None:
    """Truncated backpropagation: against a copy whose first state is that of the sequence before."""
    runtime.execute("""
        m, x, g = nn.Sequencer(nn.FastLSTM(2, 3)):remember(), t(6, 2, 2), t(3, 2, 3)
        c = m:clone()
        for _, net in ipairs{m, c} do net:zeroGradParameters() end
        m:forward(x:narrow(1, 1, 3)) m:backward(x:narrow(1, 1, 3), g) m:zeroGradParameters()
        local state = m.module:getHiddenState()
        c.module:setHiddenState(0, state)
        m:forward(x:narrow(1, 4, 3)) gx = m:backward(x:narrow(1, 4, 3), g):clone()
        c:forward(x:narrow(1, 4, 3)) cx = c:backward(x:narrow(1, 4, 3), g):clone()
        _, a = m:parameters() _, b = c:parameters()
        same = gx:equal(cx) and a[1]:equal(b[1]) and a[3]:equal(b[3])
    """)
    assert runtime.eval("same") is True


def test_parameters_stay_shared_after_getParameters(runtime: Runtime) -> None:
    runtime.execute("""
        m, x = nn.Sequencer(nn.Sequential():add(nn.LSTM(2, 3)):add(nn.Linear(3, 2))), t(4, 2, 2)
        m:forward(x)
        w, g = m:getParameters()
        w:mul(1.5) g:zero()
        y = m:forward(x):clone()
        m:backward(x, y)
        m:evaluate()
        same = m:forward(x):equal(y)
        total = g:norm()
        steps = 0
        for _ in pairs(m.module.sharedClones) do steps = steps + 1 end
    """)
    assert runtime.eval("same") is True and runtime.eval("total") > 0 and runtime.eval("steps") == 4


def test_modules_with_functions_share_their_parameters_too(runtime: Runtime) -> None:
    """Such modules are copied by way of a file elsewhere, which would part the steps."""
    runtime.execute("""
        local inner = nn.Sequential():add(nn.Linear(2, 3)):add(nn.LSTM(3, 2))
        inner.callback = function() return 3 end
        m, x, g = nn.Sequencer(inner), t(3, 2, 2), t(3, 2, 2):cos()
        plain = m:clone()
        m:forward(x) plain.module.module.callback = nil plain:forward(x)
        m:zeroGradParameters() plain:zeroGradParameters()
        same = m:backward(x, g):equal(plain:backward(x, g))
        _, a = m:parameters()
        _, b = plain:parameters()
        for i = 1, #a do same = same and a[i]:equal(b[i]) end
    """)
    assert runtime.eval("same") is True


def test_sequences_of_changing_lengths_and_modes(runtime: Runtime) -> None:
    runtime.execute("""
        m = nn.Sequencer(nn.Sequential():add(nn.GRU(2, 3)):add(nn.FastLSTM(3, 3)))
        fine = true
        for _, length in ipairs{3, 6, 1, 5} do
           m:training()
           local x = t(length, 2, 2)
           local y = m:forward(x):clone()
           local fresh = m:clone()
           fresh:forget()
           m:zeroGradParameters() fresh:zeroGradParameters()
           fresh:forward(x)
           fine = fine and m:backward(x, y):equal(fresh:backward(x, y))
           m:evaluate()
           fine = fine and m:forward(x):equal(y)
        end
    """)
    assert runtime.eval("fine") is True


def test_zeros_start_a_sequence_anew(runtime: Runtime) -> None:
    """Sequences behind each other, with zeros between: each gives what it gives alone."""
    runtime.execute("""
        m = nn.Sequencer(nn.LSTM(2, 3):maskZero(1))
        x = t(5, 2, 2)
        x[3]:zero() x[4][1]:zero()
        y = m:forward(x):clone()
        second = m:forward(x:narrow(1, 4, 2)):clone()
        trimmed = nn.Sequencer(nn.LSTM(2, 3):trimZero(1))
        trimmed:getParameters():copy(m:getParameters())
        same = trimmed:forward(x):csub(y):abs():max()
    """)
    assert runtime.eval("y[3]:abs():max()") == 0 and runtime.eval("y[4][1]:abs():max()") == 0
    assert runtime.eval("y:narrow(1, 4, 2):equal(second)") is True and runtime.eval("same") < 1e-15


def test_states_of_an_encoder_go_into_a_decoder(runtime: Runtime) -> None:
    """Gradients of the whole by finite differences, by both interfaces to states."""
    runtime.execute("""
        encoder, decoder = nn.FastLSTM(2, 3), nn.FastLSTM(2, 3)
        enc, dec = nn.Sequencer(encoder), nn.Sequencer(decoder)
        x, z, g = t(3, 2, 2), t(2, 2, 2):cos(), t(2, 2, 3)
        -- A state that is set stays only where a sequence does not forget the one before.
        dec:remember('both')
        function run()
           enc:forward(x)
           dec:forget()
           decoder.userPrevOutput, decoder.userPrevCell = nil, nil
           decoder:setHiddenState(0, encoder:getHiddenState(3))
           return dec:forward(z):dot(g)
        end
        function old()
           enc:forward(x)
           dec:forget()
           decoder.userPrevOutput = nn.rnn.recursiveCopy(decoder.userPrevOutput, encoder.outputs[3])
           decoder.userPrevCell = nn.rnn.recursiveCopy(decoder.userPrevCell, encoder.cells[3])
           return dec:forward(z):dot(g)
        end
        same = run() == old()
        w, d = enc:getParameters()
        d:zero()
        run()
        dec:backward(z, g)
        encoder:setGradHiddenState(3, decoder:getGradHiddenState(0))
        enc:backward(x, torch.zeros(3, 2, 3))
        new = d:clone()
        worst = 0
        for i = 1, w:size(1) do
           local was = w[i]
           w[i] = was + 1e-6 local up = run()
           w[i] = was - 1e-6 worst = math.max(worst, math.abs((up - run()) / 2e-6 - new[i]))
           w[i] = was
        end
    """)
    assert runtime.eval("same") is True and runtime.eval("worst") < 1e-8


def test_texts(runtime: Runtime) -> None:
    runtime.execute("text = tostring(nn.Recurrent(4, nn.Linear(3, 4), nn.Linear(4, 4), nn.Tanh()))")
    assert runtime.eval("text") == (
        "nn.Recurrent {\n  [{input(t), output(t-1)} -> (1) -> (2) -> (3) -> output(t)]\n"
        "  (1):  {\n    input(t)\n"
        "      |`-> (t==0): nn.Add\n      |`-> (t~=0): nn.Linear(3 -> 4)\n    output(t-1)\n"
        "      |`-> nn.Linear(4 -> 4)\n  }\n  (2): nn.CAddTable\n  (3): nn.Tanh\n}"
    )
    # As the original's, where the second module is not as far in as the third.
    runtime.execute(
        "local function net() return nn.Sequential():add(nn.Linear(4, 4)) end\n"
        "text = tostring(nn.Recurrent(4, net(), net(), net()))"
    )
    lines = "[input -> (1) -> output]", "(1): nn.Linear(4 -> 4)", "}"
    assert runtime.eval("text").split("\n")[5:14] == [
        "      |`-> (t~=0): nn.Sequential {",
        f"    |      {lines[0]}",
        f"    |      {lines[1]}",
        f"    |    {lines[2]}",
        "    output(t-1)",
        "      |`-> nn.Sequential {",
        f"      |      {lines[0]}",
        f"      |      {lines[1]}",
        f"      |    {lines[2]}",
    ]
    assert runtime.eval("tostring(nn.Sequencer(nn.FastLSTM(2, 3)))") == "nn.Sequencer @ nn.FastLSTM(2 -> 3)"
    assert (
        runtime.eval("tostring(nn.Sequencer(nn.Linear(2, 3)))")
        == "nn.Sequencer @ nn.Recursor @ nn.Linear(2 -> 3)"
    )
    assert runtime.eval("tostring(nn.GRU(2, 3))") == "nn.GRU(2 -> 3, 0.00)"


def test_norms_are_stabilized(runtime: Runtime) -> None:
    """The gradient that is added is that of differences of lengths, by finite differences."""
    runtime.execute("""
        m, x = nn.NormStabilizer(0.7), t(3, 2, 4)
        s = nn.Sequencer(m)
        s:forward(x)
        local function loss_of(steps)
           local sum = 0
           for i = 2, 3 do sum = sum + (steps[i]:norm(2, 2) - steps[i - 1]:norm(2, 2)):pow(2):mean() end
           return 0.7 * sum
        end
        loss, found, worst = m:updateLoss(), s:updateGradInput(x, torch.zeros(3, 2, 4)):clone():view(-1), 0
        local flat = x:view(-1)
        for i = 1, 24 do
           local was = flat[i]
           flat[i] = was + 1e-6 local up = loss_of(x)
           flat[i] = was - 1e-6
           worst = math.max(worst, math.abs((up - loss_of(x)) / 2e-6 - found[i]))
           flat[i] = was
        end
    """)
    # The loss that is reported is of sums of lengths, as in the original, and a mean over the steps.
    norms = np.linalg.norm(np.array(runtime.eval("x")), axis=2)
    assert runtime.eval("loss") == pytest.approx(0.7 * ((norms[1:] + norms[:-1]) ** 2).mean(1).sum() / 3)
    assert runtime.eval("worst") < 1e-8


def test_batch_normalization_inside(runtime: Runtime) -> None:
    runtime.execute("""
        nn.FastLSTM.bn = true
        m = nn.Sequencer(nn.FastLSTM(3, 4))
        nn.FastLSTM.bn = false
        failures = checks(function() return m end, t(3, 5, 3), t(2, 4, 3), t(2, 2), {any = true})
        y = m:forward(t(3, 5, 3))
    """)
    assert runtime.eval("#m:findModules('nn.BatchNormalization')") == 3 and runtime.eval("y:size(3)") == 4


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nn.LSTM()", "LSTM: input size must be a number"),
        ("nn.LSTM(2, 3):forward(3)", "input"),
        ("nn.LSTM(2, 3):backward(t(2, 2), t(2, 3))", "backward called before forward"),
        ("nn.LSTM(2, 3):backwardUpdate(t(2, 2), t(2, 3), 1)", "not defined for recurrent modules"),
        ("nn.LSTM(2, 3):getHiddenState(4)", "no state of step 4"),
        ("nn.Sequencer(3)", r"Sequencer: argument 1 must be a module \(got 3\)"),
        ("nn.Sequencer(nn.LSTM(2, 3)):forward(3)", "input must be a tensor or a table of steps"),
        (
            "nn.Sequencer(nn.LSTM(2, 3)):forward(t(4, 2, 5))",
            r"size 2, or batch x 2.*got DoubleTensor \[2x5\]",
        ),
        (
            "nn.Sequencer(nn.LSTM(2, 3)):remember('maybe')",
            r"'both', 'train', 'eval' or 'neither' \(got 'maybe'\)",
        ),
        (
            "local m, x = nn.Sequencer(nn.LSTM(2, 3)), t(4, 2, 2) m:forward(x) m:backward(x, t(3, 2, 3))",
            "gradOutput must be a sequence of 4 steps",
        ),
        ("nn.Recurrent(4, nn.Linear(3, 4))", "argument 3 must be a module"),
        ("nn.Recurrent(4, nn.Linear(3, 4), nn.Linear(4, 4)):maskZero(1)", "use nn.Recurrence"),
        ("nn.Recurrence(nn.Linear(3, 4), {4})", "dimensions of the input"),
        ("nn.MuFuRu(3, 4, {'most'})", "unknown operation 'most'"),
        ("nn.MuFuRu(3, 4, {0 / 0})", "unknown operation nan"),
        ("nn.MaskZero(nn.Linear(3, 2), 1):forward(t(2, 2, 3))", "tensor of 1 or 2 dimensions"),
        ("nn.RecurrentAttention(nn.Linear(2, 2), nn.Linear(2, 2), 3, 2)", "hidden size"),
        ("nn.Repeater(nn.Linear(2, 2), 0)", "number of steps"),
        ("nn.BiSequencerLM(nn.LSTM(2, 2)):forward{t(2, 2)}", "at least 2 steps"),
    ],
)
def test_wrong_calls(runtime: Runtime, source: str, message: str) -> None:
    with pytest.raises(LuaError, match=message):
        runtime.execute(source)


def test_normalized_lstm_draws_its_weights_in_order(runtime: Runtime) -> None:
    """The sums of parameters and the outputs that the original prints."""
    runtime.execute("""
    torch.manualSeed(3)
    nn.FastLSTM.bn = true
    m = nn.FastLSTM(2, 2)
    nn.FastLSTM.bn = false
    sums, out = {}, m:forward(torch.range(1, 6):view(3, 2):sin())
    for i, p in ipairs((m:parameters())) do sums[i] = p:sum() end
    sums, out = torch.Tensor(sums):totable(), out:view(-1):totable()
    """)
    wanted = [-2.0812, -2.3110, 0.8, 0, 0.1725, 0.8, 0, 0.5552, 0.2, 0]
    np.testing.assert_allclose(list(runtime.eval("sums").values()), wanted, atol=6e-5)
    wanted = [-0.075208, 0.071614, 0.042178, -0.051379, 0.040661, -0.027295]
    np.testing.assert_allclose(list(runtime.eval("out").values()), wanted, atol=6e-7)


def test_most_steps_by_default(runtime: Runtime) -> None:
    """The values of the original."""
    made = "nn.Recursor(nn.Linear(2, 2)), nn.Recurrence(nn.Linear(2, 2), 2, 1), nn.LSTM(2, 2)"
    code = f"local t = {{}} for i, m in ipairs{{{made}}} do t[i] = m.rho end return table.concat(t, ' ')"
    assert runtime.execute(code) == "9999999 9999 9999"
