"""Dimensions that are counted from the last one, wherever an operation takes a dimension."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime
from t7shell.engine.errors import T7Error
from tests.runtimes import runtime_fixture

TYPES = {"Double": np.float64, "Float": np.float32, "Long": np.int64, "Byte": np.uint8}

# Lua source of x and the dimension `d`, and what NumPy gives for its axis `d`; views have the elements of x.
CALLS: list[tuple[str, Callable[[Any, int], Any]]] = [
    ("x:sum(d)", lambda x, d: x.astype(np.float64).sum(d, keepdims=True)),
    ("x:prod(d)", lambda x, d: x.astype(np.int64).prod(d, keepdims=True)),
    ("(x:max(d))", lambda x, d: x.max(d, keepdims=True)),
    ("select(2, x:min(d))", lambda x, d: x.argmin(d, keepdims=True) + 1),
    ("(x:sort(d))", lambda x, d: np.sort(x, d)),
    ("(x:sort(d, true))", lambda x, d: -np.sort(-x.astype(int), d)),
    ("(x:topk(1, d))", lambda x, d: x.min(d, keepdims=True)),
    ("(x:kthvalue(1, d))", lambda x, d: x.min(d, keepdims=True)),
    ("(x:median(d))", lambda x, d: np.sort(x, d).take([(x.shape[d] - 1) // 2], d)),
    ("x:cumsum(d)", lambda x, d: x.astype(int).cumsum(d)),
    ("x:cumprod(d)", lambda x, d: x.astype(int).cumprod(d)),
    ("torch.cat({x, x}, d)", lambda x, d: np.concatenate([x, x], d)),
    ("torch.cat(x, x, d)", lambda x, d: np.concatenate([x, x], d)),
    ("x:index(d, torch.LongTensor{2, 1})", lambda x, d: x.take([1, 0], d)),
    ("x:gather(d, torch.LongTensor():resize(x:size()):fill(2))", lambda x, d: x.take([1] * x.shape[d], d)),
    ("x:clone():indexFill(d, torch.LongTensor{1}, 9)[1]", lambda x, d: _filled(x, d)[0]),
    ("x:clone():indexAdd(d, torch.LongTensor{2}, x:narrow(d, 1, 1))", lambda x, d: _added(x, d)),
    ("x:select(d, 2)", lambda x, d: x.take(1, d)),
    ("x:narrow(d, 2, 1)", lambda x, d: x.take([1], d)),
    ("x:transpose(d, 1)", lambda x, d: x.swapaxes(d, 0)),
    ("x:transpose(2, d)", lambda x, d: x.swapaxes(1, d)),
    ("x:unfold(d, 2, 1)", lambda x, d: np.lib.stride_tricks.sliding_window_view(x, 2, d)),
    ("x:split(1, d)[2]", lambda x, d: x.take([1], d)),
    ("x:chunk(2, d)[1]", lambda x, d: np.split(x, [(x.shape[d] + 1) // 2], d)[0]),
    ("x:narrow(d, 1, 1):squeeze(d)", lambda x, d: x.take(0, d)),
    ("torch.squeeze(x:narrow(d, 1, 1), d)", lambda x, d: x.take(0, d)),
]
REAL_CALLS: list[tuple[str, Callable[[Any, int], Any]]] = [
    ("x:mean(d)", lambda x, d: x.mean(d, keepdims=True)),
    ("x:std(d)", lambda x, d: x.std(d, keepdims=True, ddof=1)),
    ("x:var(d, true)", lambda x, d: x.var(d, keepdims=True)),
    ("x:norm(2, d)", lambda x, d: np.sqrt((x**2).sum(d, keepdims=True))),
]


def _filled(x: Any, d: int) -> Any:
    x = np.moveaxis(x.copy(), d, 0)
    x[0] = 9
    return np.moveaxis(x, 0, d)


def _added(x: Any, d: int) -> Any:
    x = np.moveaxis(x.copy(), d, 0)
    x[1] += x[0]
    return np.moveaxis(x, 0, d)


runtime = runtime_fixture()


@pytest.mark.parametrize("kind", TYPES)
def test_negative_dimensions_count_from_the_last(runtime: Runtime, kind: str) -> None:
    x = np.random.default_rng(3).integers(1, 4, (2, 3, 4)).astype(TYPES[kind])
    calls = CALLS + (REAL_CALLS if x.dtype.kind == "f" else [])
    for source, expected in calls:
        call = runtime.execute(f"return function(x, d) return {source} end")
        for d in (-1, -2, -3):
            np.testing.assert_allclose(call(x, d), expected(x, d), rtol=1e-5, err_msg=f"{source}, d = {d}")


def test_sizes_and_places_count_from_the_last(runtime: Runtime) -> None:
    x = np.zeros((2, 3, 4, 5, 6))
    ask = runtime.execute("return function(x, d) return x:size(d), x:stride(d) end")
    for d in range(-5, 0):
        assert ask(x, d) == (x.shape[d], x.strides[d] // 8)
    call = runtime.execute("return function(x, d) return x:unsqueeze(d), x:permute(-1, 1, -2, 2, 3) end")
    for d in range(-6, 0):
        assert call(x, d)[0].shape == np.expand_dims(x, d).shape
    assert call(x, -1)[1].shape == (6, 2, 5, 3, 4)


def test_renorm_and_scatter_take_them(runtime: Runtime) -> None:
    for source in ("x:clone():renorm(2, d, 1)", "x:clone():scatter(d, torch.LongTensor(3, 2):fill(1), 7)"):
        call = runtime.execute(f"return function(x, d) return {source} end")
        x = np.arange(6.0).reshape(3, 2)
        assert (call(x, -1) == call(x, 2)).all() and (call(x, -2) == call(x, 1)).all()
        assert (call(x, -1) != call(x, -2)).any()


@pytest.mark.parametrize(
    "source",
    [
        "x:sum(-3)",
        "x:size(-3)",
        "x:select(-3, 1)",
        "x:unsqueeze(-4)",
        "x:permute(-1, -4)",
        "torch.cat({x, x}, -3)",
        "x:permute(-1, 2)",
        "x:sum(0)",
        "x:size(0)",
        "torch.Tensor():sum(-1)",
        "torch.Tensor():unsqueeze(-1)",
    ],
)
def test_dimensions_before_the_first_are_errors(runtime: Runtime, source: str) -> None:
    with pytest.raises(T7Error, match=r"out of range|invalid dimension|given twice"):
        runtime.execute(f"local x = torch.zeros(2, 3) return {source}")


def test_numbers_that_mean_something_already(runtime: Runtime) -> None:
    """cat takes -1 as it did, a cross product none as the first dimension of size 3."""
    assert runtime.execute("return torch.cat({torch.ones(2), torch.ones(2)}, -1)").shape == (4,)
    x, y = np.random.default_rng(1).standard_normal((2, 3, 3))
    crossed = runtime.execute("return function(x, y) return torch.cross(x, y, -1) end")(x, y)
    np.testing.assert_allclose(crossed, np.cross(x, y, axis=0))


def test_torch5_has_none() -> None:
    runtime = Runtime("torch5")
    for source in ("x:sum(-1)", "x:size(-1)", "x:unsqueeze(-1)", "x:permute(-1, 1)", "torch.cat({x, x}, -2)"):
        with pytest.raises(T7Error, match=r"out of range|invalid dimension"):
            runtime.execute(f"local x = torch.zeros(2, 3) return {source}")
