"""lua-utf8: on ASCII the same as Lua's own functions, beyond it against Python and values by hand."""

from __future__ import annotations

import pytest

from t7shell import Runtime
from tests.runtimes import assert_error, runtime_fixture

# Calls whose results Lua's own library gives for ASCII.
ASCII = [
    "find('hello world', 'o w')",
    "find('hello', 'l+')",
    "find('hello', '(l)(l)')",
    "find('hello', 'xyz')",
    "find('a.b', '.', 2, true)",
    "find('hello', '')",
    "find('hello', '', 6)",
    "find('hello', 'l', -2)",
    "match('key = value', '(%w+)%s*=%s*(%w+)')",
    "match('2026-11-23', '(%d+)-(%d+)-(%d+)')",
    "match('abc', '()b()')",
    "match('f(a(b)c)d', '%b()')",
    "match('THE (quick) fox', '%f[%a]%a+%f[%A]')",
    "match('aXbX', '(.-)X')",
    "match('abcabc', '(abc)%1')",
    "match('  x', '^%s*(.-)%s*$')",
    "match('[]]', '[]]')",
    "match('a-z', '[a%-]+')",
    "match('hello', '.-l?o')",
    "match('abc', '[^a]+$')",
    "match('x', 'y?x')",
    "match('\\0a', '%z')",
    "gsub('hello world', 'o', '0')",
    "gsub('hello', '', '-')",
    "gsub('abc', '%w', '%0%0')",
    "gsub('abc', 'b', {b = 1})",
    "gsub('abc', '.', function(c) if c == 'b' then return 'X' end end)",
    "gsub('hello', 'l', 'L', 1)",
    "gsub('a b', '(%w) (%w)', '%2 %1')",
    "gsub('aaa', '^a', 'b')",
    "gsub('x', 'x', '%%')",
    "gsub('abc', '$', '!')",
    "sub('hello', 2, -2)",
    "sub('hello', -3)",
    "sub('hello', 9)",
    "reverse('abc')",
    "byte('abc', 1, -1)",
    "byte('abc')",
    "upper('abc')",
    "lower('ABC')",
    "len('hello')",
    "char(72, 105)",
]


lua = runtime_fixture("utf8 = require 'lua-utf8'")


@pytest.mark.parametrize("call", ASCII)
def test_ascii(lua: Runtime, call: str) -> None:
    lua.execute(f"a, b = {{utf8.{call}}}, {{string.{call}}}")
    lua.execute("same = #a == #b for i = 1, #b do same = same and a[i] == b[i] end")
    assert lua.eval("same"), (lua.eval("tostring(a[1])"), lua.eval("tostring(b[1])"))


def test_words_of_gmatch(lua: Runtime) -> None:
    lua.execute("t = {} for w in utf8.gmatch('größe naïve  Ωmega', '%a+') do t[#t + 1] = w end")
    assert lua.eval("table.concat(t, '|')") == "größe|naïve|Ωmega"
    lua.execute("t = {} for k, v in utf8.gmatch('a=ä, b=β', '(%w)=(%w)') do t[#t + 1] = k .. v end")
    assert lua.eval("table.concat(t, '|')") == "aä|bβ"


def test_characters(lua: Runtime) -> None:
    lua.execute("s = 'aé€😀z'")
    assert lua.eval("utf8.len(s)") == 5 and lua.eval("utf8.sub(s, 2, 4)") == "é€😀"
    assert lua.eval("utf8.reverse(s)") == "z😀€éa" and lua.eval("utf8.char(97, 233, 8364, 128512, 122) == s")
    lua.execute("t = {utf8.byte(s, 1, -1)} u = {utf8.codepoint(s, 1, -1)}")
    assert [lua.eval(f"t[{i}]") for i in range(1, 6)] == [ord(c) for c in "aé€😀z"]
    assert [lua.eval(f"u[{i}]") for i in range(1, 6)] == [ord(c) for c in "aé€😀z"]
    lua.execute("t = {} for i, c in utf8.codes(s) do t[#t + 1] = i .. ':' .. c end")
    assert lua.eval("table.concat(t, ' ')") == "1:97 2:233 4:8364 7:128512 11:122"
    assert [lua.eval(f"utf8.offset(s, {n})") for n in (1, 3, 6, -1)] == [1, 4, 12, 11]
    assert lua.eval("utf8.upper('größe Ω')") == "GRÖßE Ω" and lua.eval("utf8.lower('ÄΩ')") == "äω"
    assert lua.eval("utf8.ncasecmp('Größe', 'GRÖßE')") == 0 and lua.eval("utf8.ncasecmp('a', 'B')") == -1
    assert lua.eval("utf8.width('a日é')") == 4
    assert lua.eval("utf8.insert('aé', 2, 'ß')") == "aßé" and lua.eval("utf8.remove('aéb', 2, 2)") == "ab"
    lua.execute("i, j = utf8.find('größe', 'ß') k, l = utf8.find('größe', 'ß', 1, true)")
    assert [lua.eval(name) for name in "ijkl"] == [4, 4, 4, 4]
    assert lua.eval("(utf8.gsub('äöü', '[ä-ö]', '%0.'))") == "ä.ö.ü"
    assert lua.eval("(utf8.gsub('Éa', '%u', ''))") == "a"
    lua.execute("t = {} for c in string.gmatch(s, utf8.charpattern) do t[#t + 1] = c end")
    assert lua.eval("#t") == 5


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        # a at byte 1, é at 2, the euro sign at 4, z at 7.
        ("charpos(s)", "1 97"),
        ("charpos(s, 3)", "4 8364"),
        ("charpos(s, -1)", "7 122"),
        ("charpos(s, -4)", "1 97"),
        ("charpos(s, 5)", "nil"),
        ("charpos(s, -5)", "nil"),
        ("charpos(s, 4, -1)", "2 233"),
        ("charpos(s, 4, 1)", "7 122"),
        ("charpos(s, 0, 2)", "4 8364"),
        ("charpos(s, 0, -2)", "4 8364"),
        ("next(s)", "1 97"),
        ("next(s, 2)", "4 8364"),
        ("next(s, 2, 2)", "7 122"),
        ("next(s, 7)", "nil"),
        ("next('')", "nil"),
        ("widthindex('a日b', 1)", "1 1 1"),
        ("widthindex('a日b', 3)", "2 2 2"),
        ("widthindex('a日b', 4)", "3 1 1"),
        ("widthindex('a日b', 5)", "4"),
        ("escape('%65%66c')", "ABc"),
        ("escape('%u{246}%xF6g%x{20aC}')", "öög€"),
        ("escape('100%% %{1 %a%')", "100% {1 a"),
    ],
)
def test_positions(lua: Runtime, call: str, wanted: str) -> None:
    lua.execute(f"s = 'aé€z' t = {{utf8.{call}}} t[1] = tostring(t[1])")
    assert lua.eval("table.concat(t, ' ')") == wanted


