"""Operators that a program reads from and replaces in the tables of a type."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from t7shell.engine.engine import Engine


@pytest.mark.parametrize("table", ["torch.getmetatable('torch.FloatTensor')", "torch.FloatTensor"])
def test_a_replaced_operator_takes_effect_in_compiled_code(table: str) -> None:
    source = f"""
    local x, methods = torch.FloatTensor{{1, 2}}, {table}
    local function sum_of_products()
       local sum = 0
       for i = 1, 300 do sum = sum + (x * 2)[2] end
       return sum
    end
    local before, original = sum_of_products(), methods.__mul
    local calls = 0
    methods.__mul = function(a, b) calls = calls + 1 return original(a, b * 10) end
    local replaced = sum_of_products()
    methods.__mul = original
    return before, replaced, calls, sum_of_products(), calls
    """
    result = Engine().execute(source)
    assert result.ok, result.report()
    assert list(result.values) == [1200, 12000, 300, 1200, 300]


@pytest.mark.parametrize("name", ["__add", "__sub", "__mul", "__div", "__mod", "__unm", "__index", "__add__"])
def test_operators_can_be_read(name: str, lua: Callable[[str], str]) -> None:
    assert lua(f"print(type(torch.getmetatable('torch.DoubleTensor').{name}))") == "function\n"


@pytest.mark.parametrize("name", ["__pow", "__concat", "__lt", "__call", "__pairs"])
def test_operators_that_tensors_lack_are_absent(name: str, lua: Callable[[str], str]) -> None:
    assert lua(f"print(torch.DoubleTensor.{name}, torch.rand(1).{name})") == "nil\tnil\n"


INDEXING = """
local methods = torch.getmetatable('torch.DoubleTensor')
local function total(x)
   local sum = 0
   for i = 1, 200 do sum = sum + x[i] end
   return sum
end
local x = torch.ones(200)
local before = total(x)
local read, write = methods.__index, methods.__newindex
methods.__index = function(t, key)
   if key == 'first' then return read(t, 1) end
   local value = read(t, key)
   return type(key) == 'number' and 10 * value or value
end
methods.__newindex = function(t, key, value)
   if key == 'all' then return t:fill(value) end
   write(t, key, value + 1)
end
local during, first = total(x), x.first
x[1] = 4
local written = x.first
x.all = 2
local filled = x:sum()
methods.__index, methods.__newindex = read, write
x[1] = 5
return table.concat({ before, during, first, written, filled, x[1], total(x), tostring(x.first) }, ' ')
"""


def test_how_elements_are_read_and_written_can_be_replaced() -> None:
    engine = Engine("th")
    assert engine.execute(INDEXING).values == ["200 2000 1 5 400 5 403 nil"]


BY_METHOD = """
torch.{table}.__index__ = function(t, key)
   if key == 'half' then return t[1] / 2, true end
   if type(key) == 'number' then return read(t, key) end
   return false
end
torch.{table}.__newindex__ = function(t, key, value)
   if key == 'half' then
      write(t, 1, 2 * value)
      return true
   end
   return false
end
local x = torch.{table}(2):fill(3)
x.half = 4
return x.half, x[1], x:size() ~= nil, (pcall(function() x.other = 1 end))
"""


@pytest.mark.parametrize("table", ["FloatTensor", "FloatStorage"])
def test_methods_that_answer_whether_they_knew_the_key(table: str) -> None:
    engine = Engine("th")
    keep = f"read, write = torch.{table}.__index__, torch.{table}.__newindex__ "
    assert engine.execute(keep + BY_METHOD.format(table=table)).values == [4, 8, True, False]


def test_the_registry_knows_classes_by_name_and_by_table() -> None:
    source = """
    local registry, C = debug.getregistry(), torch.class('Registered', {})
    local tensors = torch.getmetatable('torch.IntTensor')
    return registry[C], registry.Registered == C, registry[tensors], registry['torch.IntTensor'] == tensors
    """
    assert Engine("th").execute(source).values == ["Registered", True, "torch.IntTensor", True]


def test_the_table_of_a_class_is_its_metatable(fresh_lua: Callable[[str], str]) -> None:
    """Operators that a program sets by rawset take effect, as in Torch7."""
    program = """
    local mt = torch.getmetatable('torch.DoubleTensor')
    print(debug.getmetatable(torch.Tensor(1)) == mt, type(rawget(mt, '__mul')), rawget(mt, '__pow'))
    local x, old = torch.ones(2), rawget(mt, '__mul')
    local function loop()
       local result
       for i = 1, 200 do result = x * 2 end
       return result
    end
    print(loop()[1])
    rawset(mt, '__mul', function(a, b) return 'mine' end)
    print(x * {}, 3 * x, loop())
    rawset(mt, '__mul', old)
    print(loop()[1], pcall(function() return x * {} end))
    rawset(mt, '__pow', function(a, b) return b end)
    mt.__mul__ = function() return 'by name' end
    print(x ^ 7, x * x, pcall(function() return torch.FloatTensor(1) ^ 2 end))"""
    lines = fresh_lua(program).splitlines()
    assert lines[:3] == ["true\tfunction\tnil", "2", "mine\tmine\tmine"]
    assert lines[3].startswith("2\tfalse\t") and "operands must be a torch.DoubleTensor" in lines[3]
    assert lines[4].startswith("7\tby name\tfalse\t") and "have no power operator" in lines[4]
