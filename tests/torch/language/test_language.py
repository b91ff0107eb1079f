"""Lua as Torch7's LuaJIT had it: 5.1 with additions of 5.2.

Expected values are those of the reference manual of Lua 5.2 and of LuaJIT with LUAJIT_ENABLE_LUA52COMPAT.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from t7shell.engine.engine import Engine
from tests.conftest import Run

SEVEN = "local t = setmetatable({}, { __len = function() return 7 end }) "

PAIRS = "local function f() return next, { a = 1 } end "
BOOLEAN = "attempt to perform arithmetic on a boolean value"


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        (SEVEN + "print(#t)", "7"),
        (SEVEN + "print(-#t, not #t, #t + 1, 2 ^ #t, #t .. '')", "-7 false 8 128 7"),
        (SEVEN + "local a = { b = { t } } print(#a.b[1], #(t))", "7 7"),
        (SEVEN + "print(rawlen(t))", "0"),
        ("print(#'abc', #{1, 2}, #[[xy]], # --[[ comment ]] 'z')", "3 2 2 1"),
        ("local s = 'a#b' -- #c\nprint(#s, '#', [==[#]]]==])", "3 # #]]"),
        ("print(#torch.Tensor(2, 3))", "2 3 [torch.LongStorage of size 2]"),
        ("require 'nn' print(#nn.Sequential():add(nn.Tanh()))", "1"),
        ("print(load('return #...')('four'), loadstring('return #...')({ 1 }))", "4 1"),
        (PAIRS + "for k in pairs(setmetatable({}, { __pairs = f })) do print(k) end", "a"),
        (PAIRS + "for k in ipairs(setmetatable({}, { __ipairs = f })) do print(k) end", "a"),
        ("for i = 1, 3 do if i == 2 then break;; print(i) end end;; print 'end'", "end"),
        ("while true do break local never end print 'after'", "after"),
        ("local f = function(x) return x end\nlocal y = f\n(3)\nprint(y)", "3"),
        ("goto over\nprint 'skipped'\n::over:: print 'here'", "here"),
        ("print(os.execute 'exit 3') print(os.execute 'true') print(os.execute())",
         "nil exit 3 true exit 0 true"),
        ("print(os.execute 'kill -9 $$')", "nil signal 9"),
        ("local p = io.popen 'exit 4' print(p:close())", "nil exit 4"),
        ("local p = io.popen 'echo hi' print(p:read '*a', p:close())", "hi true exit 0"),
        ("local c, main = coroutine.running() print(type(c), main)", "thread true"),
        ("print(coroutine.wrap(function() return select(2, coroutine.running()) end)())", "false"),
        ("print(table.pack(1, nil, 3).n, load('return x', 'n', 't', { x = 5 })())", "3 5"),
        ("print(load(string.dump(function() end), 'n', 't'))", "nil attempt to load chunk with wrong mode"),
        ("local x = 'a' for i = 1, 200 do x = x .. #x end print(#x)", "538"),
        ("debug.setmetatable(true, { __call = function() return 'called' end }) print((true)(), #{}, #arg)",
         "called 0 0"),
        ("print(pcall(load 'return 2 ^ true'))", 'false [string "return 2 ^ true"]:1: ' + BOOLEAN),
        ("local c = 2i print(c.im, (pcall(function() return c ^ 2 end)))", "2 false"),
        ("local f = loadstring 'return #x' setfenv(f, { x = { 1, 2 } }) print(f())", "2"),
        ("print(load(string.dump(function(x) return #x end))({ 1, 2, 3 }))", "3"),
        ("print(debug.getinfo(load '\\n\\nreturn function() return #x\\n end'(), 'S').lastlinedefined)", "4"),
        ("print(require 'bit32'.band(0xff, 0x0f), bit32.rshift(-1, 28))", "15 15"),
    ],
)
def test_what_programs_print(t7: Run, tmp_path: Path, source: str, printed: str) -> None:
    script = tmp_path / "script.lua"
    script.write_text(source)
    run = t7(str(script))
    assert run.stderr == ""
    assert " ".join(run.stdout.split()) == printed


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("local x\nprint(#x)", "script.lua:2: attempt to get length of local 'x' (a nil value)"),
        ("print(#y)", "script.lua:1: attempt to get length of global 'y' (a nil value)"),
        ("local t = {}\n\nprint(#t.field)",
         "script.lua:3: attempt to get length of field 'field' (a nil value)"),
        ("local x = 3 local f = function() return #x end f()",
         "attempt to get length of upvalue 'x' (a number value)"),
        ("local t, u = {}, {} print(#t, #u, #t.x)",
         "script.lua:1: attempt to get length of field 'x' (a nil value)"),
        ("local t, u = {} print(#t, #u)", "script.lua:1: attempt to get length of local 'u' (a nil value)"),
        ("local x = #'a' +* 2", "script.lua:1: unexpected symbol near '*'"),
    ],
)
def test_errors_are_those_of_the_operator(t7: Run, tmp_path: Path, source: str, message: str) -> None:
    (tmp_path / "script.lua").write_text(source)
    assert message in t7("script.lua", cwd=tmp_path).stderr


def test_modules_and_files_are_in_the_same_language(t7: Run, tmp_path: Path) -> None:
    length = "setmetatable({}, { __len = function() return 7 end })"
    (tmp_path / "mine.lua").write_text(f"return #{length}")
    (tmp_path / "script.lua").write_text(f"#!/usr/bin/env t7\nreturn #{length}")
    run = t7("-e", "print(require 'mine', dofile 'script.lua', loadfile('mine.lua')())", cwd=tmp_path)
    assert run.stdout == "7\t7\t7\n"


@pytest.mark.parametrize(("value", "total"), [("{ 1, 2, 3 }", 3000), ("'text'", 4000)])
def test_a_loop_over_lengths_compiles(value: str, total: int) -> None:
    engine = Engine()
    result = engine.execute(
        f"""
        local util, compiled, given_up = require 'jit.util', 0, 0
        local t, sum = {value}, 0
        local function count(what)
           if what == 'stop' then compiled = compiled + 1 end
           if what == 'abort' then given_up = given_up + 1 end
        end
        jit.attach(count, 'trace')
        for i = 1, 1000 do sum = sum + #t end
        jit.attach(count)
        return compiled, given_up, sum
        """
    )
    compiled, given_up, sum_of_lengths = result.values
    assert compiled > 0 and given_up == 0 and sum_of_lengths == total


def test_source_without_the_operator_is_left_alone() -> None:
    engine = Engine()
    result = engine.execute(
        """
        local rewrite = require('torch.language.length').rewrite
        local plain = '-- #\\nprint("#", [[#]], #"ab", #{1, 2}, # \\'c\\')'
        return rewrite(plain, '=x') == plain, (rewrite('return #x', '=x'))
        """
    )
    assert list(result.values) == [True, b"return  true^x"] or list(result.values) == [True, "return  true^x"]


NAMES = (
    "io.open io.lines io.input io.output io.popen os.remove os.execute loadfile dofile lfs.attributes "
    "lfs.symlinkattributes lfs.dir lfs.mkdir lfs.rmdir lfs.chdir lfs.touch lfs.link"
)


def test_names_with_a_nul(t7: Run, tmp_path: Path) -> None:
    """C ends a name there: a program that checked the end of a name would open another file."""
    script = tmp_path / "names.lua"
    script.write_text(f"""local lfs = require 'lfs'
    for name in ('{NAMES}'):gmatch '%S+' do
       local f = assert(loadstring('local lfs = ... return ' .. name))(lfs)
       local fine, message = pcall(f, 'names.lua\\0.txt')
       print(name, not fine and message:match(": (%S-): argument 1 must be a name without a NUL"))
    end
    print(select(2, pcall(os.rename, 'x', 'y\\0')))
    print(io.open 'names.lua' ~= nil, pcall(os.remove, {{}}))""")
    *lines, renamed, other = t7(str(script), cwd=tmp_path).stdout.splitlines()
    assert lines == [f"{name}\t{name}" for name in NAMES.split()]
    assert "os.rename: argument 2 must be a name without a NUL" in renamed
    assert other.startswith("true\tfalse\tbad argument #1")


# Lines without the operator are not read where no string or comment has several lines.
def test_the_operator_is_found_by_lines_as_in_the_whole(engine: Engine) -> None:
    program = r"""
    local rewrite = require('torch.language.length').rewrite
    local lines = {'x = #y', "x = '#' .. #y", 'x = "\\"#" -- #', "-- '", 'x = #y[1] + # z', "'", '#', '"',
       '\\', 'y', "x = #'a'", '# {}', '', '--#', 'z = "\\z', '\\\r'}
    torch.manualSeed(1)
    local count = 0
    for _ = 1, 3000 do
       local part = {}
       for i = 1, torch.random(8) do part[i] = lines[torch.random(#lines)] end
       local source = table.concat(part, '\n')
       assert(rewrite(source, '=x') .. '\n--[[]]' == rewrite(source .. '\n--[[]]', '=x'), source)
       if rewrite(source, '=x') ~= source then count = count + 1 end
    end
    assert(count > 1000)
    """
    engine.execute(program).raise_for_status()


# It would be the metatable of all objects of the FFI, with which the library works.
def test_the_metatable_of_tensors_is_kept(engine: Engine) -> None:
    program = """
    local ok, message = pcall(debug.setmetatable, torch.Tensor(2), {})
    assert(not ok and message:find('must not be a C object', 1, true), message)
    assert(torch.ones(2):sum() == 2)
    """
    engine.execute(program).raise_for_status()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"x = 1\0 y = 2", "x:1: unexpected symbol near 'char(0)'"),
        (b"x = #y\0", "x:1: unexpected symbol near 'char(0)'"),
        ("y".encode("utf-16"), "x:1: '=' expected near 'char(0)': the source is UTF-16, Lua reads UTF-8"),
        (b"x = '\0' y", "x:1: '=' expected near '<eof>'"),
    ],
)
def test_messages_name_bytes_that_are_nul(engine: Engine, source: bytes, message: str) -> None:
    result = engine.execute(source, "=x")
    assert result.message == message
