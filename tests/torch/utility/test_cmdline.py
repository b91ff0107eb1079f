"""torch.CmdLine."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

Lua = Callable[[str], str]
Run = Callable[..., object]


def test_values_have_the_type_of_their_defaults(lua: Lua) -> None:
    printed = lua("""
        local cmd = torch.CmdLine()
        cmd:option('-n', 1) cmd:option('-s', 'x') cmd:option('-b', true) cmd:option('-c', false)
        cmd:argument('file') cmd:argument('count', 'how many', 'number')
        local p = cmd:parse{'a.lua', '-n', '-2.5', '-b', '7', '-s', '-9', '-c'}
        print(p.n, p.s, p.b, p.c, p.file, p.count, type(p.n), type(p.s), type(p.count))
        cmd = torch.CmdLine()
        cmd:option('-lr', 0.1)
        print(cmd:parse(nil).lr)
    """)
    assert printed == "-2.5\t-9\tfalse\ttrue\ta.lua\t7\tnumber\tstring\tnumber\n0.1\n"


def test_the_last_of_two_options_counts(lua: Lua) -> None:
    assert lua("local c = torch.CmdLine() c:option('-n', 1) print(c:parse{'-n', '2', '-n', '3'}.n)") == "3\n"


def test_names_of_directories(lua: Lua) -> None:
    printed = lua("""
        local cmd = torch.CmdLine()
        cmd:option('-size', 10) cmd:option('-flag', false) cmd:option('-dir', 'x') cmd:option('-same', 1)
        local p = cmd:parse{'-size', '20', '-flag', '-dir', 'y'}
        local print = print
        _G.print = function() end
        local a = cmd:string('exp', p, { dir = true })
        local b = cmd:string('exp', cmd:default(), {})
        local c = cmd:string('exp', cmd:default(), { same = false })
        cmd:argument('input')
        local d = cmd:string('exp', { input = 'f' }, {})
        _G.print = print
        print(a) print(b) print(c) print(d)
    """)
    assert printed == "exp,flag=t,size=20\nexp\nexp,same=1\nexp,input=f,\n"


def test_mistakes_end_the_program_with_help(t7: Run) -> None:
    for words, mistake in ((["-x"], "invalid argument: -x"), (["-n"], "missing argument for option -n"),
                           (["-n", "abc"], "invalid type for option -n (should be number)")):
        source = "cmd = torch.CmdLine() cmd:option('-n', 1, 'a number') cmd:parse(arg) print('on')"
        done = t7("-e", f"arg = {{{', '.join(repr(word) for word in words)}}} {source}")
        assert done.returncode == 1  # type: ignore[attr-defined]
        assert done.stdout == "\n\nUsage: [options]\n  -n a number [1]\n"  # type: ignore[attr-defined]
        assert done.stderr == mistake  # type: ignore[attr-defined]


@pytest.mark.parametrize("declared", ["argument('file', '', 'boolean')", "option('-n', {}, '')"])
def test_words_have_no_other_types(lua: Lua, declared: str) -> None:
    # Such options and arguments could be declared in Torch7, too, but not be given.
    printed = lua(f"""
        local cmd = torch.CmdLine()
        cmd:{declared}
        function cmd:error(message) error(message, 0) end
        print(pcall(cmd.parse, cmd, {{ cmd.options['-n'] and '-n' or 'true', 'true' }}))
    """)
    wanted = r"^false\tinvalid type for \w+ (-n|file) \(should be (boolean|table)\)\n"
    assert re.search(wanted, printed)


# What the original printed.
def test_an_empty_help_is_printed_as_a_space(lua: Lua) -> None:
    printed = lua("""
        local cmd = torch.CmdLine()
        cmd:option('-task', 1, '')
        cmd:option('-longer', 'x', 'help')
        cmd:option('-a', true)
        cmd:argument('-file', '')
        cmd:argument('-other')
        cmd:help()
    """)
    assert printed == (
        "Usage: [options] <file> <other>\n"
        "  -task    [1]\n"
        "  -longer help [x]\n"
        "  -a      [true]\n"
        "  <file>  \n"
        "  <other>\n"
    )


def test_a_mistake_is_told_before_the_help(t7: Run) -> None:
    done = t7("-e", "io.stderr = io.stdout cmd = torch.CmdLine() cmd:error('wrong')")
    assert done.stdout.splitlines()[:3] == ["", "wrong", "Usage: [options]"]  # type: ignore[attr-defined]


def test_help_has_no_tabs_at_the_ends_of_lines(t7: Run) -> None:
    """`print` of the dialect adds one; the original writes the help without it."""
    program = "cmd = torch.CmdLine() cmd:text('Train') cmd:option('-lr', 0.1, 'rate') cmd:help{[0] = 'x.lua'}"
    done = t7("--dialect", "th", "-e", program)
    assert done.stdout == "Usage: x.lua [options]\nTrain\n  -lr rate [0.1]\n"


def test_help_is_no_mistake(t7: Run, tmp_path: Path) -> None:
    script = tmp_path / "script.lua"
    script.write_text("cmd = torch.CmdLine() cmd:option('-n', 1) cmd:argument('file') cmd:parse(arg)")
    done = t7(str(script), "-help")
    assert done.returncode == 0  # type: ignore[attr-defined]
    assert done.stdout.splitlines() == [  # type: ignore[attr-defined]
        f"Usage: {script} [options] <file>", "  -n     [1]", "  <file>"
    ]


def test_logs_hold_what_is_printed(t7: Run, tmp_path: Path) -> None:
    path = tmp_path / "log"
    done = t7("-e", f"""
        cmd = torch.CmdLine()
        cmd:addTime('name', '%Y')
        cmd:log('{path}', {{ b = 2, a = 1 }})
        print('x', nil, 5)
    """)
    assert done.stdout.splitlines()[-1] == "x\tnil\t5"  # type: ignore[attr-defined]
    lines = [line.rstrip() for line in path.read_text().splitlines()]
    assert lines[2][4:] == "[name]:  a 1"
    assert lines[3][4:] == "[name]:  b 2"
    assert lines[-1][4:] == "[name]:  x nil 5"


def test_separators_and_words_with_a_hyphen(lua: Lua) -> None:
    printed = lua("""
        local print, cmd = print, torch.CmdLine(';', ':')
        cmd:option('-n', 1) cmd:option('-m', 1) cmd:option('--long', 5) cmd:argument('file')
        local params = cmd:parse { '-zz', '-n', '3' }
        _G.print = function(...) if (...):find 'WARNING' then print(...) end end
        local name = cmd:string('p', { n = 2, m = 3, long = 6 }, {})
        _G.print = print
        print(name, params.file, params.n)
        print(select(2, pcall(cmd.option, cmd, '-none')):match 'option .*')
    """)
    assert printed.splitlines() == [
        "WARNING: unknown option/argument: long IGNORING for DIRECTORY NAME",
        "p;m:3;n:2\t-zz\t3",
        "option -none has no default value",
    ]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("help(3)", "help: the words must be a table (got 3)"),
        ("parse('x')", "parse: the words must be a table (got 'x')"),
        ("option('-a', 1, {})", "option: the help of -a must be a string (got table {})"),
        ("argument('a', true)", "argument: the help of a must be a string (got true)"),
        ("string({}, {})", "string: the prefix must be a string (got table {})"),
        ("string('a', {}, 3)", "string: the names to ignore must be a table (got 3)"),
        ("log()", "log: the file must be a name or an open file (got nil)"),
        ("log(io.stdout, 3)", "log: the parameters must be a table (got 3)"),
    ],
)
def test_wrong_arguments(lua: Lua, call: str, message: str) -> None:
    assert lua(f"print(select(2, pcall(function() torch.CmdLine():{call} end)))").endswith(f": {message}\n")


def test_a_space_separates_arguments(lua: Lua) -> None:
    # What Torch7 printed.
    source = "c = torch.CmdLine() c:argument('-in', 'a file') c:argument('-out') c:help{[0]='x.lua'}"
    assert lua(source) == "Usage: x.lua [options] <in> <out>\n  <in>  a file\n  <out>\n"


def test_times_without_a_name_and_fields(t7: Run, tmp_path: Path) -> None:
    """The fields and the lines of Torch7: without a name only the time is before a line."""
    path = tmp_path / "log"
    done = t7("-e", f"""
        cmd = torch.CmdLine()
        before = cmd.silentio
        cmd:addTime(nil, 'T') cmd:silent()
        cmd:log('{path}')
        print('x', 5)
        io.write(tostring(before), ' ', tostring(cmd.silentio), ' ', cmd.dateformat)
        cmd:addTime('name', 'T')
        io.write(' ', cmd.dateformat)
    """)
    assert done.stdout == "false true T T[name]: "  # type: ignore[attr-defined]
    assert path.read_text().splitlines()[-1] == "T x 5 "
