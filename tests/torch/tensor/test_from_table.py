"""Tensors of tables, and tables of tensors."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Lua = Callable[[str], str]


@pytest.mark.parametrize("name", ["Double", "Float", "Long", "Byte", "Half"])
def test_tables_become_tensors_and_tables_again(lua: Lua, name: str) -> None:
    lua(f"""
        local function same(a, b)
           if type(a) ~= 'table' then return a == b end
           if #a ~= #b then return false end
           for i = 1, #a do
              if not same(a[i], b[i]) then return false end
           end
           return true
        end
        for _, sizes in ipairs{{
           {{1}}, {{9}}, {{300}}, {{2, 3}}, {{40, 1}}, {{3, 1, 4}}, {{2, 3, 2, 5}}, {{2, 1, 2, 1, 3}}
        }} do
           local x = torch.{name}Tensor(torch.LongStorage(sizes))
           local n = 0
           x:apply(function() n = n + 1 return n % 100 end)
           local y = torch.{name}Tensor(x:totable())
           assert(y:isContiguous() and y:isSameSizeAs(x) and same(x:totable(), y:totable()))
        end
    """)


def test_numbers_in_tables_may_be_strings(lua: Lua) -> None:
    assert (
        lua("""
        print(torch.Tensor{{1, '2'}, {'0x10', 4}}:sum(), torch.IntTensor{{1.7, -1.7}}[1][2])
        print(torch.Tensor(setmetatable({{1, 2}}, {__index = function() return {3, 4} end})):sum())
    """)
        == "23\t-1\n3\n"
    )


def test_table_that_holds_itself(lua: Lua) -> None:
    lua("local t = {} t[1] = t assert(select(2, pcall(torch.Tensor, t)):find 'nested at most')")
