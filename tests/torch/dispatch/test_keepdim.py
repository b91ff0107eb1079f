"""Reductions with and without the dimension that they reduce."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime
from t7shell.engine.errors import T7Error
from tests.runtimes import runtime_fixture

TYPES = {"Double": np.float64, "Float": np.float32, "Long": np.int64, "Byte": np.uint8}


def middle(x: Any, d: int) -> Any:
    return np.sort(x, d).take((x.shape[d] - 1) // 2, d)


# What stands before `keepdim`; NumPy's value; and whether positions come with it.
CALLS: list[tuple[str, str, Callable[[Any, int], Any], bool]] = [
    ("sum", "d", lambda x, d: x.astype(float).sum(d), False),
    ("prod", "d", lambda x, d: x.astype(float).prod(d), False),
    ("max", "d", lambda x, d: x.max(d), True),
    ("min", "d", lambda x, d: x.min(d), True),
    ("median", "d", middle, True),
    ("kthvalue", "2, d", lambda x, d: np.sort(x, d).take(1, d), True),
    ("mode", "d", lambda x, d: x.min(d) if x.shape[d] == 2 else _mode(x, d), True),
]
REAL_CALLS: list[tuple[str, str, Callable[[Any, int], Any], bool]] = [
    ("mean", "d", lambda x, d: x.mean(d), False),
    ("std", "d, false", lambda x, d: x.std(d, ddof=1), False),
    ("var", "d, true", lambda x, d: x.var(d), False),
    ("norm", "2, d", lambda x, d: np.sqrt((x**2).sum(d)), False),
]


def _mode(x: Any, d: int) -> Any:
    def most(row: Any) -> Any:
        values, counts = np.unique(row, return_counts=True)
        return values[counts.argmax()]

    return np.apply_along_axis(most, d, x)


runtime = runtime_fixture()


@pytest.mark.parametrize("kind", TYPES)
def test_keepdim_false_drops_the_dimension(runtime: Runtime, kind: str) -> None:
    x = np.random.default_rng(4).permutation(24).reshape(2, 3, 4).astype(TYPES[kind])
    x[0, :2, 1] = 2
    for name, before, expected, several in CALLS + (REAL_CALLS if x.dtype.kind == "f" else []):
        call = runtime.execute(
            f"""return function(x, d, layout)
                   local kept, kept_at = x:{name}({before}, true)
                   local made, at = x:{name}({before}, false)
                   -- Results given that lie apart, of the sizes there will be.
                   local r = x.new(made:nElement(), 2):select(2, 1)
                   local values = {"torch.LongTensor()" if several else "nil"}
                   if made:dim() == 1 then
                      {f"torch.{name}(r, values, x, {before}, false)" if several else
                       f"torch.{name}(r, x, {before}, false)"}
                   else r = made end
                   return kept, made, r, at or made, kept_at or kept
                end"""
        )
        for array in (x, x.T, x[0], x[:, 1].T):
            for d in range(array.ndim):
                for place in (d + 1, d - array.ndim):
                    kept, made, r, at, kept_at = call(array, place)
                    wanted = expected(array, d)
                    if kind == "Byte" and name == "prod":
                        wanted = array.astype(int).prod(d) % 256
                    assert made.shape == wanted.shape and at.shape == wanted.shape, name
                    assert kept.shape == np.expand_dims(wanted, d).shape, name
                    np.testing.assert_allclose(made, wanted.astype(made.dtype), rtol=1e-5, err_msg=name)
                    assert (np.squeeze(kept, d) == made).all() and (np.squeeze(kept_at, d) == at).all()
                    assert (r == made).all(), name


def test_vectors_keep_one_element(runtime: Runtime) -> None:
    """No tensor has fewer dimensions than one."""
    program = "local x = torch.Tensor{3, 9, 4} return x:sum(1, false), x:max(1, false)"
    sums, best, at = runtime.execute(program)
    assert (sums.tolist(), best.tolist(), at.tolist()) == ([16], [9], [2])


def test_results_are_the_ones_given(runtime: Runtime) -> None:
    program = """
        local x, r, i = torch.range(1, 6):view(2, 3), torch.zeros(2, 3), torch.LongTensor(5)
        local column = r:select(2, 2)
        assert(rawequal(torch.sum(column, x, 2, false), column))
        local best, at = torch.max(r:select(2, 3), i, x, 2, false)
        assert(rawequal(at, i))
        local y = torch.range(1, 6):view(2, 3)
        torch.sum(y, y, 1, false)
        return r, i, y, x:sum(2, false)
    """
    r, i, y, sums = runtime.execute(program)
    assert r.tolist() == [[0, 6, 3], [0, 15, 6]] and i.tolist() == [3, 3] and y.tolist() == [5, 7, 9]
    assert sums.tolist() == [6, 15]


def test_other_kinds_of_tensors(runtime: Runtime) -> None:
    program = """
        require 'cutorch'
        local best, at = torch.CudaTensor{{1, 5}, {7, 2}}:max(2, false)
        return best:type(), best:dim(), at:dim(), torch.HalfTensor(2, 3):fill(1):sum(1, false):size(1)
    """
    assert runtime.execute(program) == ("torch.CudaTensor", 1, 1, 3)


@pytest.mark.parametrize("source", ["x:sum(1, 2)", "x:sum(false)", "x:max(4, false)", "x:sum(1, true, 1)"])
def test_wrong_arguments_are_errors(runtime: Runtime, source: str) -> None:
    with pytest.raises(T7Error, match=r"invalid arguments|out of range"):
        runtime.execute(f"local x = torch.zeros(2, 3) return {source}")


def test_torch5_keeps_all_dimensions() -> None:
    with pytest.raises(T7Error, match="invalid arguments"):
        Runtime("torch5").execute("return torch.Tensor(2, 3):sum(1, false)")
