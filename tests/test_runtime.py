"""The Python API: running Lua from Python, and values on their way between the two."""

from __future__ import annotations

import contextlib
import gc
import io
import pickle
import platform
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path

import numpy as np
import pytest

import t7shell
from t7shell import LuaError, LuaTable, Runtime, Stopped, T7Error
from tests.runtimes import runtime_fixture

runtime = runtime_fixture()


def test_tables_show_their_entries(runtime: Runtime) -> None:
    table = runtime.eval("{1, 'two', {3}, x = torch.ones(2)}")
    assert repr(table) == str(table) == '<LuaTable {1, "two", {...}, x = DoubleTensor - size: 2}>'
    circle = "local t = setmetatable({}, {__index = error, __tostring = error}) t.t = t return t"
    assert repr(runtime.execute(circle)).startswith("<LuaTable at ")


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
    assert Runtime(dialect="th").eval("require('torch.base.dialect').name") == "th"


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


def test_callables_are_functions_to_lua(runtime: Runtime) -> None:
    lua = runtime.globals
    lua["double"] = lambda value: value * 2
    assert runtime.eval("type(double)") == "function"
    assert runtime.eval("(('a1b'):gsub('%a', double))") == "aa1bb"
    lua["less"] = lambda a, b: a > b
    assert runtime.execute("local t = {1, 3, 2} table.sort(t, less) return t").to_list() == [3, 2, 1]
    assert runtime.eval("coroutine.wrap(double)(4)") == 8
    lua["Number"] = int
    assert runtime.eval("Number('12') + 1") == 13


def test_mistakes_are_errors_of_python(runtime: Runtime) -> None:
    with pytest.raises(ValueError, match=r"dialect must be one of 't7', 'th'.*\(got 'foo'\)"):
        Runtime(dialect="foo")
    with pytest.raises(TypeError, match=r"execute: source must be str or bytes \(got int\)"):
        runtime.execute(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"eval: expression must be str or bytes \(got NoneType\)"):
        runtime.eval(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="require: module"):
        runtime.require([])  # type: ignore[arg-type]


def test_names_of_the_package() -> None:
    assert {"load", "save", "Runtime"} <= set(dir(t7shell)) and "Any" not in dir(t7shell)


def test_the_value_of_an_error(runtime: Runtime) -> None:
    with pytest.raises(LuaError) as info:
        runtime.execute("error({code = 2})")
    assert info.value.value["code"] == 2
    with pytest.raises(LuaError) as info:
        runtime.execute("error('plain', 0)")
    assert info.value.value == "plain"


def test_context_require_and_globals() -> None:
    with Runtime() as lua:
        assert lua.require("torch")["ones"](2).tolist() == [1, 1]
        assert "torch" in lua.globals and lua.globals() == lua.globals
        table = lua.eval("{1}")
        with pytest.raises(LuaError, match="module 'no_such_module' not found"):
            lua.require("no_such_module")
    with pytest.raises(T7Error, match="the runtime is closed"):
        lua.execute("return 1")
    assert table[1] == 1


def test_output_can_be_captured(runtime: Runtime) -> None:
    with runtime.captured() as out:
        runtime.execute("print('a', 1) io.write('b', 2) io.stdout:write('c\\n') print{x = 1} print('é')")
    assert out.getvalue() == 'a\t1\nb2c\n{\n  x : 1\n}\né\n'
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        runtime.execute("print('one')")
        print("two")
        runtime.eval("print")("three")
    assert stream.getvalue() == "one\ntwo\nthree\n"


def test_output_of_both_languages_keeps_its_order() -> None:
    source = """
import t7shell
lua = t7shell.Runtime()
for i in (1, 3):
    print(i)
    lua.execute(f"print({i + 1})")
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n2\n3\n4\n"


LOOPS = [
    "while true do end",
    "for i = 1, 1e15 do end",
    "local a, b = 0, 0 while true do if a % 3 == 0 then a = a + 1 else b = b + 1 a = a + 2 end end",
    "for i = 1, 1e9 do for j = 1, 1e9 do end end",
    "local x = torch.zeros(10) while true do x[3] = x[3] + 1 end",
    "local x = torch.zeros(10) while true do x:add(1) end",
    "local function go(n) if n < 0 then return 0 end return go(n + 1) end go(1)",
    "local s while true do s = ('x'):rep(10) end",
    "while true do local t = {1, 2} end",
    "pcall(function() while true do end end) while true do end",
    "coroutine.wrap(function() while true do end end)()",
    "jit.flush() while true do end",
]


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="compiled loops go on elsewhere")
def test_ctrl_c_stops_lua_and_the_runtime_goes_on() -> None:
    program = f"""
import os, signal, threading, t7shell
lua = t7shell.Runtime()
before = signal.getsignal(signal.SIGINT)
lua.globals["press"] = lambda: threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
for source in {LOOPS!r}:
    try:
        lua.execute("press() " + source)
        print("not stopped", source)
    except KeyboardInterrupt:
        pass
    assert lua.eval("(function() local s = 0 for i = 1, 1000 do s = s + i end return s end)()") == 500500
