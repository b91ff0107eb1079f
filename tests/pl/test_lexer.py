"""pl.lexer: tokens of plain texts, of Lua and of C, and what is done with a stream of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Lua = Callable[[str], str]

# What joins the tokens of a text.
TOKENS = """
local lexer = require 'pl.lexer'
local function tokens(kind, text, ...)
   local list = {}
   for type, value in lexer[kind](text, ...) do
      list[#list + 1] = type == value and type or type .. ':' .. value
   end
   io.write(table.concat(list, ' '))
end
"""


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("scan", "[[x = -1.5e-3 + 'a b']]", "iden:x = number:-0.0015 + string:a b"),
        ("scan", "'for a~=b'", "iden:for iden:a ~ = iden:b"),
        ("scan", "'0x1F 3. .5'", "number:31 number:3 number:0.5"),
        ("scan", "[['' \"q'q\"]]", "string: string:q'q"),
        ("scan", "''", ""),
        (
            "lua",
            "'for i=1,-2 do x[i] = y.z..t end'",
            "keyword:for iden:i = number:1 , - number:2 keyword:do iden:x [ iden:i ] = iden:y . iden:z "
            ".. iden:t keyword:end",
        ),
        ("lua", "'a ~= b == c <= d >= ... '", "iden:a ~= iden:b == iden:c <= iden:d >= ..."),
        ("lua", "'[[long]] --[=[not\\nthis]=] [==[a]]b]==]'", "string:long string:a]]b"),
        ("lua", "'a -- b\\nc'", "iden:a iden:c"),
        (
            "cpp",
            r"""'#include <x>\nint f(char *p) { return p->n && *p != \'c\'; } // end\n/* x */ i++'""",
            "prepro:#include <x>\n keyword:int iden:f ( keyword:char * iden:p ) { keyword:return iden:p -> "
            "iden:n && * iden:p != char:c ; } iden:i ++",
        ),
    ],
)
def test_tokens(lua: Lua, kind: str, text: str, expected: str) -> None:
    assert lua(f"{TOKENS} tokens('{kind}', {text})") == expected


def test_texts_of_tokens_and_what_is_left_out(lua: Lua) -> None:
    raw = "{}, { number = false, string = false }"
    assert lua(f"{TOKENS} tokens('lua', '0x10\"a\"--c\\n', {raw})") == 'number:0x10 string:"a" comment:--c\n'
    assert lua(f"{TOKENS} tokens('lua', 'x --c\\ny', {{ comments = true }})") == "iden:x space:  iden:y"


def test_files_are_read_by_lines(lua: Lua, tmp_path: Path) -> None:
    source = f"""
    local path = '{tmp_path}/text'
    local file = io.open(path, 'w') file:write('a b\\nc\\n') file:close()
    local tokens = require('pl.lexer').scan(io.open(path))
    for type, value in tokens do io.write(value, ' ', (tokens(0)), ';') end
    """
    assert lua(source) == "a 1;b 1;c 2;"


def test_lists_between_separators(lua: Lua) -> None:
    source = """
    local lexer = require 'pl.lexer'
    local tokens = lexer.scan 'a, b(1, 2), c) rest\\nlast line'
    local lists, ends = lexer.get_separated_list(tokens)
    for _, list in ipairs(lists) do
       for _, token in ipairs(list) do io.write(token[2], ' ') end
       io.write '; '
    end
    io.write(ends[1], '|', lexer.getline(tokens), '|', lexer.getrest(tokens), '|')
    print(lexer.get_separated_list(lexer.scan 'a, b'))
    """
    assert lua(source) == "a ; b ( 1 , 2 ) ; c ; )| rest\n|last line|nil\tEOS\n"


def test_tokens_that_are_expected_or_inserted(lua: Lua) -> None:
    source = """
    local lexer = require 'pl.lexer'
    local tokens = lexer.scan 'x = 3'
    lexer.insert(tokens, 'iden', 'first')
    lexer.insert(tokens)
    print(lexer.expecting(tokens, 'iden'), lexer.expecting(tokens, 'iden'), lexer.expecting(tokens, '='))
    print(pcall(lexer.expecting, tokens, 'string'))
    tokens = lexer.lua('  x  y', {})
    print(lexer.skipws(tokens))
    print(tokens())
    print(lexer.get_keywords()['while'], lexer.get_keywords().x)
    """
    lines = lua(source).splitlines()
    assert lines[0] == "first\tx\t="
    assert lines[1].startswith("false\t") and lines[1].endswith("expecting string")
    assert lines[2:] == ["iden\tx", "space\t  ", "true\tnil"]
