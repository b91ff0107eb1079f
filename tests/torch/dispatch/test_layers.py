"""Layers: operations, methods and operators that were made, called and compiled are made anew."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from t7shell.engine.engine import Engine
from tests.lua_output import printer

Run = Callable[[str], str]

# A layer that notes what is called through it.
NOTING = """
layers = require 'torch.dispatch.layers'
calls = {}
local function noting(text)
   return function(f, T, what)
      local name = type(what) == 'table' and what[1] or what
      if name == '__index' or text == 'method' and name ~= 'narrow' and name ~= 'expand' then return f end
      return function(...)
         calls[#calls + 1] = text .. ' ' .. T.name .. ' ' .. name
         return f(...)
      end
   end
end
layer = { order = 2, entry = noting 'entry', kernel = noting 'kernel', method = noting 'method',
   operator = noting 'operator' }
function noted() local text = table.concat(calls, ', ') calls = {} return text end
x = torch.Tensor{1, 2}
"""


@pytest.fixture
def run() -> Run:
    lua = printer(Engine())
    assert lua(NOTING) == ""
    return lua


CALLS = [
    ("torch.add(x, 1)", "entry Double add, kernel Double add"),
    ("x:cmul(x)", "entry Double cmul, kernel Double cmul"),
    ("x.torch.cdiv(x, x)", "entry Double cdiv, kernel Double cdiv"),
    ("x:narrow(1, 1, 1)", "method Double narrow"),
    ("local y = x + x", "operator Double __add, entry Double add, kernel Double add"),
    ("x:__add__(x)", "operator Double __add, entry Double add, kernel Double add"),
    ("x[1] = 5", "operator Double __newindex"),
    ("torch.expand(x, 2)", "method Double expand"),
    ("torch.cmul(torch.HalfTensor{1}, torch.HalfTensor{2})", "entry Half cmul, kernel Float cmul"),
]


@pytest.mark.parametrize(("call", "expected"), CALLS)
@pytest.mark.parametrize("before", [False, True])
def test_calls_go_through_a_layer(run: Run, call: str, expected: str, before: bool) -> None:
    """Whether a layer comes before or after a call is made for the first time, and after it was compiled."""
    if before:
        assert run(f"for i = 1, 200 do {call} end") == ""
    assert run(f"layers.add(layer) noted() {call} print(noted())") == f"{expected}\n"
    assert run(f"layers.remove(layer) noted() for i = 1, 200 do {call} end print(noted())") == "\n"


def test_the_lowest_order_is_the_nearest(run: Run) -> None:
    source = """
    local list = {}
    local function of(order)
       local function entry(f) return function(...) list[#list + 1] = order return f(...) end end
       return { order = order, entry = entry }
    end
    local outer, inner = of(7), of(1)
    layers.add(outer) layers.add(inner) layers.add(inner)
    torch.add(x, 1)
    print(table.concat(list, ' '), layers.has(inner), layers.has(layer))
    """
    assert run(source) == "7 1\ttrue\tfalse\n"


def test_what_a_program_defined_stays(run: Run) -> None:
    source = """
    torch.DoubleTensor.narrow = function() return 'narrow' end
    torch.DoubleTensor.add = function() return 'add' end
    torch.DoubleTensor.sum_again = x.sum
    torch.DoubleTensor.__mul = function() return 'mul' end
    print(x:narrow(), x:add(), x:sum_again(), x * x)
    layers.add(layer)
    print(x:narrow(), x:add(), x:sum_again(), x * x)
    layers.remove(layer)
    print(x:narrow(), x:add(), x:sum_again(), x * x, noted())
    """
    assert run(source) == "narrow\tadd\t3\tmul\n" * 2 + "narrow\tadd\t3\tmul\t\n"


def test_tables_that_programs_look_into_keep_their_names(run: Run) -> None:
    source = """
    local methods = getmetatable(x)
    x:csub(1)
    local function names()
       local list = {}
       for name in pairs(methods) do list[#list + 1] = tostring(name) end
       table.sort(list)
       return table.concat(list, ' ')
    end
    local before = names()
    layers.add(layer)
    print(names() == before)
    noted() methods.csub(x, 1) print(noted())
    noted() print((x * x), noted())
    layers.remove(layer)
    noted() methods.csub(x, 1) print(names() == before, noted())
    """
    assert run(source) == (
        "true\nentry Double csub, kernel Double csub\n"
        "1\toperator Double __mul, entry Double dot, kernel Double dot\ntrue\t\n"
    )


def test_a_function_that_was_kept_stays_what_it_was(run: Run) -> None:
    source = """
    local add, method = torch.add, x.add
    layers.add(layer)
    add(x, 1) print(noted())
    method(x, 1) print(noted())
    """
    assert run(source) == "entry Double add, kernel Double add\n\n"


def test_switches_need_no_memory(run: Run) -> None:
    source = """
    local function switch() layers.add(layer) x:add(x) layers.remove(layer) x:add(x) end
    for i = 1, 20 do switch() end
    collectgarbage() collectgarbage()
    local before = collectgarbage('count')
    for i = 1, 100 do switch() calls = {} end
    collectgarbage() collectgarbage()
    print(collectgarbage('count') - before < 100)
    """
    assert run(source) == "true\n"


def test_a_method_that_was_kept_is_made_once(run: Run) -> None:
    """What stands for a method in the table of a class until it is used may be kept, and called again."""
    source = """
    local made = 0
    layers.add { order = 1, entry = function(f, T, row)
       if row[1] == 'addmm' and T.name == 'Float' then made = made + 1 end
       return f
    end }
    local addmm = torch.getmetatable('torch.FloatTensor').addmm
    local m = torch.FloatTensor { { 2 } }
    for i = 1, 3 do m = addmm(m, m, m) end
    print(m[1][1], made)
    """
    # 2 + 2 x 2 = 6, 6 + 36 = 42, 42 + 42 x 42 = 1806
    assert run(source) == "1806\t1\n"
