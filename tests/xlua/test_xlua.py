"""xlua: progress bars, named arguments, options of scripts, profiles."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.terminal import Terminal

Lua = Callable[[str], str]

UNPACK = """
local function f(...)
   local _, size, name, copy = xlua.unpack({...}, 'f', 'does it',
      {arg = 'size', type = 'number', help = 'how much', req = true},
      {arg = 'name', type = 'string', help = 'of what', default = 'x'},
      {arg = 'copy', type = 'string', help = 'again', defaulta = 'name'})
   return size, name, copy
end
"""


def test_progress_is_quiet_in_a_pipe(t7: Run) -> None:
    assert t7("-e", "for i = 1, 100 do xlua.progress(i, 100) end print('done')").stdout == "done\n"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_progress_on_a_terminal() -> None:
    code = "for i = 1, 4 do xlua.progress(i, 4) end print('done')"
    terminal = Terminal([sys.executable, "-m", "t7shell", "-e", code], {})
    shown = terminal.expect("done")
    terminal.close()
    assert re.findall(r"(\d)/4", shown) == ["1", "2", "3", "4"]
    assert "=>." in shown and "ETA: " in shown and "Tot: " in shown


def test_progress_draws_only_what_changes(lua: Lua) -> None:
    output = lua(
        "local keep, n = io.write, 0 io.write = function(...) n = n + 1 end "
        "for i = 1, 20000 do xlua.progress(i, 20000) end io.write = keep print(n)"
    )
    assert 46 <= int(output) <= 200


def test_arguments_by_position_and_by_name(lua: Lua) -> None:
    assert lua(UNPACK + "print(f(3)) print(f{size = 3, name = 'y'}) print(f(3, 'y', 'z'))") == (
        "3\tx\tx\n3\ty\ty\n3\ty\tz\n"
    )


def test_examples_in_usages(lua: Lua) -> None:
    """The original's: the second argument and the first by name, and none for a single argument."""
    program = """
    require 'xlua'
    local size = {arg = 'size', type = 'number', help = 'how much'}
    local name = {arg = 'name', type = 'string', help = 'of what'}
    local function last(...)
       local text = tostring(xlua.unpack({1}, 'f', 'does it', ...).usage):gsub('\\27%[[%d;]*m', '')
       print((text:match('}\\n(.*)%+%+$'):gsub('%+', ''):gsub('\\n', ' ')))
    end
    last(size, name, {arg = 'copy', type = 'string', help = 'again'})
    last(size)"""
    assert lua(program) == " f{name=string, size=number} f(number, ...) \n\n"


def test_missing_argument_shows_the_usage(lua: Lua) -> None:
    output = lua(UNPACK + "print(select(2, pcall(function() return (f{name = 'y'}) end)))")
    assert "size = number" in output and "[default == name]" in output
    assert output.splitlines()[-1] == "test:9: f: argument size must be a number (got nil)"


def options(tmp_path: Path, tail: str) -> str:
    script = tmp_path / "options.lua"
    script.write_text(
        "local op = xlua.OptionParser('%prog [options] file')\n"
        "op:option{'-l', '--lr', dest = 'lr', default = 0.1, help = 'learning rate'}\n"
        "op:option{'-v', '--verbose', action = 'store_true'}\n"
        "op:option{'-q', action = 'store_false', dest = 'loud', default = true}\n"
        "op:option{'--need', req = true}\n" + tail
    )
    return str(script)


def test_options_of_a_script(t7: Run, tmp_path: Path) -> None:
    show = "print(o.lr, o.verbose, o.loud, o.need, unpack(rest))"
    script = options(tmp_path, "local o, rest = op:parse() " + show)
    assert t7(script, "--need=n", "file").stdout == "0.1\tnil\ttrue\tn\tfile\n"
    assert t7(script, "--need", "n", "-l", "2", "-v", "-q", "f").stdout == "2\ttrue\tfalse\tn\tf\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--unknown"], "invalid option --unknown"),
        (["--need"], "option requires an argument --need"),
        ([], "option --need requires an argument "),
    ],
)
def test_wrong_options_end_the_script(t7: Run, tmp_path: Path, args: list[str], message: str) -> None:
    done = t7(options(tmp_path, "op:parse() print('never')"), *args)
    assert (done.returncode, done.stderr) == (1, message + "\n")
    assert done.stdout.startswith("Usage: ") and "never" not in done.stdout


