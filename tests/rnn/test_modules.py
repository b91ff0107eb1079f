"""All modules of rnn: finite differences, sizes, strides, clones, files, types (see nn/layers.lua)."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import Runtime
from tests.runtimes import array

STEPS = "t(4, 2, 3)", "t(2, 3, 3)"
TABLES = "{t(2, 3), t(2, 3):cos(), t(2, 3):sin()}", "{t(3, 3), t(3, 3):cos()}"
ROWS = "t(2, 3)", "t(4, 3)"
ATTENTION = (
    "nn.RecurrentAttention(nn.Sequential():add(nn.ParallelTable():add(nn.Linear(3, 4)):add(nn.Linear(2, 4)))"
    ":add(nn.CAddTable()):add(nn.LSTM(4, 5)), nn.Sequential():add(nn.Linear(5, 2)):add(nn.MulConstant(0)), "
    "3, {5})"
)
PADDED = ("padded", "t(2, 3)", "{any = true, smooth = false}")

MODULES = {
    **{
        f"nn.Sequencer({step})": STEPS
        for step in (
            "nn.LSTM(3, 4)",
            "nn.LSTM(3, 4, nil, false)",
            "nn.FastLSTM(3, 4)",
            "graph_lstm(3, 2)",
            "nn.GRU(3, 4)",
            "nn.MuFuRu(3, 4)",
            "nn.Recurrent(4, nn.Linear(3, 4), nn.Linear(4, 4), nn.Tanh())",
            "nn.Recurrence(nn.Sequential():add(nn.JoinTable(1, 1)):add(nn.Linear(7, 4)), 4, 1)",
            "nn.Sequential():add(nn.LSTM(3, 4)):add(nn.Linear(4, 2)):add(nn.FastLSTM(2, 2))",
            "nn.LSTM(3, 4):maskZero(1)",
            "nn.GRU(3, 4):trimZero(1)",
            "nn.Linear(3, 4)",
            "nn.Sequential():add(nn.Linear(3, 4)):add(nn.NormStabilizer(0))",
        )
    },
    "nn.Sequencer(nn.FastLSTM(3, 4))": TABLES,
    "nn.BiSequencer(nn.LSTM(3, 4), nn.FastLSTM(3, 4))": TABLES,
    "nn.BiSequencer(nn.LSTM(3, 4), nil, nn.CAddTable())": TABLES,
    "nn.BiSequencerLM(nn.LSTM(3, 4), nn.FastLSTM(3, 4))": TABLES,
    "nn.Repeater(nn.Sequential():add(nn.Linear(3, 3)):add(nn.LSTM(3, 4)), 3)": ROWS,
    "nn.SAdd(-1, true)": ROWS,
    "nn.LinearNoBias(3, 2)": (*ROWS, "{}"),
    "nn.SeqReverseSequence(1)": ("t(4, 2, 3)", "t(4, 3)"),
    "nn.SeqReverseSequence(2)": ("t(4, 2, 3)", "t(4, 3)"),
    "nn.MaskZero(nn.Linear(3, 2), 1)": PADDED,
    "nn.TrimZero(nn.Linear(3, 2), 1)": PADDED,
    ATTENTION: ROWS,
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("make", MODULES)
def test_what_holds_for_all_modules(runtime: Runtime, make: str) -> None:
    x, other, *options = MODULES[make]
    runtime.execute(
        f"failures = checks(function() return {make} end, {x}, {other}, t(2, 2, 2, 2, 2), "
        f"{options[0] if options else '{any = true}'})"
    )
    assert runtime.eval("table.concat(failures, '; ')") == ""


def test_operations_of_the_program(runtime: Runtime) -> None:
    """With one function the weights are 1: the output is that of the function."""
    runtime.execute("""
        _operations.negative = nn.Sequential():add(nn.SelectTable(1)):add(nn.MulConstant(-1))
        m = nn.MuFuRu(3, 4, {'negative'})
        first = m:forward(t(2, 3)):clone()
        m.userPrevOutput = t(2, 4)
        m:forget()
        second = m:forward(t(2, 3))
        wanted = -t(2, 4)
        error, gradient, estimate = checkgrad(function(x) return x:dot(x), x * 2 end, t(4))
    """)
    assert not array(runtime, "first").any()
    np.testing.assert_allclose(array(runtime, "second"), array(runtime, "wanted"))
    assert runtime.eval("error") < 1e-6
    np.testing.assert_allclose(array(runtime, "gradient"), array(runtime, "estimate"), atol=1e-6)


@pytest.mark.parametrize("module", ["MaskZero", "TrimZero"])
def test_a_batch_after_a_single_sample(runtime: Runtime, module: str) -> None:
    """The gradient of a batch is not written over that of the decorated module."""
    runtime.execute(f"""
        linear = nn.Linear(3, 2)
        m = nn.{module}(linear, 1)
        single, batch = torch.Tensor{{1, 2, 3}}, torch.Tensor{{{{1, 2, 3}}, {{0, 0, 0}}, {{1, 0, 2}}}}
        for _ = 1, 2 do
           m:backward(single, m:forward(single))
           y = m:forward(batch)
           found = m:backward(batch, torch.ones(3, 2)):clone()
        end
        wanted = linear.weight:sum(1):expand(3, 3):clone()
        wanted[2]:zero()
    """)
    np.testing.assert_allclose(array(runtime, "found"), array(runtime, "wanted"))


def test_a_single_step_has_no_differences_of_lengths(runtime: Runtime) -> None:
    """The original's: lengths are read only where there are two steps; evaluation keeps none."""
    runtime.execute("""
        m = nn.NormStabilizer(0.3)
        m:evaluate()
        x, y = t(2, 3), t(2, 3):cos()
        same = m:forward(x):equal(x) and m:backward(x, y):equal(y)
        m:forward(x)
        failed, message = pcall(function() m:forward(x) m:backward(x, y) end)
    """)
    assert runtime.eval("same") is True
    assert runtime.eval("failed") is False
    assert "the lengths of step" in str(runtime.eval("message"))
