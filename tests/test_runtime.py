"""The Python API: running Lua from Python, and values on their way between the two."""

from __future__ import annotations

import gc
import weakref

import pytest

from t7shell import LuaError, LuaTable, Runtime


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    return Runtime()


def test_execute_returns_what_the_program_returns(runtime: Runtime) -> None:
    assert runtime.execute("local x = 1") is None
    assert runtime.execute("return 1, 'two', nil") == (1, "two", None)
    assert runtime.eval("1 + 1") == 2


def test_simple_values(runtime: Runtime) -> None:
    for value in (None, True, False, 0, -3, 2.5, 1e300, "text", "é€", ""):
        assert runtime.eval("function(...) return ... end")(value) == value
    assert isinstance(runtime.eval("3"), int) and isinstance(runtime.eval("3.5"), float)


def test_bytes_that_are_no_text_survive(runtime: Runtime) -> None:
    value = runtime.eval(r"'\255\0a'")
    assert runtime.eval("function(s) return s == '\\255\\0a', #s end")(value) == (True, 3)
    assert runtime.eval("function(s) return #s end")(b"\xff\x00a") == 3


def test_globals_are_a_mapping(runtime: Runtime) -> None:
    names = runtime.globals()
    names["made_in_python"] = 5
    assert runtime.eval("made_in_python") == 5 and names["made_in_python"] == 5
    assert "made_in_python" in set(names) and "torch" in names
    del names["made_in_python"]
    assert runtime.eval("made_in_python") is None
    with pytest.raises(KeyError):
        names["made_in_python"]


def test_tables(runtime: Runtime) -> None:
    table = runtime.eval("{1, {2, 3}, name = 'x', empty = {}}")
    assert isinstance(table, LuaTable)
    assert len(table) == 4 and table[2].to_list() == [2, 3]
    assert table.to_dict() == {1: 1, 2: [2, 3], "name": "x", "empty": {}}
    assert table.to_list() == [1, [2, 3]]
    table["name"] = "y"
    assert table.get("name") == "y" and table.get("none") is None


def test_a_table_that_comes_back_is_the_same(runtime: Runtime) -> None:
    table = runtime.execute("shared = {} return shared")
    assert runtime.eval("function(t) return t == shared end")(table) is True
    again = runtime.globals()["shared"]
    assert table == again and hash(table) == hash(again) and table != runtime.eval("{}")


def test_methods_of_tables(runtime: Runtime) -> None:
    methods = "{times = function(self, k) return self.n * k end}"
    counter = runtime.eval(f"setmetatable({{n = 2}}, {{__index = {methods}}})")
    assert counter.call("times", 21) == 42


def test_python_containers_become_new_tables(runtime: Runtime) -> None:
    take = runtime.eval("function(t) return #t.list, t.list[2][1], t.name end")
    assert take({"list": [1, (7, 8)], "name": "n"}) == (2, 7, "n")


def test_functions_both_ways(runtime: Runtime) -> None:
    twice = runtime.eval("function(f, x) return f(f(x)) end")
    assert twice(lambda x: x + 1, 5) == 7
    pair = runtime.eval("function(f) local a, b = f({1, 2}) return b, a end")
    assert pair(lambda t: (len(t), "second")) == ("second", 2)


def test_lua_error(runtime: Runtime) -> None:
    with pytest.raises(LuaError) as info:
        runtime.execute("local function f() error('boo') end\nf()", "@prog.lua")
    assert info.value.message == str(info.value) == "prog.lua:1: boo"
    assert "prog.lua:2: in main chunk" in info.value.traceback
    with pytest.raises(LuaError, match="unexpected symbol"):
        runtime.execute("x = = 1")


def test_exception_of_a_callback_keeps_its_type(runtime: Runtime) -> None:
    class Mine(Exception):
        pass

    def fail() -> None:
        raise Mine("why")

    with pytest.raises(Mine, match="why"):
        runtime.eval("function(f) f() end")(fail)
    assert runtime.eval("function(f) return (pcall(f)) end")(fail) is False


def test_dialect() -> None:
    assert Runtime(dialect="th").eval("require('torch.core.dialect').name") == "th"


def test_a_runtime_that_holds_python_functions_is_freed() -> None:
    runtime = Runtime()
    runtime.globals()["f"] = lambda: 1
    assert runtime.eval("f()") == 1
    engine = weakref.ref(runtime.engine)
    del runtime
    gc.collect()
    assert engine() is None


def test_what_is_wrong_with_a_field_is_an_error(runtime: Runtime) -> None:
    strict = """setmetatable({}, {__newindex = function() error('fixed', 2) end,
                                  __index = function() error('none', 2) end})"""
    table = runtime.eval(strict)
    with pytest.raises(LuaError, match="fixed"):
        table["a"] = 1
    with pytest.raises(LuaError, match="none"):
        table["a"]
    for key in (float("nan"), None):
        with pytest.raises(LuaError, match="table index is"):
            runtime.eval("{}")[key] = 1
    with pytest.raises(LuaError, match="table index is nan"):
        runtime.globals()["t"] = {float("nan"): 1}
