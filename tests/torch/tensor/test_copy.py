"""Copies, fills, joined tensors and tensors of tables, in the sizes at which their code takes other paths."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Lua = Callable[[str], str]

SIZES = "{1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 40}"


@pytest.mark.parametrize(
    ("to", "source"),
    [("Double", "Double"), ("Float", "Double"), ("Double", "Float"), ("Int", "Double"), ("Half", "Half"),
     ("Long", "Int"), ("Float", "Long"), ("Byte", "Short")],
)
def test_matrices_of_all_layouts_are_copied(lua: Lua, to: str, source: str) -> None:
    lua(f"""
        local function layouts(T, rows, columns)
           local wide = T(rows + 2, columns + 3):zero()
           return {{
              T(rows, columns):zero(), T(columns, rows):zero():t(), wide:sub(2, rows + 1, 3, columns + 2),
              T(columns + 3, rows + 2):zero():t():sub(2, rows + 1, 3, columns + 2),
              T(rows, columns, 2):zero():select(3, 2), T(rows, 2, columns):zero():select(2, 2),
           }}, wide
        end
        for _, rows in ipairs{SIZES} do
           for _, columns in ipairs{SIZES} do
              local sources = layouts(torch.{source}Tensor, rows, columns)
              for k, x in ipairs(sources) do
                 for i = 1, rows do
                    for j = 1, columns do x[i][j] = (i * 41 + j) % 113 end
                 end
                 local results, wide = layouts(torch.{to}Tensor, rows, columns)
                 for l, r in ipairs(results) do
                    r:copy(x)
                    for i = 1, rows, rows > 9 and 3 or 1 do
                       for j = 1, columns do assert(r[i][j] == (i * 41 + j) % 113, rows .. 'x' .. columns) end
                    end
                 end
                 -- Nothing was written around the part of a larger matrix.
                 assert(wide:double():sum() == x:double():sum())
              end
           end
        end
    """)


@pytest.mark.parametrize(
    ("to", "source"), [("Float", "Double"), ("Double", "Float"), ("Char", "Long"), ("Half", "Int")]
)
def test_vectors_are_converted(lua: Lua, to: str, source: str) -> None:
    lua(f"""
        for n = 1, 70 do
           local x, r = torch.range(1, n):type('torch.{source}Tensor'), torch.{to}Tensor(n + 2):fill(9)
           r:narrow(1, 2, n):copy(x)
           assert(r[1] == 9 and r[n + 2] == 9)
           for i = 1, n do assert(r[i + 1] == i, n) end
        end
    """)


def test_rows_that_are_written_while_they_are_read(lua: Lua) -> None:
    # Element by element, as the original does it where layouts are not contiguous.
    assert lua("""
        local x = torch.range(1, 40):resize(2, 20)
        x:narrow(2, 2, 10):copy(x:narrow(2, 1, 10))
        print(x[1][11], x[2][11], x[1][12])
        local y = torch.range(1, 40):resize(2, 20)
        y:narrow(2, 1, 10):copy(y:narrow(2, 2, 10))
        print(y[1][1], y[1][10], y[2][10])
    """) == "1\t21\t12\n2\t11\t31\n"


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
    assert lua("""
        local r = torch.range(1, 4):resize(2, 2)
        torch.cat(r, r, torch.zeros(2, 1), 2)
        print(r:size(2), r[1][2], r[1][3], r[2][1])
    """) == "3\t2\t0\t3\n"


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
    assert lua("""
        print(torch.Tensor{{1, '2'}, {'0x10', 4}}:sum(), torch.IntTensor{{1.7, -1.7}}[1][2])
        print(torch.Tensor(setmetatable({{1, 2}}, {__index = function() return {3, 4} end})):sum())
    """) == "23\t-1\n3\n"


def test_small_sizes_as_numbers(lua: Lua) -> None:
    assert lua("""
        print(torch.zeros(2.7, 3.2):nElement(), torch.ones(3):sum())
        print(torch.zeros(0):dim(), torch.zeros(2, 0):dim())
        print(torch.ones(2, 3, 'torch.FloatTensor'):sum(), torch.zeros(torch.ones(9), 2, 2):nElement())
    """) == "6\t3\n0\t1\n6\t4\n"


def test_all_orders_of_dimensions(lua: Lua) -> None:
    lua("""
        -- Every element by its indices, for which nothing is copied.
        local function check(r, x)
           if x:dim() == 1 then
              for i = 1, x:size(1) do assert(r[i] == x[i]) end
           else
              for i = 1, x:size(1), x:size(1) > 4 and 3 or 1 do check(r[i], x[i]) end
           end
        end
        for _, sizes in ipairs{
           {2, 3, 4}, {9, 3, 12}, {3, 30, 33}, {2, 3, 4, 5}, {3, 9, 2, 16}, {30, 3, 20, 20}
        } do
           local dims = #sizes
           for first = 1, dims do
              for second = first, dims do
                 local x = torch.FloatTensor(torch.LongStorage(sizes))
                 local n = 0
                 x:apply(function() n = n + 1 return n end)
                 x = x:transpose(first, second):transpose(2, dims)
                 check(x:clone(), x)
                 check(torch.DoubleTensor(x:size()):copy(x), x)
                 local turned = torch.FloatTensor(torch.LongStorage(sizes)):transpose(2, dims)
                 turned:copy(x)
                 check(turned:contiguous():view(-1), x:contiguous():view(-1))
                 check(x:narrow(1, 2, x:size(1) - 1):clone(), x:narrow(1, 2, x:size(1) - 1))
              end
           end
        end
    """)


def test_table_that_holds_itself(lua: Lua) -> None:
    lua("local t = {} t[1] = t assert(select(2, pcall(torch.Tensor, t)):find 'nested at most')")


def test_functions_see_each_element_once_in_order(lua: Lua) -> None:
    lua("""
        for _, n in ipairs{1, 2, 3, 8, 101} do
           local x, seen = torch.range(1, n), {}
           x:apply(function(v) seen[#seen + 1] = v return v * 2 end)
           assert(#seen == n and x:sum() == n * (n + 1))
           for i = 1, n do assert(seen[i] == i) end
           local y, calls = torch.range(1, n), 0
           y:map(x, function(a, b)
              calls = calls + 1
              assert(b == 2 * a)
              if calls < n then return a + b end
           end)
           assert(calls == n and y[n] == n and (n == 1 or y[1] == 3))
        end
    """)
