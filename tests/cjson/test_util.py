"""cjson.util: texts of values, comparisons, files, and counted tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Lua = Callable[[str], str]


@pytest.mark.parametrize(
    ("value", "compact", "lines"),
    [
        ("'a\"b'", r'"a\"b"', r'"a\"b"'),
        ("1.5", "1.5", "1.5"),
        ("true", "true", "true"),
        ("nil", "nil", "nil"),
        ("cjson.null", "json.null", "json.null"),
        ("print", '"<function>"', '"<function>"'),
        ("{1, {2}}", "{ 1, { 2 } }", "{\n  1,\n  {\n    2\n  }\n}"),
        ("{a = {'b'}}", '{ ["a"] = { "b" } }', '{\n  ["a"] = {\n    "b"\n  }\n}'),
        ("{1, nil, 3}", "{ 1, nil, 3 }", "{\n  1,\n  nil,\n  3\n}"),
    ],
)
def test_values_as_lua_writes_them(lua: Lua, value: str, compact: str, lines: str) -> None:
    source = f"""
    local cjson, util = require 'cjson', require 'cjson.util'
    io.write(util.serialise_value({value}, false), '|', util.serialise_value({value}))
    """
    assert lua(source) == f"{compact}|{lines}"


def test_sparse_tables_have_their_keys(lua: Lua) -> None:
    source = "io.write(require('cjson.util').serialise_value({[100] = 1}, false))"
    assert lua(source) == "{ [100] = 1 }"


def test_tables_inside_themselves_end(lua: Lua) -> None:
    source = "local t = {} t[1] = t io.write(require('cjson.util').serialise_value(t, false))"
    assert "too many nested tables" in lua(source)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("1", "1", True),
        ("1", "'1'", False),
        ("0.1 + 0.2", "0.3", True),
        ("1", "1 + 1e-12", False),
        ("0 / 0", "0 / 0", True),
        ("math.huge", "math.huge", True),
        ("math.huge", "-math.huge", False),
        ("{1, {a = 2}}", "{1, {a = 2}}", True),
        ("{1, {a = 2}}", "{1, {a = 2, b = 3}}", False),
        ("{1, 2}", "{1}", False),
    ],
)
def test_values_are_compared_by_what_is_in_them(lua: Lua, a: str, b: str, same: bool) -> None:
    assert lua(f"print(require('cjson.util').compare_values({a}, {b}))") == f"{str(same).lower()}\n"


def test_files(lua: Lua, tmp_path: Path) -> None:
    path = tmp_path / "bytes"
    source = f"""
    local util = require 'cjson.util'
    util.file_save('{path}', 'a\\r\\n\\0b')
    io.write(tostring(util.file_load('{path}') == 'a\\r\\n\\0b'), '|')
    io.write(select(2, pcall(util.file_load, '{tmp_path}/none')), '|')
    io.write(select(2, pcall(util.file_save, '{tmp_path}/none/x', '')))
    """
    found, read, written = lua(source).split("|")
    assert path.read_bytes() == b"a\r\n\0b" and found == "true"
    assert f"Unable to read {tmp_path}/none: " in read and f"Unable to write {tmp_path}/none/x: " in written


def test_tests_are_counted(lua: Lua) -> None:
    source = """
    local util = require 'cjson.util'
    local function half(x) if x % 2 == 1 then error('odd', 0) end return x / 2 end
    util.run_test_group {
       { 'even', half, { 4 }, true, { 2 } },
       { 'wrong', half, { 4 }, true, { 3 } },
       { 'odd', half, { 3 }, false, { 'odd' } },
       { 'no error', half, { 2 }, false, { 'odd' } },
       { 'between', print, { 5 } },
    }
    print(util.run_test_summary())
    print(util.run_script('x = x + 1', { x = 2 }).x, (pcall(util.run_script, 'return +')))
    """
    lines = lua(source).splitlines()
    headings = [line for line in lines if line.startswith("==> Test")]
    assert headings == [
        "==> Test [1] even: PASS",
        "==> Test [2] wrong: FAIL",
        "==> Test [3] odd: PASS",
        "==> Test [4] no error: FAIL",
    ]
    # As lua-cjson prints them.
    assert "[Expected:success] { 3 }" in lines and lines.count("[Received:success] { 2 }") == 2
    assert lines[-5:] == ["==> between", "5", "", "2\t4", "3\tfalse"]