def test_help_of_a_script(t7: Run, tmp_path: Path) -> None:
    done = t7(options(tmp_path, "op:parse() print('never')"), "-h")
    assert done.returncode == 0 and "never" not in done.stdout
    script = str(tmp_path / "options.lua")
    # What Torch7 printed.
    assert done.stdout == (
        f"Usage: {script} [options] file\n\nOptions:\n  -h, --help      show this help message and exit\n"
        "  -l LR, --lr=LR  learning rate [default = 0.1]\n  -v, --verbose   \n"
        "  -q               [default = true]\n"
        "  --need=NEED      [REQUIRED]\n"
    )


def test_summary_of_options(lua: Lua) -> None:
    # What Torch7 printed, in the order of its keys where that is ours.
    printed = lua("""
        local before = arg
        arg = { [0] = 'dir/train.lua', '--name=a b/c', '-v' }
        local op = xlua.OptionParser('%prog')
        op:option{'-l', '--lr', dest = 'lr', default = 0.1, help = 'rate'}
        op:option{'-n', '--name', dest = 'name', help = 'name'}
        op:option{'-v', dest = 'v', action = 'store_true', help = 'talk'}
        op:parse()
        arg = { [0] = 'dir/train.lua' }
        op:summarize() print(op:tostring(true, {})) print(op:tostring(true, {'-l', '-v'}))
        arg = before
    """)
    lines = printed.splitlines()
    assert lines[0] == "<dir/train> configuration:"
    assert sorted(lines[1:5]) == [" + __main__ = true", " + lr = 0.1", " + name = a b/c", " + v = true"]
    assert lines[5:] == ["-l=0.1,-n=a_b|c,-v=true", "-l=0.1,-v=true"]


def test_profiler(lua: Lua) -> None:
    output = lua("local p = xlua.Profiler() p:start('a') sys.sleep(0.02) print(p:lap('a'))")
    real, processor = map(float, output.split("\t"))
    assert real >= 0.02 and processor < real


def test_log_copies_what_is_printed(t7: Run, tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    done = t7("-e", f"xlua.log('{log}') print('a', 1) io.write('b\\n')")
    assert done.stdout == "a    1\nb\n" and log.read_text() == done.stdout


def test_log_makes_its_folder_and_appends(t7: Run, tmp_path: Path) -> None:
    """The functions before are kept where the original kept them."""
    log = tmp_path / "one" / "two" / "log.txt"
    for more in ("", ", true"):
        program = f"xlua.log('{log}'{more}) print{{1}} _print(print == xlua.print, io._write ~= io.write)"
        assert t7("-e", program).stdout == "{[1] = 1}\ntrue\ttrue\n"
    assert log.read_text() == "{[1] = 1}\n" * 2


def test_clear_forgets_the_variables_of_the_user_only(t7: Run) -> None:
    done = t7("-e", "mine = 1 xlua.who() xlua.clear() print(mine, torch ~= nil, print ~= nil)")
    assert done.stdout == "mine\tnumber\nnil\ttrue\ttrue\n"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(3601, "1h1s"), (3600.5, "1h500ms"), (86401.25, "1D1s"), (90061, "1D1h"), (0.9, "900ms")],
)
def test_times_show_two_units(lua: Lua, seconds: float, text: str) -> None:
    assert lua(f"print(xlua.formatTime({seconds}))") == text + "\n"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("xlua.print('a', {1}, nil)", r"a    {\n  1 : 1\n}\nnil\n"),
        ("xlua.print{'a\\nb'}", r"{[1] = a\\nb}\n"),
        ("xlua.print(setmetatable({5}, {__tostring = function() return 'obj' end}))", r"obj:\n{[1] = 5}\n"),
        ("xlua.print({{}, torch.ones(1)})", r"{[1] = table: 0x\w+,\n \[2\] = <userdata>}\n"),
        ("xlua.print()", r"nil\n"),
    ],
)
def test_print(t7: Run, source: str, shown: str) -> None:
    pattern = shown.replace("{[", r"\{\[").replace("1] =", r"1\] =").replace("{\\n", r"\{\n")
    assert re.fullmatch(pattern, t7("-e", source).stdout)


