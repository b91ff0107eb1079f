"""Joining tensors along a dimension, and along a new one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from t7shell import Runtime
from t7shell.engine.engine import Engine

Lua = Callable[[str], str]


@pytest.mark.parametrize("sizes", ["{4}", "{3, 5}", "{2, 3, 4}", "{2, 1, 3, 9}"])
def test_joined_tensors_follow_each_other(lua: Lua, sizes: str) -> None:
    lua(f"""
        local sizes = {sizes}
        for dim = 1, #sizes do
           for layout = 1, 2 do
              local parts, at = {{}}, 0
              for k = 1, 5 do
                 local own = torch.LongStorage(sizes)
                 own[dim] = k
                 parts[k] = torch.rand(own)
                 if layout == 2 and k > 2 then
                    parts[k] = parts[k]:transpose(1, #sizes):contiguous():transpose(1, #sizes)
                 end
              end
              table.insert(parts, 2, torch.Tensor())
              local r = layout == 2 and torch.rand(3) or torch.Tensor()
              torch.cat(r, parts, dim)
              assert(r:size(dim) == 15)
              for _, part in ipairs(parts) do
                 if part:dim() > 0 then
                    assert(r:narrow(dim, at + 1, part:size(dim)):equal(part))
                    at = at + part:size(dim)
                 end
              end
           end
        end
    """)


def test_a_part_may_be_the_result(lua: Lua) -> None:
    assert (
        lua("""
        local r = torch.range(1, 4):resize(2, 2)
        torch.cat(r, r, torch.zeros(2, 1), 2)
        print(r:size(2), r[1][2], r[1][3], r[2][1])
    """)
        == "3\t2\t0\t3\n"
    )


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, np.uint8])
@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 3, 4), (2, 1, 3, 2, 2)])
def test_stack_follows_numpy(kind: type, shape: tuple[int, ...]) -> None:
    runtime = Runtime()
    stack = runtime.execute("return function(x, y, z, d) return torch.stack({x, y, z}, d) end")
    pair = runtime.execute("return function(x, y, d) return torch.stack(x, y, d), x:stack(y, d) end")
    x, y, z = np.random.default_rng(2).integers(0, 99, (3, *shape)).astype(kind)
    y = np.ascontiguousarray(y.T).T
    for d in range(-len(shape) - 1, len(shape) + 1):
        place = d if d < 0 else d + 1
        made = stack(x, y, z, place)
        assert made.dtype == kind and (made == np.stack([x, y, z], d)).all()
        assert all((two == np.stack([x, y], d)).all() for two in pair(x, y, place))


def test_stack_into_a_part_of_it(lua: Lua) -> None:
    program = """
        local x, r = torch.Tensor{1, 2}, torch.zeros(2)
        print(torch.stack(r, {r, x})[2][1], r:size(1), r:dim())
        print(torch.stack({x}):dim(), torch.stack({x, x}):sum())
    """
    assert lua(program) == "1\t2\t2\n2\t6\n"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("torch.stack({})", "must hold tensors with elements"),
        ("torch.stack({torch.ones(2), torch.Tensor()})", "must hold tensors with elements"),
        ("torch.stack({torch.ones(2), torch.ones(3)})", "inconsistent tensor sizes: [2] and [3]"),
        ("torch.stack({torch.ones(2), torch.ones(2, 1)})", "inconsistent tensor sizes: [2] and [2x1]"),
        ("torch.stack({torch.ones(2)}, 3)", "position 3 out of range 1 to 2"),
        ("torch.stack({torch.ones(2)}, -3)", "position -3 out of range 1 to 2"),
        ("torch.stack({torch.ones(2), torch.LongTensor(2)})", "tensor 2 must be a torch.DoubleTensor"),
        ("torch.stack(3)", "stack: invalid arguments"),
    ],
)
def test_what_cannot_be_stacked(engine: Engine, source: str, message: str) -> None:
    result = engine.execute(source)
    assert not result.ok and message in result.report()


def test_pairs_of_large_tensors() -> None:
    runtime = Runtime()
    x, y = np.random.default_rng(1).random((2, 300, 10, 200)).astype("float32")
    runtime.globals()["x"], runtime.globals()["y"] = x, y
    for dim in range(3):
        got = runtime.execute(f"""
           local r = torch.FloatTensor()
           torch.cat(r, x:clone(), y, {dim + 1})
           return r, torch.cat(x:transpose(1, 3), y:transpose(1, 3), {3 - dim}),
              torch.cat({{x, y, x}}, {dim + 1})""")
        plain, turned, three = (np.asarray(value) for value in got)
        np.testing.assert_array_equal(plain, np.concatenate([x, y], dim))
        np.testing.assert_array_equal(turned.swapaxes(0, 2), np.concatenate([x, y], dim))
        np.testing.assert_array_equal(three, np.concatenate([x, y, x], dim))
