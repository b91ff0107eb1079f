"""Bytecode of files and strings: what LuaJIT trusts is checked; files load nothing before the first call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ...conftest import Run

Lua = Callable[[str], str]

# Numbers as string.dump writes them: seven bits a byte.
NUMBER = """
    local function number(n)
       local bytes = {}
       repeat
          local low = n % 128
          n = (n - low) / 128
          bytes[#bytes + 1] = string.char(n > 0 and low + 128 or low)
       until n == 0
       return table.concat(bytes)
    end
    local bytecode = require 'torch.language.bytecode'
    local function replaced(text, from, to)
       local first, last = text:find(from, 1, true)
       assert(first and not text:find(from, last, true), 'found')
       text = text:sub(1, first - 1) .. to .. text:sub(last + 1)
       return text
    end
    -- 2.75 is 0x40060000 00000000.
    local HIGH = number(0x40060000)
"""


# The upper halves of a table, a string, a function, nil, and of NaNs with a payload.
@pytest.mark.parametrize(
    "high", ["0xfffa0000", "0xfffd8000", "0xfffb8000", "0xffffffff", "0xfff80001", "0x7ff80001", "0x7ff00001"]
)
@pytest.mark.parametrize(
    "source", ["return { 1, 2.75 }", "return { x = 2.75 }", "return { [2.75] = 1 }", "return ... + 2.75"]
)
def test_a_number_that_is_a_pointer_is_refused(lua: Lua, source: str, high: str) -> None:
    printed = lua(f"""{NUMBER}
        local text = string.dump(loadstring '{source}', true)
        assert(bytecode.fault(text) == nil)
        -- The length of a function is one byte before it; halves of all numbers have five bytes.
        assert(#HIGH == 5 and #number({high}) == 5)
        print(bytecode.fault(replaced(text, HIGH, number({high}))))""")
    assert printed == "its bytecode is damaged\n"


def test_numbers_of_dumps_are_accepted(lua: Lua) -> None:
    lua(f"""{NUMBER}
        for _, value in ipairs {{ '1e308', '-1e308', '1e999', '-1e999', '5e-324', '2^52', '-0.5' }} do
           for _, form in ipairs {{ 'return {{ %s, x = %s, [1.5] = %s }}', 'return ... * %s' }} do
              local text = string.dump(loadstring((form:gsub('%%s', value))))
              assert(bytecode.fault(text) == nil, value)
           end
        end""")


def test_keys_that_a_table_cannot_have_are_refused(lua: Lua) -> None:
    printed = lua(f"""{NUMBER}
        local text = string.dump(loadstring 'return {{ [2.75] = 1 }}', true)
        -- 4 marks a number, 0 nothing.
        print(bytecode.fault(replaced(text, '\\4\\0' .. HIGH, '\\0\\3\\1\\3\\1\\3\\1')))
        print(bytecode.fault(replaced(text, HIGH, number(0x7ff80000))))""")
    assert printed == "its bytecode is damaged\n" * 2


def test_names_end_inside_of_their_function(lua: Lua) -> None:
    printed = lua(f"""{NUMBER}
        local f = loadstring 'local first, second = 1, 2 return function(parameter) return first, second end'
        local text = string.dump(f)
        assert(bytecode.fault(text) == nil)
        print(bytecode.fault(replaced(text, 'first\\0second\\0', 'first\\1second\\1')))
        print(bytecode.fault(replaced(text, 'parameter\\0', 'parameter\\1')))""")
    assert printed == "its bytecode is damaged\n" * 2


def test_a_network_with_a_forged_function_is_loaded_and_collected(t7: Run) -> None:
    done = t7(
        "-e",
        f"""{NUMBER}
        require 'nn'
        local net = nn.Sequential():add(nn.Linear(2, 2))
        net.hook = loadstring 'return {{ x = 2.75 }}'
        local text = replaced(torch.serialize(net), HIGH, number(0xfffd8000))
        for i = 1, 20 do
           local copy = torch.deserialize(text)
           local again = torch.deserialize(torch.serialize(copy))
           again:clone():forward(torch.ones(2))
           collectgarbage()
        end
        print(pcall(torch.deserialize(text).hook))""",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("false") and done.stdout.endswith("cannot run: its bytecode is damaged\n")


def test_programs_load_no_damaged_bytecode(t7: Run, tmp_path: Path) -> None:
    file = tmp_path / "damaged.lua"
    done = t7(
        "-e",
        f"""local code = string.dump(loadstring 'local t = {{ 1, 2.75, x = "y" }} return t.x, ...')
        local damaged, path = code:sub(1, -12), '{file}'
        io.open(path, 'wb'):write(damaged):close()
        print(loadstring(damaged))
        print(loadstring(damaged, '=name'))
        print(load(function() local part = damaged damaged = nil return part end))
        print(loadfile(path) == nil, (select(2, loadfile(path)):gsub('.*/', '')))
        print((select(2, pcall(dofile, path)):gsub('.*/', '')))
        print(load(code:sub(1, -12), 'name', 't'))
        -- Every cut, and every byte that is lost.
        for i = 1, #code do
           loadstring(code:sub(1, i - 1))
           loadstring(code:sub(1, i - 1) .. code:sub(i + 1))
        end
        collectgarbage()
        print(loadstring(code)(3))""",
    )
    assert (done.returncode, done.stderr) == (0, "")
    message = "cannot load damaged bytecode"
    assert done.stdout.splitlines() == [
        f"nil\t(binary): {message}",
        f"nil\tname: {message}",
        f"nil\t(load): {message}",
        f"true\tdamaged.lua: {message}",
        f"damaged.lua: {message}",
        "nil\tattempt to load chunk with wrong mode",
        "y\t3",
    ]
    done = t7(str(file))
    assert done.returncode == 1 and done.stderr.endswith(f"damaged.lua: {message}\n")


# A function that counts how often bytecode is loaded.
COUNTED = """
    local bytecode, count = require 'torch.language.bytecode', 0
    local load = bytecode.load
    function bytecode.load(...) count = count + 1 return load(...) end
"""


@pytest.mark.parametrize(
    "through",
    [
        "torch.deserialize(torch.serialize(f))",
        "torch.deserializeFromStorage(torch.serializeToStorage(f, 'ascii'), 'ascii')",
    ],
)
def test_bytecode_is_loaded_by_the_first_call(lua: Lua, through: str) -> None:
    printed = lua(f"""{COUNTED}
        local n = 1
        local f = function(x) n = n + x return n end
        local g = {through}
        g = torch.deserialize(torch.serialize({{ g }}))[1]
        collectgarbage()
        print(count, type(g), tostring(g):match '^function' ~= nil)
        print(g(2), g(2), count)
        bytecode.load = load""")
    assert printed == "0\tfunction\ttrue\n3\t5\t1\n"


def test_upvalues_are_shared_before_and_after_the_first_call(lua: Lua) -> None:
    printed = lua("""
        local count = 0
        local function up() count = count + 1 return count end
        local function get() return count, up end
        local pair = torch.deserialize(torch.serialize { up = up, get = get })
        pair.up()
        -- One of the two was called when they are written again.
        local copy = torch.deserialize(torch.serialize(pair))
        print(pair.get(), select(2, pair.get()) == pair.up)
        print(copy.up(), copy.up(), (copy.get()), (pair.get()))
        local id = debug.upvalueid
        print(select(2, copy.get()) == copy.up, id(copy.up, 1) == id(copy.get, 1))""")
    assert printed == "1\ttrue\n2\t3\t3\t1\ntrue\ttrue\n"


def test_functions_of_lua_see_the_function_of_a_file(lua: Lua) -> None:
    printed = lua("""
        local x = 5
        local f = torch.deserialize(torch.serialize(function(first, ...) return x, y end))
        print(debug.getupvalue(f, 1))
        print(debug.setupvalue(f, 1, 6), debug.getinfo(f).nparams, debug.getlocal(f, 1))
        setfenv(f, { y = 7 })
        print(getfenv(f).y, f())
        print(loadstring(string.dump(f), 'x') ~= nil, debug.getinfo(1, 'l').currentline, getfenv(1) == _G)
        print(pcall(function() debug.getinfo(print, 'wrong') end))""")
    lines = printed.splitlines()
    assert lines[:3] == ["x\t5", "x\t1\tfirst", "7\t6\t7"]
    assert lines[3] == "true\t8\ttrue"
    assert "bad argument #2 to 'getinfo' (invalid option)" in lines[4]


def test_threads_get_functions_that_were_not_called(lua: Lua) -> None:
    printed = lua("""
        local threads = require 'threads'
        local n = 10
        local f = torch.deserialize(torch.serialize(function(x) return x + n end))
        local pool = threads.Threads(1)
        local answer
        pool:addjob(function() return f(1), f end, function(a, g) answer = a + g(2) end)
        pool:synchronize()
        pool:terminate()
        print(answer, f(3))""")
    assert printed == "23\t13\n"
