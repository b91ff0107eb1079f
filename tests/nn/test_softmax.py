"""SoftMax and LogSoftMax: the same bits for a group alone, in a batch, and on any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import Runtime

SIZES = [
    (5, 1),
    (33, 3),
    (40, 10),
    (20, 15),
    (19, 16),
    (35, 17),
    (9, 33),
    (128, 1000),
    (3, 1025),
    (3, 20000),
    (16, 5, 30, 20),
    (2, 3, 40, 60),
    (2, 7, 1, 3),
    (2, 1, 5, 26),
]


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("type_name", ["Float", "Double"])
@pytest.mark.parametrize("name", ["SoftMax", "LogSoftMax"])
def test_groups_do_not_depend_on_batch_or_threads(
    runtime: Runtime, name: str, type_name: str, size: tuple[int, ...]
) -> None:
    x = np.sin(np.arange(np.prod(size)) * 0.7).reshape(size) * 5
    runtime.globals()["x"], runtime.globals()["g"] = x, np.cos(x * 3)
    runtime.execute(
        f"m = nn.{name}():type('torch.{type_name}Tensor') x, g = x:type(m:type()), g:type(m:type())\n"
        "local threads = torch.getnumthreads()\n"
        "both, alone = {}, {}\n"
        "for _, count in ipairs{1, 2} do torch.setnumthreads(count)\n"
        "both[count] = torch.cat(m:forward(x):clone(), m:backward(x, g), 1) end\n"
        "torch.setnumthreads(threads)\n"
        "for i = 1, x:size(1) do alone[i] = m:forward(x[i]):clone() end\n"
        "for i = 1, x:size(1) do m:forward(x[i]) alone[x:size(1) + i] = m:backward(x[i], g[i]):clone() end"
    )
    outputs = np.array(runtime.eval("both[1]"))
    np.testing.assert_array_equal(outputs, np.array(runtime.eval("both[2]")))
    for i in range(2 * size[0]):
        np.testing.assert_array_equal(outputs[i], np.array(runtime.eval(f"alone[{i + 1}]")))
    shifted = np.exp(x - x.max(axis=1, keepdims=True))
    expected = shifted / shifted.sum(axis=1, keepdims=True)
    expected = np.log(expected) if name == "LogSoftMax" else expected
    rtol, atol = (3e-5, 2e-7) if type_name == "Float" else (1e-12, 1e-15)
    np.testing.assert_allclose(outputs[: size[0]], expected, rtol, atol)


@pytest.mark.parametrize("count", [50, 2048, 5000])
@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf, -200.0, -90.0, 3e38])
@pytest.mark.parametrize("type_name", ["Float", "Double"])
def test_rows_of_extreme_elements(runtime: Runtime, type_name: str, special: float, count: int) -> None:
    dtype = np.float32 if type_name == "Float" else np.float64
    ordinary = np.sin(np.arange(count) * 0.7).astype(dtype)
    one, many, every = ordinary.copy(), ordinary.copy(), np.full(count, special, dtype)
    one[count // 3], many[: count // 2] = special, special
    x = np.stack([ordinary, one, many, every])
    runtime.globals()["x"] = x
    for name in ("SoftMax", "LogSoftMax"):
        runtime.execute(
            f"m = nn.{name}():type(x:type()) y = m:forward(x):clone() g = m:backward(x, x):clone()\n"
            "alone = m:forward(x[1]):clone()"
        )
        with np.errstate(all="ignore"):
            wide = x.astype(np.float64)
            shifted = wide - wide.max(axis=1, keepdims=True)
            sums = np.exp(shifted).sum(axis=1, keepdims=True)
            expected = np.exp(shifted) / sums if name == "SoftMax" else shifted - np.log(sums)
            if name == "LogSoftMax" and dtype is np.float64:
                # As Torch7 rounds: the logarithm is lost beside 3e38.
                expected = wide - (wide.max(axis=1, keepdims=True) + np.log(sums))
        rtol = 2e-5 if dtype is np.float32 else 1e-11
        expected = expected.astype(dtype).astype(np.float64)
        np.testing.assert_allclose(np.array(runtime.eval("y")), expected, rtol, 1e-37)
        # Rows beside it change no bit of a row.
        np.testing.assert_array_equal(np.array(runtime.eval("y"))[0], np.array(runtime.eval("alone")))


@pytest.mark.parametrize("name", ["SoftMax", "LogSoftMax", "SpatialSoftMax", "SpatialLogSoftMax"])
@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf, -800.0, 700.0])
@pytest.mark.parametrize("type_name", ["Float", "Double"])
def test_columns_and_short_rows_of_extreme_elements(
    runtime: Runtime, type_name: str, special: float, name: str
) -> None:
    dtype = np.float32 if type_name == "Float" else np.float64
    x = np.sin(np.arange(2 * 5 * 3 * 7) * 0.7).astype(dtype).astype(float).reshape(2, 5, 3, 7)
    x[0, 1, 2, 3], x[1, :, 0, 0] = special, special
    if "Spatial" not in name:
        x = x.transpose(0, 2, 3, 1).reshape(-1, 5).copy()
    runtime.globals()["x"] = x
    runtime.execute(
        f"m = nn.{name}():type('torch.{type_name}Tensor') y = m:forward(x:type(m:type())):double()\n"
        "-- The elements lie apart in memory.\n"
        "local t = x:type(m:type()):transpose(1, 2):contiguous():transpose(1, 2)\n"
        "assert(not t:isContiguous()) apart = m:forward(t):double()"
    )
    with np.errstate(all="ignore"):
        shifted = x - x.max(axis=1, keepdims=True)
        sums = np.exp(shifted).sum(axis=1, keepdims=True)
        expected = shifted - np.log(sums) if "Log" in name else np.exp(shifted) / sums
    rtol = 1e-5 if type_name == "Float" else 1e-12
    np.testing.assert_allclose(
        np.array(runtime.eval("y")), expected, rtol, 1e-7 if type_name == "Float" else 0
    )
    np.testing.assert_array_equal(np.array(runtime.eval("apart")), np.array(runtime.eval("y")))


def test_float_probabilities_beside_doubles(runtime: Runtime) -> None:
    x = np.linspace(-80, 0, 3001, dtype=np.float32)
    runtime.globals()["x"] = x
    runtime.execute(
        "m = nn.LogSoftMax():float() y = m:forward(x):clone() g = m:backward(x, x:clone():fill(1)):clone()"
    )
    wide = x.astype(np.float64)
    log_sum = np.log(np.exp(wide).sum())
    np.testing.assert_allclose(np.array(runtime.eval("y")), wide - log_sum, 1e-6)
    y = np.array(runtime.eval("y")).astype(np.float64)
    np.testing.assert_allclose(np.array(runtime.eval("g")), 1 - 3001 * np.exp(y), 1e-5, 1e-6)


@pytest.mark.parametrize("type_name, tolerance", [("Float", 2e-6), ("Double", 1e-14)])
def test_logarithms_of_sums_with_one_are_precise(runtime: Runtime, type_name: str, tolerance: float) -> None:
    """SoftPlus where exp(x) is far below the precision of 1, and where it overflows; LogSigmoid as Torch7
    rounds it, 0 where 1 + exp(-x) rounds to 1."""
    x = np.linspace(-80, 800, 8801)
    runtime.globals()["x"] = x
    runtime.execute(f"x = x:type('torch.{type_name}Tensor')")
    own = np.array(runtime.eval("x"))
    wide = own.astype(np.longdouble)
    rounded = (1 + np.exp(-np.abs(own))).astype(np.longdouble)
    for name, wanted in (
        ("SoftPlus", np.where(wide > 20, wide, np.log1p(np.exp(np.minimum(wide, 40))))),
        ("LogSigmoid", -(np.maximum(-wide, 0) + np.log(rounded))),
    ):
        got = np.array(runtime.eval(f"nn.{name}():type(x:type()):forward(x)"))
        np.testing.assert_allclose(got, wanted.astype(float), rtol=tolerance, atol=1e-44)
    edges = runtime.eval(
        f"nn.SoftPlus():type(x:type()):forward(torch.{type_name}Tensor{{0 / 0, 1 / 0, -1 / 0}})"
    )
    np.testing.assert_array_equal(np.array(edges), [np.nan, np.inf, 0])


@pytest.mark.parametrize("type_name", ["Float", "Double"])
def test_soft_plus_has_any_threshold(runtime: Runtime, type_name: str) -> None:
    """What Torch7 printed: beyond 40 the function rounds to the identity, below the threshold as well."""
    runtime.execute(
        f"m = nn.SoftPlus():type('torch.{type_name}Tensor') m.threshold = 100\n"
        f"y = m:forward(torch.{type_name}Tensor{{50, 90, 30, 120, 41, 39}})"
    )
    np.testing.assert_allclose(np.array(runtime.eval("y")), [50, 90, 30, 120, 41, 39], 1e-13)


def test_gradients_of_floats_near_certainty_are_those_of_doubles(runtime: Runtime) -> None:
    """Torch7 computes them in doubles: probabilities of nearly 1 cancel against the sum."""
    for repeats in (1, 9):
        p = np.tile([[1 - 1e-4, 1e-4, 1e-9], [1e-7, 1 - 1e-6, 9e-7]], (repeats, repeats))
        y, g = np.log(p).astype(np.float32), np.tile([[-1, 0, 0], [0, -1, 0]], (repeats, repeats))
        runtime.globals()["y"], runtime.globals()["g"] = y, g.astype(np.float32)
        runtime.execute(
            "m = nn.LogSoftMax():float() m.output = y r = m:updateGradInput(y, g)\n"
            "m = nn.SoftMax():float() m.output = torch.exp(y) s = m:updateGradInput(y, g)"
        )
        expected = g + repeats * np.exp(y.astype(np.float64))
        np.testing.assert_allclose(np.array(runtime.eval("r")), expected, 1e-6)
        p = np.array(runtime.eval("torch.exp(y)")).astype(np.float64)
        expected = p * (g - (p * g).sum(axis=1, keepdims=True))
        np.testing.assert_allclose(np.array(runtime.eval("s")), expected, 1e-6)
