"""cjson against Python's json, which reads and writes the same texts; messages as lua-cjson words them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from t7shell import Runtime

Lua = Callable[[str], str]

DOCUMENTS = [
    "[]",
    "{}",
    "null",
    "[1, -2.5, 1e3, 0.125, 12345678901]",
    '{"a": {"b": [true, false, null, {"c": "d"}]}, "e": ""}',
    "[0, -0.5, 0.10, 10E-2, 1.5e+3, -7, 0e1, 98.25 ,1\n]",
    '"' + "long texts " * 30 + '/"',
    '"\\u00e9\\ud83d\\ude00 \\" \\\\ \\/ \\b\\f\\n\\r\\t"',
    '"plain é \U0001f600"',
    ' \t\r\n [ [ [ ] ] , { "x" : [ { } ] } ] \n',
    json.dumps([{"id": i, "words": ["w" * i, "é" * i]} for i in range(200)]),
]


def without_null(value: object) -> object:
    """The value as Lua's tables hold it: null is an object, empty lists and objects are one."""
    if isinstance(value, list):
        return [without_null(item) for item in value] or {}
    if isinstance(value, dict):
        return {key: without_null(item) for key, item in value.items()}
    return value


@pytest.mark.parametrize("document", DOCUMENTS)
def test_what_is_read_and_written_again_is_what_python_reads(document: str) -> None:
    runtime = Runtime()
    runtime.globals()["document"] = document
    runtime.execute("cjson = require 'cjson' ; again = cjson.encode(cjson.decode(document))")
    assert json.loads(runtime.globals()["again"]) == without_null(json.loads(document))


def test_numbers_that_are_no_json_are_read_as_the_original_read_them(lua: Lua) -> None:
    source = """
    local cjson = require 'cjson'.new()
    for _, text in ipairs{'1.', '01', '-01', '1.e3', '0x10', '-0x1p4'} do
       io.write(cjson.decode('[' .. text .. ']')[1], ' ')
    end
    for _, text in ipairs{'.5', '-', '1..2', '1.2.3', '1-2', '--1', '1a', '1.0x'} do
       io.write(tostring(pcall(cjson.decode, '[' .. text .. ']')), ' ')
    end
    cjson.decode_invalid_numbers(false)
    for _, text in ipairs{'01', '-01', '0x10', '-inf', '-NaN'} do
       io.write(tostring(pcall(cjson.decode, '[' .. text .. ']')), ' ')
    end
    io.write(cjson.decode('[1e400]')[1], ' ', cjson.decode('[-' .. ('9'):rep(400) .. ']')[1])
    """
    assert lua(source) == "1 1 -1 1000 16 -16 " + "false " * 13 + "inf -inf"


def test_every_character_survives(lua: Lua) -> None:
    source = """
    local cjson, parts = require 'cjson', {}
    for i = 0, 255 do parts[i + 1] = string.char(i) end
    local text = table.concat(parts)
    print(cjson.decode(cjson.encode(text)) == text)
    print(cjson.encode('\\0\\1\\31/\\127'))
    """
    assert lua(source) == 'true\n"\\u0000\\u0001\\u001f\\/\\u007f"\n'


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("", "Expected value but found T_END at character 1"),
        ("[1 2]", "Expected comma or array end but found T_NUMBER at character 4"),
        ("{1: 2}", "Expected object key string but found T_NUMBER at character 2"),
        ('{"a" 2}', "Expected colon but found T_NUMBER at character 6"),
        ('{"a": 2 true', "Expected comma or object end but found T_BOOLEAN at character 9"),
        ("[] null", "Expected the end but found T_NULL at character 4"),
        ("nothing", "Expected value but found invalid token at character 1"),
        ('"abc', "Expected value but found unexpected end of string at character 5"),
        ('"\\x"', "Expected value but found invalid escape code at character 2"),
        # Text after a value that is wrong by itself, numbers that are not JSON, and a zero byte.
        ('[1"\\x"]', "Expected comma or array end but found invalid escape code at character 4"),
        ('"" "a', "Expected the end but found unexpected end of string at character 6"),
        ("[1 -]", "Expected comma or array end but found invalid number at character 4"),
        ("[1nan]", "Expected comma or array end but found T_NUMBER at character 3"),
        ("true+1", "Expected the end but found T_NUMBER at character 5"),
        ("[1,\0]", "Expected value but found T_END at character 4"),
        ('"\\ud800"', "Expected value but found invalid unicode escape code at character 2"),
        ("[" * 1001, "Found too many nested data structures (1001) at character 1001"),
        ("1\0", "JSON parser does not support UTF-16 or UTF-32"),
    ],
)
def test_what_is_no_json_is_an_error_that_says_where(document: str, message: str) -> None:
    runtime = Runtime()
    runtime.globals()["document"] = document
    runtime.execute("_, why = pcall(require 'cjson'.decode, document)")
    assert runtime.globals()["why"].endswith(message)


