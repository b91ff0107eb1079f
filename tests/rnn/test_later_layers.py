"""Layers of the later rnn: single steps, their recurrent modules, rows of a table, masks that are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import LuaError, Runtime
from tests.runtimes import array

from .test_sequences import Array, seq_gru, seq_lstm, sigmoid


def lists(lua: Runtime, name: str) -> list[Any]:
    return [array(lua, f"{name}[{i + 1}]") for i in range(int(lua.eval(f"#{name}")))]


def test_one_step_of_an_lstm(runtime: Runtime) -> None:
    runtime.execute(
        "m = nn.StepLSTM(3, 4) x, h, c = t(2, 3), t(2, 4), t(2, 4):mul(0.5) y = m:forward{x, h, c}"
    )
    x, h, c = (array(runtime, name) for name in "xhc")
    gates = np.concatenate([x, h], axis=1) @ array(runtime, "m.weight") + array(runtime, "m.bias")
    i, f, o, g = np.split(gates, 4, axis=1)
    cell = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    output, state = lists(runtime, "y")
    np.testing.assert_allclose(state, cell)
    np.testing.assert_allclose(output, sigmoid(o) * np.tanh(cell))
    # The biases of the forget gate, the second, are 1.
    assert array(runtime, "m.bias").tolist() == [0] * 4 + [1] * 4 + [0] * 8


def test_one_step_of_an_lstm_with_a_projection(runtime: Runtime) -> None:
    runtime.execute("m = nn.StepLSTM(3, 4, 2) x, h, c = t(2, 3), t(2, 2), t(2, 4) y = m:forward{x, h, c}")
    x, h, c = (array(runtime, name) for name in "xhc")
    gates = np.concatenate([x, h], axis=1) @ array(runtime, "m.weight") + array(runtime, "m.bias")
    i, f, o, g = np.split(gates, 4, axis=1)
    cell = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    np.testing.assert_allclose(
        lists(runtime, "y")[0], (sigmoid(o) * np.tanh(cell)) @ array(runtime, "m.weightO")
    )


def test_one_step_of_a_gru(runtime: Runtime) -> None:
    runtime.execute("m = nn.StepGRU(3, 4) x, h = t(2, 3), t(2, 4) y = m:forward{x, h}")
    w, b, x, h = (array(runtime, name) for name in ("m.weight", "m.bias", "x", "h"))
    r, u = np.split(sigmoid(np.concatenate([x, h], axis=1) @ w[:, :8] + b[:8]), 2, axis=1)
    new = np.tanh(np.concatenate([x, r * h], axis=1) @ w[:, 8:] + b[8:])
    np.testing.assert_allclose(array(runtime, "y"), u * h + (1 - u) * new)
    assert array(runtime, "m.bias").tolist() == [0] * 4 + [1] * 4 + [0] * 4


@pytest.mark.parametrize(
    ("make", "input"),
    [
        ("nn.StepLSTM(3, 4)", "{ t(2, 3), t(2, 4), t(2, 4) }"),
        ("nn.StepLSTM(3, 4, 2)", "{ t(2, 3), t(2, 2), t(2, 4) }"),
        ("nn.StepGRU(3, 4)", "{ t(2, 3), t(2, 4) }"),
    ],
)
def test_gradients_of_steps(runtime: Runtime, make: str, input: str) -> None:
    runtime.execute(f"""
        torch.manualSeed(4) m, x = {make}, {input}
        local function sum(y) return torch.isTensor(y) and y:sum() or y[1]:sum() + 2 * y[2]:sum() end
        function ones_of(y)
           if torch.isTensor(y) then return y:clone():fill(1) end
           return {{ y[1]:clone():fill(1), y[2]:clone():fill(2) }}
        end
        m:zeroGradParameters()
        local g, worst = m:backward(x, ones_of(m:forward(x))), 0
        local function compare(values, gradient)
           values, gradient = values:view(-1), gradient:clone():view(-1)
           for i = 1, values:size(1) do
              local kept = values[i]
              values[i] = kept + 1e-5 local above = sum(m:forward(x))
              values[i] = kept - 1e-5 local below = sum(m:forward(x))
              values[i] = kept
              worst = math.max(worst, math.abs((above - below) / 2e-5 - gradient[i]))
           end
        end
        for i = 1, #x do g[i] = g[i]:clone() end
        for i = 1, #x do compare(x[i], g[i]) end
        local p, gp = m:parameters()
        for i = 1, #p do compare(p[i], gp[i]) end
        error_found = worst
    """)
    assert runtime.eval("error_found") < 1e-8


@pytest.mark.parametrize(
    ("make", "reference"),
    [
        ("nn.RecLSTM(3, 4)", lambda w, b, x: seq_lstm(w, b, x)[0]),
        ("nn.RecGRU(3, 4)", seq_gru),
    ],
)
def test_recurrent_modules_of_steps(runtime: Runtime, make: str, reference: Callable[..., Array]) -> None:
    runtime.execute(f"m = {make} x = t(5, 2, 3) y = nn.Sequencer(m):forward(x) p = m:parameters()")
    weight, bias = lists(runtime, "p")
    np.testing.assert_allclose(array(runtime, "y"), reference(weight, bias, array(runtime, "x")))


def test_sequences_become_steps(runtime: Runtime) -> None:
    runtime.execute("""
        x, worst = t(4, 2, 3), 0
        for _, seq in ipairs{ nn.SeqLSTM(3, 2), nn.SeqGRU(3, 2) } do
           local step = torch.type(seq) == 'nn.SeqLSTM' and seq:toRecLSTM() or seq:toRecGRU()
           worst = math.max(worst, (seq:forward(x) - nn.Sequencer(step):forward(x)):abs():max())
        end
    """)
    assert runtime.eval("worst") < 1e-12


def test_a_linear_recurrence(runtime: Runtime) -> None:
    runtime.execute("m = nn.LinearRNN(3, 4) x = t(5, 2, 3) y = nn.Sequencer(m):forward(x) p = m:parameters()")
    (w, b), h, wanted = lists(runtime, "p"), np.zeros((2, 4)), []
    for step in array(runtime, "x"):
        h = sigmoid(np.concatenate([step, h], axis=1) @ w.T + b)
        wanted.append(h)
    np.testing.assert_allclose(array(runtime, "y"), wanted)
    runtime.execute("m = nn.LinearRNN(3, 4, nn.Tanh()) y = m:forward(x[1]) p = m:parameters()")
    w, b = lists(runtime, "p")
    step = array(runtime, "x")[0]
    np.testing.assert_allclose(array(runtime, "y"), np.tanh(step @ w[:, :3].T + b))


def test_a_recurrence_of_rows_of_a_table(runtime: Runtime) -> None:
    runtime.execute("""
        m, x = nn.LookupRNN(5, 4), torch.LongTensor{ { 1, 3 }, { 0, 5 }, { 2, 2 } }
        y = nn.Sequencer(m):forward(x) p = m:parameters()
    """)
    table, w, b = lists(runtime, "p")
    h, wanted = np.zeros((2, 4)), []
    for step in array(runtime, "x").astype(int):
        rows = np.where(
            step[:, None] > 0, table[step], 0
        )  # the first row of the table is that of the index 0
        h = sigmoid(rows + h @ w.T + b)
        wanted.append(h)
    np.testing.assert_allclose(array(runtime, "y"), wanted)


@pytest.mark.parametrize("make", ["nn.RecLSTM(3, 2)", "nn.RecGRU(3, 2)"])
def test_masked_steps_are_zero_and_begin_anew(runtime: Runtime, make: str) -> None:
    runtime.execute(f"""
        m, x = nn.Sequencer({make}:maskZero()), t(3, 2, 3)
        m:setZeroMask(torch.ByteTensor{{ {{ 0, 0 }}, {{ 0, 1 }}, {{ 0, 0 }} }})
        y = m:forward(x):clone()
        m:setZeroMask(false)
        whole, alone = m:forward(x):clone(), m:forward(x:narrow(1, 3, 1)):clone()
    """)
    masked, whole, alone = (array(runtime, name) for name in ("y", "whole", "alone"))
    np.testing.assert_allclose(masked[:, 0], whole[:, 0])
    assert not masked[1, 1].any()
    np.testing.assert_allclose(masked[2, 1], alone[0, 1])


@pytest.mark.parametrize(
    ("make", "text"),
    [
        ("nn.StepLSTM(3, 4)", "nn.StepLSTM(3 -> 4)"),
        ("nn.StepLSTM(3, 4, 2)", "nn.StepLSTM(3 -> 4 -> 2)"),
        ("nn.RecLSTM(3, 4)", "nn.RecLSTM(3 -> 4)"),
        ("nn.RecGRU(3, 4)", "nn.RecGRU(3 -> 4)"),
        ("nn.LinearRNN(3, 4)", "nn.LinearRNN(3 -> 4)"),
        ("nn.LookupRNN(3, 4)", "nn.LookupRNN(3 -> 4)"),
    ],
)
def test_texts(runtime: Runtime, make: str, text: str) -> None:
    assert runtime.eval(f"tostring({make})") == text


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nn.StepLSTM(3, 4):forward(t(2, 3))", "input must be a table"),
        ("nn.StepLSTM(3, 4):forward{t(2, 3), t(2, 5), t(2, 4)}", r"input\[2\] must be a tensor of batch x 4"),
        ("nn.StepGRU(3, 4):forward{t(2, 3), t(3, 4)}", r"input\[2\] must be a tensor of batch x 4"),
        ("nn.StepGRU(3, 4):backward({t(2, 3), t(2, 4)}, t(2, 4))", "backward called before forward"),
        ("nn.StepGRU(3, 4):maskZero():forward{t(2, 3), t(2, 4)}", "setZeroMask before forward"),
        ("nn.RecLSTM(3, 4):forward(t(3))", "input must be a tensor of 2 dimensions"),
        ("nn.LookupRNN(5, 4):forward(torch.LongTensor{6})", "indices must be from 0 to 5"),
    ],
)
def test_wrong_calls(runtime: Runtime, source: str, message: str) -> None:
    with pytest.raises(LuaError, match=message):
        runtime.execute(source)
