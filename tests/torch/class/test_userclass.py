"""torch.class and what belongs to it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from t7shell.engine.engine import Engine

from ...conftest import Run

Lua = Callable[[str], str]


def test_operators_are_inherited_and_may_come_late(lua: Lua) -> None:
    printed = lua("""
        local A = torch.class('TcA')
        local B = torch.class('TcB', 'TcA')
        local x, y = TcB(), TcB()
        function A.__add__(a, b) return 'add' end
        function A.__lt__(a, b) return true end
        function A.__eq__(a, b) return true end
        function A.__call__(self, k) return k * 2 end
        function A.__unm__() return 'minus' end
        function A.__tostring__() return 'shown' end
        print(x + 1, 1 + x, x < y, x <= y, x == y, x(21), -x, tostring(x))
    """)
    assert printed.split() == ["add", "add", "true", "false", "true", "42", "minus", "shown"]


def test_unary_operators_pass_their_operand_twice(lua: Lua) -> None:
    """As luaT did, whose metamethods called the method with all that LuaJIT gave them."""
    printed = lua("""
        local A = torch.class('TcTwice')
        local x = TcTwice()
        local function operands(...) return select('#', ...) + (select(2, ...) == x and 0.5 or 0) end
        A.__len__, A.__unm__ = operands, operands
        function A.__tostring__(...) return tostring(select('#', ...)) end
        print(#x, -x, tostring(x))
    """)
    assert printed == "2.5\t2.5\t1\n"


def test_index_and_newindex_of_a_parent_reach_objects_that_exist(lua: Lua) -> None:
    printed = lua("""
        local A = torch.class('TcC')
        local B = torch.class('TcD', 'TcC')
        function B:f() return 'method' end
        local x = TcD()
        x.plain = 1
        function A:__index__(key)
           if key == 'null' then return nil, true end
           if type(key) == 'number' then return key + 1, true end
           return false
        end
        function A:__newindex__(key, value)
           if key ~= 'odd' then return false end
           rawset(self, 'seen', value)
           return true
        end
        x.odd, x.even = 5, 6
        print(x[1], x.plain, x:f(), x.other, x.null, x.seen, rawget(x, 'odd'), x.even)
    """)
    assert printed.split() == ["2", "1", "method", "nil", "nil", "5", "nil", "6"]


def test_indexing_of_plain_classes_costs_no_call(lua: Lua) -> None:
    lua("""
        local A = torch.class('TcE')
        local B = torch.class('TcF', 'TcE')
        assert(debug.getmetatable(TcF()).__index == B and debug.getmetatable(TcF()).__newindex == nil)
    """)


def test_a_class_that_is_defined_again_is_the_same_class(lua: Lua) -> None:
    printed = lua("""
        local A = torch.class('TcG')
        function A:f() return 'old' end
        local x = TcG()
        local again = torch.class('TcG')
        function again:f() return 'new' end
        print(A == again, x:f(), torch.isTypeOf(x, TcG))
    """)
    assert printed.split() == ["true", "new", "true"]


def test_names_in_packages(lua: Lua) -> None:
    printed = lua("""
        tcpackage = { inner = {} }
        torch.class('tcpackage.inner.A')
        local mine = {}
        local B, parent = torch.class('tcpackage.B', 'tcpackage.inner.A', mine)
        print(tcpackage.inner.A ~= nil, tcpackage.B, mine.B ~= nil, parent.__typename,
           getmetatable(B) == parent)
        print(getmetatable(mine.B) == B, getmetatable(mine.B()) == B, torch.typename(mine.B))
        print(torch.getconstructortable('tcpackage.B') == mine.B, torch.version(mine.B()))
    """)
    assert printed.splitlines() == ["true\tnil\ttrue\ttcpackage.inner.A\ttrue", "true\ttrue", "true\t1"]


def test_factories_and_metatables(lua: Lua) -> None:
    printed = lua("""
        local function factory() return 'empty' end
        torch.newmetatable('TcH', nil, function(v) return 'made ' .. v end, nil, factory)
        print(TcH(1), torch.factory('TcH')(), torch.factory('torch.FloatTensor')():dim())
        torch.class('TcI', 'TcH')
        local object = torch.factory('TcI')()
        print(torch.type(torch.setmetatable({}, 'TcI')), torch.isTypeOf(object, 'Tc[GH]'))
    """)
    assert printed == "made 1\tempty\t0\nstring\ttrue\n"


def test_c_types_can_have_a_class(lua: Lua) -> None:
    printed = lua("""
        local ffi = require 'ffi'
        ffi.cdef 'typedef struct { double v; } tc_point;'
        local P = torch.class('TcPoint')
        torch.metatype('TcPoint', 'tc_point')
        function P.twice(p) return 2 * p.v end
        local p = ffi.new('tc_point', 4)
        print(torch.type(p), p:twice(), torch.isTypeOf(p, 'TcPoint'), type(p))
    """)
    assert printed.split() == ["TcPoint", "8", "true", "userdata"]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("torch.class('no_such_package.A')", "no_such_package"),
        ("torch.class('TcJ', 'TcNone')", "TcNone"),
        ("torch.class('TcK') local x = TcK() + 1", "__add__ is not defined for TcK and number"),
        ("torch.class('TcL') TcL()()", "__call__ is not defined for TcL"),
        ("torch.setmetatable({}, 'TcNone')", "TcNone"),
        ("torch.isTypeOf({}, 3)", "(got 3)"),
        ("torch.isTypeOf(torch.Timer(), '%')", "isTypeOf: argument 2 must be a Lua pattern (got '%'"),
        ("torch.isTypeOf(torch.Timer(), 't%')", "isTypeOf: argument 2 must be a Lua pattern (got 't%'"),
        ("torch.pushudata({}, 'torch.Timer')", "must be a torch.Timer (got table)"),
    ],
)
def test_errors_say_what_is_wrong(engine: Engine, source: str, words: str) -> None:
    result = engine.execute(source, "=test")
    assert not result.ok
    assert words in result.message
    assert result.message.startswith("test:1:")


def test_timers(lua: Lua) -> None:
    printed = lua("""
        local before = torch.tic()
        local t = torch.Timer()
        local start = torch.tic()
        repeat until torch.toc(start) > 0.02
        local a = t:stop():time()
        local b, stopped = t:time(), torch.tic()
        print(a.real >= 0.02, a.real < 5, a.real == b.real, a.user + a.sys > 0)
        repeat until torch.toc(stopped) > 0.01
        print(t:resume():time().real < torch.toc(before) - 0.009, t:reset():time().real < a.real, t)
        print(torch.tic() > 1.7e9)
    """)
    assert printed.splitlines()[0] == "true\ttrue\ttrue\ttrue"
    assert printed.splitlines()[1] == "true\ttrue\ttorch.Timer [status: running]"
    assert printed.splitlines()[2] == "true"


def test_include_is_relative_to_the_file(t7: Callable[..., object], tmp_path: object) -> None:
    (tmp_path / "part.lua").write_text("return 'part'")  # type: ignore[operator]
    main = tmp_path / "main.lua"  # type: ignore[operator]
    main.write_text("print(include 'part.lua', torch.packageLuaPath('torch'):match('torch$'))")
    assert t7(str(main), cwd="/").stdout == "part\ttorch\n"  # type: ignore[attr-defined]


def test_functions_of_lua_52_that_scripts_use(lua: Lua) -> None:
    assert lua("print(table.pack(1, nil).n, ('ab'):gfind('b')(), table.unpack({4, 5}))") == "2\tb\t4\t5\n"


@pytest.mark.parametrize(
    ("object_", "spec", "expected"),
    [
        ("torch.Tensor()", "'torch%.Double'", True),
        ("torch.Tensor()", "'Do.ble'", True),
        ("torch.Tensor()", "'torch.Double'", False),
        ("torch.Tensor()", "'Tensor'", False),
        ("torch.FloatTensor", "'torch.FloatTensor'", True),
        ("torch.FloatTensor", "torch.DoubleTensor", False),
    ],
)
def test_is_type_of(lua: Lua, object_: str, spec: str, expected: bool) -> None:
    """A pattern may match a part of the name, a plain word has to be the whole; constructor tables count."""
    assert lua(f"print(torch.isTypeOf({object_}, {spec}))") == f"{str(expected).lower()}\n"


def test_methods_and_operators_of_tensors_can_be_replaced(lua: Lua) -> None:
    source = """
    local metatable, x = torch.getmetatable('torch.ShortTensor'), torch.ShortTensor{3}
    local function loop()
       local result
       for i = 1, 200 do result = x + x end
       return type(result) == 'string' and result or result[1]
    end
    rawset(metatable, 'foo', function() return 'foo' end)
    print(x:foo(), torch.CharTensor().foo, loop())
    local add, length = metatable.__add__, metatable.__len__
    metatable.__add__ = function() return 'sum' end
    metatable.__call__ = function(t, i) return t[i] end
    metatable.__len = function() return 77 end
    print(loop(), x(1), #x, torch.CharTensor{1}:add(1)[1])
    metatable.__add__, metatable.__len = add, length
    print(loop(), #x)
    """
    assert lua(source) == "foo\tnil\t6\nsum\t3\t77\t2\n6\t 1\n[torch.LongStorage of size 1]\n\n"


def test_classes_where_globals_are_strict(t7: Callable[..., object]) -> None:
    source = """
    setmetatable(_G, {__newindex = function(_, name) error('assign to ' .. name) end})
    torch.class('Made')
    print(torch.type(Made()))
    """
    done = t7("-e", source)
    assert (done.stdout, done.returncode) == ("Made\n", 0)  # type: ignore[attr-defined]


def test_torch_is_there_once(lua: Lua) -> None:
    assert lua("local old = torch package.loaded.torch = nil print(require 'torch' == old)") == "true\n"


def test_a_class_may_be_defined_anew_with_the_parent_it_has(lua: Lua) -> None:
    printed = lua("""
        torch.class('Base') torch.class('Other')
        local A = torch.class('Anew', 'Base')
        function A:f() return 1 end
        local object = Anew()
        A = torch.class('Anew', 'Base')
        function A:f() return 2 end
        print(object:f(), Anew():f(), torch.isTypeOf(object, 'Base'))
        print(pcall(torch.class, 'Anew', 'Other'))
        print(pcall(torch.class, 'Anew'))
    """)
    assert printed == (
        "2\t2\ttrue\nfalse\ttest:9: class Anew has a parent already: Base\n"
        "false\ttest:10: class Anew has a parent: Base\n"
    )


@pytest.mark.parametrize("function", ["factory", "getmetatable", "getconstructortable"])
@pytest.mark.parametrize("argument", ["", "nil", "{}", "print"])
def test_names_of_classes_are_checked(lua: Lua, function: str, argument: str) -> None:
    message = lua(f"print(pcall(function() torch.{function}({argument}) end))")
    assert f"{function}: argument 1 must be the name of a class (got" in message


def test_pairs_shows_the_methods_of_a_class(fresh_lua: Lua) -> None:
    """What pairs shows can be called and replaced, and getmetatable gives one table from then on."""
    printed = fresh_lua("""
        local x, names, count = torch.FloatTensor{3}, {}, 0
        for name, f in pairs(getmetatable(x)) do names[name], count = f, count + 1 end
        print(count > 180, names.add(x, 2)[1], names.__add__(x, x)[1], names.__typename, names.__index ~= nil)
        local methods = torch.getmetatable('torch.FloatTensor')
        print(methods == getmetatable(x), getmetatable(methods), methods.mul == x.mul)
        methods.mul = function() return 'mine' end
        methods.__sub__ = function() return 'difference' end
        print(x:mul(2), x - x, (x + x)[1])
        names = {}
        for name in pairs(getmetatable(torch.IntStorage())) do names[name] = true end
        print(names.size, names.fill, names.__index)
    """)
    assert printed == (
        "true\t5\t10\ttorch.FloatTensor\ttrue\ntrue\tnil\ttrue\nmine\tdifference\t10\ntrue\ttrue\ttrue\n"
    )


def test_a_class_gets_its_parent_once_in_the_last_dialect(t7: Run) -> None:
    program = "torch.class 'A' torch.class('B', 'A') print(pcall(torch.class, 'B', 'A'))"
    assert "already assigned a parent class" in t7("--dialect", "th", "-e", program).stdout
    assert t7("-e", program).stdout.startswith("true")


def test_no_class_gives_no_metatable(lua: Lua) -> None:
    program = "for _, n in ipairs {'none', 'torch.Tester'} do print(select('#', torch.getmetatable(n))) end"
    assert lua(program) == "0\n1\n"


def test_the_registry_names_classes(lua: Lua) -> None:
    program = """
    require 'nn'
    local registry = debug.getregistry()
    print(registry[torch.class('My.C', {})])
    for _, name in ipairs {'nn.Linear', 'torch.DoubleTensor', 'torch.Tester'} do
       print(registry[torch.getmetatable(name)])
    end"""
    assert lua(program) == "My.C\nnn.Linear\ntorch.DoubleTensor\ntorch.Tester\n"


def test_objects_of_two_classes_are_not_equal(lua: Lua) -> None:
    # What Torch7 printed.
    assert (
        lua("""
        local A = torch.class('Eq_A')
        function A.__eq__() return true end function A.__concat__() return 'cat' end
        torch.class('Eq_B', 'Eq_A')
        print(Eq_A() == Eq_A(), Eq_A() == Eq_B(), Eq_B() == Eq_A(), Eq_B() == Eq_B(), Eq_A() .. Eq_B())
    """)
        == "true\tfalse\tfalse\ttrue\tcat\n"
    )