def test_next_iterates(lua: Runtime) -> None:
    lua.execute("t = {} for at, point in utf8.next, 'aé€z' do t[#t + 1] = at .. ':' .. point end")
    assert lua.eval("table.concat(t, ' ')") == "1:97 2:233 4:8364 7:122"


def test_bytes_that_are_not_utf8(lua: Runtime) -> None:
    lua.execute("n, at = utf8.len('a\\255b')")
    assert lua.eval("n") is None and lua.eval("at") == 2 and lua.eval("utf8.len('a\\255b', 1, -1, true)") == 3
    # Surrogates and longer forms than needed are not.
    assert lua.eval("(utf8.len('\\237\\160\\128')) == nil and (utf8.len('\\192\\128')) == nil")
    assert lua.eval("utf8.sub('a\\255b', 2) == '\\255b' and utf8.upper('a\\255') == 'A\\255'")
    assert lua.eval("utf8.match('a\\255b', 'a(.)b') == '\\255'")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("find('a', '[a')", "utf8.find: malformed pattern (missing ])"),
        ("match('a', '%')", "utf8.match: malformed pattern (ends with %)"),
        ("match('a', '(a')", "utf8.match: malformed pattern (unfinished capture)"),
        ("match('a', 'a)')", "utf8.match: malformed pattern (unexpected ))"),
        ("char(-1)", "utf8.char: code point must be a whole number from 0 to 1114111 (got -1)"),
        ("escape('%{99999999}')", "utf8.escape: code point must be a whole number from 0 to 1114111"),
        ("widthindex('a', 0)", "utf8.widthindex: cell must be"),
        ("len({})", "utf8.len: argument 1 must be a string"),
        ("codepoint('\\255')", "utf8.codepoint: byte 1 is not UTF-8"),
        (
            "gsub('a', 'a', function() return {} end)",
            "utf8.gsub: the replacement must be a string or a number",
        ),
    ],
)
def test_wrong_input(lua: Runtime, call: str, message: str) -> None:
    assert_error(lua, f"utf8.{call}", message)


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        # The letter of a case, where Unicode has a single one: for each letter, also in titles.
        ("lower('İß')", "iß"),
        ("upper('ßﬁᾳ')", "ßﬁᾼ"),
        ("title('яσς x')", "ЯΣΣ X"),
        ("fold('ßẞİᾼς')", "ßßİᾳσ"),
        ("lower(65)", "97"),
        ("upper(223)", "223"),
        ("title(0x1c6)", "453"),
        ("fold(0x3c2)", "963"),
        ("insert('é1', -9, 'x')", "xé1"),
        ("insert('é1', 0, 'x')", "é1x"),
        ("insert('é1', 9, 'x')", "é1x"),
        ("remove('é1', 6)", "é1"),
        ("offset('aé€', 2, 2)", "4"),
        ("offset('aé€', -1, 4)", "2"),
        ("offset('aé€', 0, 5)", "4"),
        ("offset('aé€', 0)", "1"),
        ("offset('aé€', 3, 4)", "nil"),
    ],
)
def test_calls_give_what_the_original_gives(lua: Runtime, call: str, wanted: str) -> None:
    lua.execute(f"t = {{utf8.{call}}} for i = 1, 2 do t[i] = t[i] and tostring(t[i]) end")
    assert lua.eval("t[1] and table.concat(t, ' ') or 'nil'") == wanted


def test_offset_refuses_bytes_within_characters(lua: Runtime) -> None:
    assert_error(lua, "utf8.offset('é', 1, 2)", "byte 2 is within a character")
