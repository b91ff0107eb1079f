"""Criterions over sequences, masks of indices, and rnn.recursive*."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import LuaError, Runtime
from tests.runtimes import array


@pytest.mark.parametrize("kind", ["torch.DoubleTensor", "torch.FloatTensor"])
def test_sums_over_steps(runtime: Runtime, kind: str) -> None:
    runtime.execute(f"""
        x, z = t(3, 2, 4):type('{kind}'), t(3, 2, 4):cos():type('{kind}')
        c = nn.SequencerCriterion(nn.MSECriterion()):type('{kind}')
        r = nn.RepeaterCriterion(nn.MSECriterion()):type('{kind}')
        a, ga = c:forward(x, z), c:backward(x, z)
        local xs, zs = {{x[1], x[2], x[3]}}, {{z[1], z[2], z[3]}}
        b, gb = c:forward(xs, zs), c:backward(xs, zs)
        d, gd = r:forward(x, z[1]), r:backward(x, z[1])
        m = nn.SequencerCriterion(nn.MSECriterion(), true):type('{kind}')
        e, ge = m:forward(x, z), m:backward(x, z):clone()
        again = c:clone():forward(x, z)
    """)
    x, z = array(runtime, "x"), array(runtime, "z")
    assert runtime.eval("a") == pytest.approx(((x - z) ** 2).mean((1, 2)).sum(), rel=1e-5)
    assert runtime.eval("b") == runtime.eval("a") == runtime.eval("again")
    assert runtime.eval("d") == pytest.approx(((x - z[:1]) ** 2).mean((1, 2)).sum(), rel=1e-5)
    assert runtime.eval("e") == pytest.approx(runtime.eval("a") / 3)
    np.testing.assert_allclose(array(runtime, "ga"), 2 * (x - z) / 8, rtol=1e-5)
    np.testing.assert_allclose(array(runtime, "gb[2]"), 2 * (x - z)[1] / 8, rtol=1e-5)
    np.testing.assert_allclose(array(runtime, "gd"), 2 * (x - z[:1]) / 8, rtol=1e-5)
    np.testing.assert_allclose(array(runtime, "ge"), 2 * (x - z) / 24, rtol=1e-5)


def test_zeros_do_not_count(runtime: Runtime) -> None:
    runtime.execute("""
        c = nn.MaskZeroCriterion(nn.ClassNLLCriterion(), 1)
        x, z = nn.LogSoftMax():forward(t(4, 3)), torch.Tensor{1, 0, 3, 2}
        x[2]:zero()
        loss, g = c:forward(x, z), c:backward(x, z):clone()
        none, gn = c:forward(torch.zeros(2, 3), z), c:backward(torch.zeros(2, 3), z):clone()
        f = c:clone():float()
        single = f:forward(x:float(), z:float())
    """)
    x = array(runtime, "x")
    assert runtime.eval("loss") == pytest.approx(-(x[0, 0] + x[2, 2] + x[3, 1]) / 3)
    wanted = np.zeros((4, 3))
    wanted[[0, 2, 3], [0, 2, 1]] = -1 / 3
    np.testing.assert_allclose(array(runtime, "g"), wanted)
    assert runtime.eval("none") == 0 and not array(runtime, "gn").any()
    assert runtime.eval("single") == pytest.approx(runtime.eval("loss"), rel=1e-5)


def test_the_index_zero(runtime: Runtime) -> None:
    runtime.execute("""
        m = nn.LookupTableMaskZero(5, 2)
        ids = torch.LongTensor{{0, 5}, {1, 0}}
        y = m:forward(ids):clone()
        m:zeroGradParameters()
        m:backward(ids, torch.ones(2, 2, 2))
        f = m:clone():float():forward(torch.IntTensor{0, 2})
        read = torch.deserialize(torch.serialize(m)):forward(ids)
    """)
    w = array(runtime, "m.weight")
    assert w.shape == (6, 2)
    np.testing.assert_array_equal(array(runtime, "y"), [[[0, 0], w[5]], [w[1], [0, 0]]])
    np.testing.assert_array_equal(
        array(runtime, "m.gradWeight"), [[2, 2], [1, 1], [0, 0], [0, 0], [0, 0], [1, 1]]
    )
    np.testing.assert_allclose(array(runtime, "f"), [[0, 0], w[2]], rtol=1e-6)
    assert runtime.eval("read:equal(y)") is True


def test_nested_tables(runtime: Runtime) -> None:
    runtime.execute("""
        a = {t(2), {t(3)}}
        b = rnn.recursiveCopy(nil, a)
        fine = rnn.recursiveTensorEq(a, b) and not rnn.recursiveTensorEq(a, {t(2), {t(3):mul(2)}})
        b = rnn.recursiveAdd(b, 2, a)
        sum, wanted = rnn.recursiveSum(b), 3 * (t(2):sum() + t(3):sum())
        s = rnn.recursiveSet(nil, a)
        s[1]:fill(7)
        shared = a[1][1] == 7
        empty = rnn.recursiveNew(a)[2][1]:dim()
        kept = rnn.recursiveCopy({t(2), {t(3)}}, {t(4)})   -- Other parts stay, as in the original.
        random = rnn.recursiveNormal(rnn.recursiveCopy(nil, a))
    """)
    assert runtime.eval("fine and shared") is True and runtime.eval("sum") == pytest.approx(
        runtime.eval("wanted")
    )
    assert runtime.eval("empty") == 0 and runtime.eval("#kept") == 2 and runtime.eval("nn.rnn == rnn")


def test_masks_of_programs(runtime: Runtime) -> None:
    """Rows that remain and their places, and rows of zeros, as methods that programs call."""
    runtime.execute("""
        c, x = nn.MaskZeroCriterion(nn.MSECriterion(), 1), t(4, 3)
        local mask = torch.ByteTensor{0, 1, 0, 1}
        rest = c:recursiveMask(nil, {x, {x:select(2, 1)}}, mask)
        back = c:recursiveMaskGradInput(nil, mask, rest[1], x)
        nothing = c:recursiveMask(nil, x, torch.ByteTensor(4):fill(1))
        zeros = c:recursiveMaskGradInput(nil, torch.ByteTensor(4):fill(1), nil, {x})
        cleared = nn.SeqGRU(2, 2):recursiveMask(nil, {x}, mask)
    """)
    x = array(runtime, "x")
    np.testing.assert_array_equal(array(runtime, "rest[1]"), x[[0, 2]])
    np.testing.assert_array_equal(array(runtime, "rest[2][1]"), x[[0, 2], 0])
    kept = x * np.array([[1], [0], [1], [0]])
    np.testing.assert_array_equal(array(runtime, "back"), kept)
    np.testing.assert_array_equal(array(runtime, "cleared[1]"), kept)
    assert runtime.eval("nothing") is None and not array(runtime, "zeros[1]").any()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nn.SequencerCriterion(nn.Linear(2, 2))", "argument 1 must be a criterion"),
        (
            "nn.SequencerCriterion(nn.ModuleCriterion(nn.MSECriterion(), nn.Tanh()))",
            "decorate the SequencerCriterion",
        ),
        (
            "nn.SequencerCriterion(nn.MSECriterion()):forward({t(2)}, {t(2), t(2)})",
            "target must be a sequence of 1",
        ),
        ("nn.MaskZeroCriterion(nn.MSECriterion(), 1):forward(t(2), t(2))", "input must be a batch"),
        (
            "nn.MaskZeroCriterion(nn.MSECriterion(), 1):forward(t(2, 3), t(3, 3))",
            "target must be a tensor of 2 rows",
        ),
        (
            "local m = nn.LookupTableMaskZero(5, 2) m.weight = t(12) m:forward(torch.LongTensor{1})",
            "weight must be a tensor of 2 dimensions",
        ),
        (
            "nn.LookupTableMaskZero(5, 2):forward(torch.LongTensor{6})",
            r"indices must be from 0 to 5 \(got 6 to 6\)",
        ),
        ("rnn.recursiveTensorEq(3, t(2))", "two tensors or two tables"),
    ],
)
def test_wrong_calls(runtime: Runtime, source: str, message: str) -> None:
    with pytest.raises(LuaError, match=message):
        runtime.execute(source)