def test_defaults_of_splice_and_prune(lua: Lua) -> None:
    assert lua("print(unpack((table.splice({1, 2, 3}))))") == "2\t3\n"
    assert lua("print(unpack((table.splice({1, 2, 3}, 2))))") == "1\t3\n"
    assert lua("print(unpack(table.prune({3, 1, 2, 1, 3})))") == "1\t2\t3\n"
    merge = "function(a, b) return {a[1], a[2] .. b[2]} end"
    program = f"table.prune({{{{1, 'a'}}, {{2, 'b'}}, {{1, 'c'}}}}, function(v) return v[1] end, {merge})"
    assert lua(f"local p = {program} print(#p, p[1][2], p[2][2])") == "2\tca\tb\n"


def test_symbols_are_expressions(lua: Lua) -> None:
    assert lua("print(string.tosymbol('math.pi > 3'), string.tosymbol('({4})[1]'))") == "true\t4\n"
    assert 'symbol "nowhere" does not exist' in lua("print(pcall(string.tosymbol, 'nowhere'))")


def test_words_of_the_environment_stay_words(t7: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the original, which knows true and false only."""
    monkeypatch.setenv("t7_switch", "yes")
    monkeypatch.setenv("t7_other", "False")
    result = t7(
        "-e", "local p = xlua.envparams{t7_switch = true, t7_other = true} print(p.t7_switch, p.t7_other)"
    )
    assert result.stdout == "yes\tfalse\n"


def test_usages_as_the_original_printed_them(lua: Lua) -> None:
    program = """
    local a = {arg = 'a', type = 'number', help = 'first', req = true, default = 3, defaulta = 'b'}
    local b = {arg = 'a_long_name_of_an_argument', type = 'string of text', help = 'h', default = false}
    local page = xlua.usage('f', 'd', nil, a, b)
    print(page == xlua.usage('f', 'd', nil, {tabled = {a, b}}))
    print((page:match('f{\\n(.*)}')))
    print((xlua.usage('g', 'd', nil, {type = 'number', help = 'x', default = 3}):match('g%(\\n(.-)\\n')))"""
    assert lua(program) == (
        "true\n    a = number                          -- first  [default = 3]\n"
        "    [a_long_name_of_an_argument = string of text]-- h  [default = false]\n\n"
        "    [number]                            -- x\n"
    )


def test_usages_of_modules(lua: Lua) -> None:
    program = """
    local module = setmetatable({}, {__index = {x = 1}})
    local text = xlua.usage_module(module, 'name')
    print(text == tostring(module), module.x, (text:gsub('%+%++', '+'):gsub('\\27%[[%d;]*m', '')))"""
    assert lua(program) == "true\t1\t+\nPACKAGE:\nname\n+\n"


def test_unpack_returns_a_table_of_all(lua: Lua) -> None:
    printed = lua("""
        local args = xlua.unpack({{size = 4}}, 'grow', 'makes it larger',
           {arg = 'size', type = 'number', help = 'how much', req = true},
           {arg = 'list', type = 'table', help = 'of what', defaultf = function() return {} end})
        local usage = tostring(args.usage)
        print(args.size, args[1], type(args.list), args[2] == args.list, usage:find('grow{', 1, true))
    """)
    assert printed.split()[:4] == ["4", "4", "table", "true"]
    assert printed.split()[4] != "nil"


def test_the_profiler_takes_times_when_it_is_asked(lua: Lua) -> None:
    """As in the original: `real` and `cpu` measure anew, and reports have the last times."""
    printed = lua("""
        local p = xlua.Profiler()
        p:start('a')
        print(p:format('a'))
        print(p:real('a') >= 0, p:cpu('a') >= 0, p:real('a', 1e9) < 1e-3, (pcall(p.real, p, 'b')))
        p:start('b', 'fps')
        p.events.a.reald, p.events.a.cpud, p.events.b.reald, p.events.b.cpud = 1.5, 2.25, 0.5, 1
        p:setColor('a', 'red')
        p:printAll()
        local q = xlua.Profiler('off', true)
        q:start('z')
        q:print('z')
        q:printAll()
    """)
    assert printed == (
        "$ real | cpu: -1.000000 | -1.000000 <a>\ntrue\ttrue\ttrue\tfalse\n$ profiler report:\n"
        "$ real 1.500000 | cpu 2.250000 <a>\n$ real 0.500000 | cpu 1.000000 <b> = 2.000000 fps\n<z>"
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("xlua.formatTime('x')", "xlua.formatTime: the time must be a number (got 'x')"),
        ("xlua.unpack(nil, 'f')", "xlua.unpack: the arguments must be a table (got nil)"),
        ("xlua.unpack({}, 'f', 'd', 3)", "xlua.unpack: the definition of argument 1 must be a table (got 3)"),
        ("xlua.usage()", "xlua.usage: the name must be a string (got nil)"),
        ("xlua.require()", "xlua.require: the name must be a string (got nil)"),
        ("xlua.trycatch(print)", "xlua.trycatch: catch must be a function (got nil)"),
        ("xlua.table2string(3)", "xlua.table2string: the object must be a table (got 3)"),
        ("sys.split()", "sys.split: the text must be a string (got nil)"),
        ("sys.split('a b')", "sys.split: the pattern must be a string (got nil)"),
    ],
)
def test_errors_name_the_argument(lua: Lua, call: str, message: str) -> None:
    assert lua(f"print(select(2, pcall(function() {call} end)))").endswith(f": {message}\n")


def test_the_profiler_draws_its_lines(lua: Lua) -> None:
    program = """
    local calls = {}
    local painter = setmetatable({}, {__index = function(_, name)
       return function(_, ...)
          local values = {...}
          if name == 'setfont' then values = {values[1].size} end
          table.insert(calls, name .. ' ' .. table.concat(values, ' '))
       end
    end})
    local p = xlua.Profiler()
    p:start('a') p:start('b')
    p:setColor('b', 'red')
    p:displayAll{painter = painter, x = 5, y = 7, zoom = 0.5}
    print(table.concat(calls, '; '))"""
    assert lua(program) == (
        "setfont 12; setcolor black; moveto 5 7; show $ real -1.000000 | cpu -1.000000 <a>;"
        " setcolor red; moveto 5 25; show $ real -1.000000 | cpu -1.000000 <b>\n"
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("xlua.progress(nil, 3)", "xlua.progress: the step must be a number (got nil)"),
        ("xlua.progress(1, {})", "xlua.progress: the goal must be a number (got table {})"),
        ("xlua.unpack({}, 'f', '', {})", "xlua.unpack: the name of argument 1 must be a string (got nil)"),
        ("xlua.envparams(3)", "xlua.envparams: the defaults must be a table (got 3)"),
        ("xlua.log()", "xlua.log: the file must be a string (got nil)"),
        ("xlua.log('/proc/none/log')", "xlua.log: cannot write to /proc/none/log: No such file or directory"),
        ("xlua.OptionParser('x'):option('-a')", "OptionParser:option: the option must be a table (got '-a')"),
        ("xlua.OptionParser('x'):option{}", "OptionParser:option: the flag must be a string (got nil)"),
        ("xlua.OptionParser('x'):parse(3)", "OptionParser:parse: the options must be a table (got 3)"),
        ("xlua.Profiler():start()", "Profiler:start: the name must be a string (got nil)"),
        (
            "xlua.Profiler():displayAll()",
            "Profiler:displayAll: the arguments must be a table (got nil)",
        ),
        ("xlua.Profiler():displayAll{}", "Profiler:displayAll: painter must be a painter (got nil)"),
        (
            "local p = xlua.Profiler() p:start('a') p:lap('a', {})",
            "Profiler:real: the divider must be a number (got table {})",
        ),
        (
            "xlua.usage_module(setmetatable({}, {__metatable = 'locked'}), 'm')",
            "xlua.usage_module: the module's metatable must be a table (got 'locked')",
        ),
        ("xlua.Profiler():print('x')", "There is no such profiler - x, create it first"),
    ],
)
def test_wrong_arguments(lua: Lua, call: str, message: str) -> None:
    printed = lua(f"print(select(2, pcall(function() {call} end)))")
    assert printed.startswith("test:1: ") and printed.endswith(f"{message}\n")
