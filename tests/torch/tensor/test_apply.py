"""Functions of programs for each element."""

from __future__ import annotations

from collections.abc import Callable

Lua = Callable[[str], str]


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


def test_bits_that_are_values_of_lua_are_nan_in_every_block(lua: Lua) -> None:
    """Memory that is used again has what was there, such as the bits that LuaJIT stores for true."""
    lua("""
        local ffi, types = require 'ffi', require 'torch.base.types'
        local loops = require('torch.jit.loader').specialise('torch.tensor.apply_loops', types.by_name.Double)
        local apply, map = unpack(loops.contiguous)
        for _, at in ipairs{0, 32767, 32768, 69999} do
           local nans = 0
           local function add(a, b)
              assert(type(a) == 'number' and type(b) == 'number')
              if a ~= a or b ~= b then nans = nans + 1 end
           end
           local zeros, x = ffi.new('double[?]', 70000), ffi.new('double[?]', 70000)
           ffi.cast('uint64_t *', x)[at] = 0xFFFEFFFFFFFFFFFFULL
           map(zeros, x, false, 70000, add)
           map(x, zeros, false, 70000, add)
           apply(x, false, 70000, function(v) return add(v, 0) end)
           assert(nans == 3, nans)
        end
    """)


def test_results_that_are_not_numbers(lua: Lua) -> None:
    """As in Torch7: contiguous tensors were visited in Lua, where the FFI stores true as 1, others in C."""
    source = """
    local function listed(x) return table.concat(x:contiguous():view(-1):totable(), ' ') end
    local ones = torch.ones(4)
    print(listed(torch.range(1, 4):apply(function(v) return v > 2 end)))
    print(listed(torch.Tensor{1, 2, 3, 4}:map(torch.Tensor{4, 3, 2, 1}, function(v, w) return v > w end)))
    print(listed(torch.ByteTensor{1, 2, 3, 4}:map2(torch.ByteTensor{4, 3, 2, 1}, ones:byte(), function(v, w)
       return v > w
    end)))
    print(listed(torch.IntTensor{1, 2}:apply(function() return 5LL end)))
    print(listed(torch.range(1, 4):view(2, 2):t():apply(function(v) if v > 2 then return '7' end end)))
    for _, f in ipairs{function(v) return v > 2 end, function() return 5LL end} do
       print(pcall(torch.Tensor.apply, torch.ones(2, 2):t(), f) == false)
    end
    for _, f in ipairs{function() return '7' end, torch.ones} do
       print((pcall(torch.Tensor.apply, ones, f)))
    end
    """
    assert lua(source).splitlines() == [
        "1 2 1 1", "1 2 1 1", "1 2 1 1", "5 5", "1 7 2 7", "true", "true", "false", "false"
    ]