assert signal.getsignal(signal.SIGINT) is before
try:
    os.kill(os.getpid(), signal.SIGINT)
    threading.Event().wait(5)
except KeyboardInterrupt:
    print("and outside of Lua")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == ("and outside of Lua\n", "", 0)


def test_ctrl_c_in_a_callback_is_an_exception_there() -> None:
    program = """
import os, signal, threading, time, t7shell
lua = t7shell.Runtime()
def callback():
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        time.sleep(20)
    except KeyboardInterrupt:
        print("in the callback")
        raise
try:
    lua.globals["callback"] = callback
    lua.execute("pcall(callback) print('not reached') while true do end")
except KeyboardInterrupt:
    print("and out of Lua")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("in the callback\nand out of Lua\n", "")


def test_a_thread_that_waits_for_its_turn_is_not_stopped() -> None:
    lua, outcomes = Runtime(), {}

    def work(name: str, source: str) -> None:
        try:
            outcomes[name] = lua.execute(source)
        except Stopped as reason:
            outcomes[name] = str(reason)

    busy = threading.Thread(target=work, args=("busy", "while true do end"))
    waiting = threading.Thread(target=work, args=("waiting", "return 7"))
    busy.start()
    time.sleep(0.3)
    waiting.start()
    time.sleep(0.3)
    assert lua.stop()
    for thread in (busy, waiting):
        thread.join(20)
    assert outcomes == {"busy": "stopped by Runtime.stop()", "waiting": 7}


def test_a_call_of_another_thread_can_be_stopped() -> None:
    lua = Runtime()
    assert lua.stop() is False
    raised: list[BaseException] = []

    def work() -> None:
        try:
            lua.execute("started = true while true do end")
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    while not lua.stop():
        time.sleep(0.01)
    thread.join(20)
    assert isinstance(raised[0], Stopped)
    assert lua.eval("1 + 1") == 2


def test_a_runtime_goes_with_its_last_reference() -> None:
    """A state that waits for the collector of Python crashes when that frees it with arrays it was given."""
    lua = Runtime()
    lua.globals()["x"] = np.ones(3)
    lua.execute("x:add(1)")
    engine = weakref.ref(lua.engine)
    gc.disable()
    try:
        del lua
        assert engine() is None
    finally:
        gc.enable()


FAILURES = {
    "local a = torch.ones(2)\na:add(torch.ones(3))": ["     2 | a:add(torch.ones(3))\n       |   ^^^"],
    "x = = 3": ["     1 | x = = 3\n       |     ^"],
    "torch.oens(2)": ["     1 | torch.oens(2)\n       |       ^^^^", "hint: did you mean 'ones'?"],
    "function deep() error('no') end\nfunction outer() deep() end\nouter()": [
        "     1 | function deep() error('no') end\n       | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        "stack traceback:\n\tpython:1: in function 'deep'\n\tpython:2: in function 'outer'\n"
        "\tpython:3: in main chunk",
    ],
    "error({})": ["     1 | error({})\n       | ^^^^^^^^^"],
}


@pytest.mark.parametrize("source", FAILURES)
def test_errors_carry_the_line_that_failed(runtime: Runtime, source: str) -> None:
    with pytest.raises(LuaError) as caught:
        runtime.execute(source)
    assert caught.value.__notes__ == FAILURES[source]


def test_errors_of_functions_carry_lines_of_their_program(runtime: Runtime) -> None:
    runtime.execute("function late(x)\n   return (function() return x:foo() end)()\nend")
    runtime.execute("-- another program\n-- of the same name")
    with pytest.raises(LuaError) as caught:
        runtime.globals["late"](1)
    assert caught.value.__notes__[0].splitlines()[0] == "     2 |    return (function() return x:foo() end)()"


def test_errors_of_files_carry_their_line(runtime: Runtime, tmp_path: Path) -> None:
    path = tmp_path / "program.lua"
    path.write_text("local t\nprint(t.x)\n")
    with pytest.raises(LuaError) as caught:
        runtime.execute(f"dofile '{path}'")
    assert caught.value.__notes__[0].startswith("     2 | print(t.x)\n")


def test_expected_types(runtime: Runtime) -> None:
    assert runtime.eval("torch.ones(2)", np.ndarray).tolist() == [1, 1]
    assert isinstance(runtime.eval("2 * 3", float), float)
    with pytest.raises(TypeError, match=r"eval: expected ndarray \(got int\)"):
        runtime.eval("1", np.ndarray)


def test_a_runtime_says_why_it_cannot_be_pickled(runtime: Runtime) -> None:
    with pytest.raises(TypeError, match="a Runtime cannot be pickled: its Lua state belongs to this process"):
        pickle.dumps(runtime)


def test_integers_of_any_size(runtime: Runtime) -> None:
    for number in (2**63 - 1, 2**63, -(2**64), 10**30, np.uint64(2**64 - 1)):
        runtime.globals["n"] = number
        assert runtime.eval("n", float) == float(number)
    with pytest.raises(OverflowError):
        runtime.globals["n"] = 10**400