def test_settings_belong_to_one_instance(lua: Lua) -> None:
    source = """
    local strict, cjson = require('cjson').new(), require 'cjson'
    strict.decode_invalid_numbers(false)
    strict.encode_invalid_numbers('null')
    print(select(2, pcall(strict.decode, '[0x10]')), cjson.decode('[0x10, nan]')[1])
    print(strict.encode { 0 / 0, 1 / 0 }, pcall(cjson.encode, { 1 / 0 }))
    print((strict.encode_sparse_array(true, 1, 3)), cjson.encode_sparse_array())
    print(cjson.decode(strict.encode { [1] = 'a', [9] = 'b' })['9'])
    print(strict.encode_max_depth(2), pcall(strict.encode, { { {} } }))
    print(pcall(strict.encode_number_precision, 17))
    """
    out = lua(source).splitlines()
    assert out[0].endswith("invalid number at character 2\t16")
    assert out[1].startswith("[null,null]\tfalse\t") and out[1].endswith("must not be NaN or Infinity")
    assert out[2] == "true\tfalse\t2\t10"
    assert out[3] == "b"
    assert out[4].endswith("excessive nesting (3)")
    assert "argument 1 must be a whole number from 1 to 16 (got 17)" in out[5]


def test_safe_returns_messages(lua: Lua) -> None:
    source = """
    local safe = require 'cjson.safe'
    print(safe.decode('{'))
    print(safe.encode { print })
    print(safe.decode(safe.encode { 1, 2 })[2])
    print(pcall(safe.decode))
    """
    assert lua(source).splitlines()[:3] == [
        "nil\tExpected object key string but found T_END at character 2",
        "nil\tCannot serialise function: type not supported",
        "2",
    ]


def test_wrong_arguments_blame_the_program(lua: Lua) -> None:
    out = lua("print(pcall(function() require 'cjson'.decode({}) end))")
    assert out.endswith("test:1: decode: argument 1 must be a string (got table {})\n")


def test_arguments_are_checked(lua: Lua) -> None:
    out = lua("""
    local cjson = require 'cjson'
    for _, call in ipairs { { cjson.decode }, { cjson.decode, {} }, { cjson.encode_keep_buffer, 3 } } do
       print(select(2, pcall(unpack(call))))
    end
    """).splitlines()
    assert out[0].endswith("decode: takes 1 argument (got 0)")
    assert out[1].endswith("decode: argument 1 must be a string (got table {})")
    assert out[2].endswith("encode_keep_buffer: argument 1 must be true or false (got 3)")


def test_signs_and_words_as_the_original(lua: Callable[[str], str]) -> None:
    # What lua-cjson of Torch7 printed.
    assert lua("""
        local cjson, strict = require 'cjson', require('cjson').new()
        strict.decode_invalid_numbers(false)
        print(cjson.decode('[+1]')[1], cjson.decode('[+.5]')[1])
        for _, text in ipairs{'[nan]', '[-inf]', '[0x10]', '{"a":1,"}'} do
            print((select(2, pcall(strict.decode, text))))
        end
    """).splitlines() == [
        "1\t0.5",
        "Expected value but found invalid token at character 2",
        "Expected value but found invalid number at character 2",
        "Expected value but found invalid number at character 2",
        "Expected object key string but found unexpected end of string at character 10",
    ]
