"""Tensors made from numbers and from other tensors, in the sizes at which their code takes other paths."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Lua = Callable[[str], str]


@pytest.mark.parametrize("name", ["Double", "Float", "Long", "Byte", "Half"])
def test_fills_of_all_lengths(lua: Lua, name: str) -> None:
    lua(f"""
        for _, n in ipairs{{1, 2, 3, 4, 5, 8, 9, 31, 64, 65, 129, 500, 512, 513, 1025, 5000, 300000}} do
           for value = 0, 3, 3 do
              local x = torch.{name}Tensor(n + 2)
              x:fill(7)
              x:narrow(1, 2, n):fill(value)
              assert(x[1] == 7 and x[n + 2] == 7, n)
              local y = x:narrow(1, 2, n):double()
              assert(y:min() == value and y:max() == value, n)
           end
        end
    """)


def test_filling_keeps_the_sign_of_zero(lua: Lua) -> None:
    assert lua("print(1 / torch.Tensor(3):fill(-0.0)[2], 1 / torch.Tensor(3):fill(0)[2])") == "-inf\tinf\n"


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


def test_small_sizes_as_numbers(lua: Lua) -> None:
    assert (
        lua("""
        print(torch.zeros(2.7, 3.2):nElement(), torch.ones(3):sum())
        print(torch.zeros(0):dim(), torch.zeros(2, 0):dim())
        print(torch.ones(2, 3, 'torch.FloatTensor'):sum(), torch.zeros(torch.ones(9), 2, 2):nElement())
    """)
        == "6\t3\n0\t1\n6\t4\n"
    )
