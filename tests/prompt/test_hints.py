"""What the prompt says and shows where a newcomer goes wrong, or types what is no Lua."""

from __future__ import annotations

import os
import re
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from t7shell.engine import config
from t7shell.engine.engine import Engine
from t7shell.engine.report import report
from t7shell.engine.result import Status
from t7shell.host.screen import Colors
from tests.prompt_fixtures import open_prompt, typed

# Inputs that go wrong, and what is said of them. The first one has the first number.
HINTS = [
    ("local y, z = 5\nprint(z.a)\n", "; 'z' was local to input [1]; without `local` it stays"),
    (
        "x = torch.ones(2, 2)\nx:svd()\n",
        "call method 'svd' (a nil value); it is a function: torch.svd(x)",
    ),
    ("torch.narrow(torch.ones(2), 1, 1, 1)\n", "(a nil value); it is a method: x:narrow()"),
    ("x = torch.ones(2)\nx:narow(1, 1, 1)\n", "; did you mean 'narrow'?"),
    ("torch.matmul(torch.ones(2, 2), torch.ones(2, 2))\n", "; here it is `torch.mm(x, y)`"),
    ("x = torch.ones(2)\nx:masked_fill_(x:gt(0), 1)\n", "; did you mean 'maskedFill'?"),
    ("x = 5\nx != 3\n", "; Lua writes ~="),
    ("x = [1, 2]\n", "; Lua writes a list as {1, 2, 3}"),
    ("x = torch.Tensor([1, 2])\n", "; Lua writes a list as {1, 2, 3}"),
    ("x = torch.ones(2, 2)\nx[1,2]\n", "; Lua writes x[{1, 2}]"),
    ("x = torch.ones(2)\nx[1:2]\n", "; Lua writes x[{ {first, last} }]"),
    ("for i in range(3): print(i) end\n", "; Lua writes `for i = 1, n do ... end`"),
    ("f = lambda x: x + 1\n", "; Lua writes `function(x) return ... end`"),
    ("x = 1\nprint x\n", "; Lua writes print(x)"),
    ("help torch.add\n", "; ?torch.add shows help"),
    ("t7 help 'save a model'\n", "; ?words shows help"),
    ("pip install torch\n", "; `$ pip ...` runs a command"),
    ("from torch import nn\n", "; Lua writes torch = require 'torch'"),
    ("'a' + 'b'\n", "; Lua joins strings by a .. b"),
    ("nn.Linear(2, 2)\n", "; `require 'nn'` provides it"),
    ("x = 1\nx += 1\n", "; Lua writes x = x + value"),
    ("t = {n = 1}\nt.n -= 2\n", "; Lua writes t.n = t.n - value"),
    ("x = 1\nx++\n", "; Lua writes x = x + 1"),
    ("x = 1\nif x == 3 then y = 1 elif x == 4 then y = 2 end\n", "; Lua writes `elseif`"),
    ("x = 1\nif x == 3 || x then y = 1 end\n", "; Lua writes `or`"),
    ("x = 1\nif !x then y = 1 end\n", "; Lua writes `not`"),
    ("x = 7//2\n", "; Lua writes math.floor(x / y)"),
    ('x = 3\nx = f"{x}"\n', "; Lua writes string.format('%s', x)"),
    ("x = f'{x}' 5\n", "; Lua writes string.format('%s', x)"),
    ("x = 3 if y else 4\n", "; Lua writes x = condition and 3 or 4"),
    ("class Foo:\n  x = 1\n", "; Torch writes Foo = torch.class('Foo')"),
    ("if x == 3:\n", "; Lua writes `if x then ... end`"),
    ("for i in range(3):\n", ":1: unexpected symbol near ':'; Lua writes `for i = 1, n do ... end`"),
    ("y = 1\nfor v in t:\n", "; Lua writes `for i, v in ipairs(t) do ... end`"),
    ("while y: pass\n", "; Lua writes `while x do ... end`"),
    ("if y: print(3)\n", "; Lua writes `if x then ... end`"),
    ("try:\n", "; Lua writes pcall(function() ... end)"),
    ("y = 2\nlet y = 3\n", "; Lua writes local y = value"),
    ("del y.x\n", "; Lua writes y.x = nil"),
    ("assert 1 == 1\n", "; Lua writes assert(x)"),
    ("raise ValueError(3)\n", "; Lua writes error('message')"),
    ("t = {'a': 1}\n", "; Lua writes a table as {name = value}"),
    ("torch.zeros((2, 3))\n", "; Lua writes a list as {1, 2, 3}"),
    ("y @ y\n", "; Torch writes the product of matrices as x * y"),
    ("t = y == 3 ? 1 : 2\n", "; Lua writes condition and 3 or 4"),
    ("# remark\n", "; comments begin with --"),
    ("str(3)\n", "; Lua writes tostring(x)"),
    ("ls -l\n", "; `$ ls` runs the command"),
    ("pwd\n", "(`$ pwd` runs the command)"),
    ("print(“a b”)\n", "; strings are written between \" and \", not between typographic quotation marks"),
    ("“a”.x\n", "; strings are written between"),
    ("y = 5 \u2013 3\n", "; the minus sign of Lua is -, not a dash"),
    ("y \u2212 1\n", "; the minus sign of Lua is -, not \u2212"),
    ("torch.ones(2) < 1\n", " operator; x:lt(y) and x:gt(y) compare elements"),
    ("torch.ones(2) >= 1\n", " operator; x:le(y) and x:ge(y) compare elements"),
    ("'x: ' .. torch.ones(2)\n", " operator; tostring(x) is the text of a tensor"),
    ("y = torch.ones(2)\ny.T\n", "(here it is `x:t()`)"),
    ("y.dtype\n", "(here it is `x:type()`)"),
    ("y === 3\n", "; Lua writes =="),
    ("y = 6 & 3\n", "; LuaJIT writes bit.band(x, y)"),
    ("y = 6 | 3\n", "; LuaJIT writes bit.bor(x, y)"),
    ("y = 1 << 3\n", "; LuaJIT writes bit.lshift(x, n)"),
    ("[v for v in t]\n", "; Lua writes a list as {1, 2, 3}"),
    ("x is None\n", "; Lua writes x == nil"),
    ('x = "%d" % 3\n', "; Lua writes string.format('%d', x)"),
    ("y = torch.ones(2)\ny.size\n", "(it is a method: y:size())"),
    ("y = torch.ones(2)\ny.sizee\n", "(did you mean 'size'?)"),
    ("torch.rnd\n", "(did you mean 'rand'?)"),
    ("math.flor\n", "(did you mean 'floor'?)"),
    ("g = io.open('/no/such file')\nx = 1\ng:read()\n", "; io.open failed: /no/such file: No such file"),
    ("io.open('/no/such file'):read()\n", "; io.open failed: /no/such file: No such file"),
    ("print(null.x)\n", "; Lua writes nil"),
    ("null\n", "(Lua writes nil)"),
    ("self.x\n", "functions that are defined with a colon: function C:name()"),
    ("C = {} function C:m() return self.x end\nC.m()\n", "methods are called with a colon"),
    ("error({code = 2})\n", "(error object is a table value: {code = 2})"),
    ("function f(x)\n  return 1 + f{x}\nend\nf()\n", ": stack overflow"),
]


@pytest.fixture(scope="module")
def errors() -> dict[str, str]:
    """The first line of what a session says to each of the inputs."""
    mark = "io.stderr:write('end of a hint')\n"
    said = typed("".join(inputs + mark for inputs, _ in HINTS)).stderr.split("end of a hint")
    return {inputs: text.splitlines()[0] for (inputs, _), text in zip(HINTS, said, strict=False)}


@pytest.mark.parametrize(("inputs", "said"), HINTS)
def test_hints(errors: dict[str, str], inputs: str, said: str) -> None:
    assert said in errors[inputs]


@pytest.mark.parametrize("dialect", ["t7", "th"])
def test_a_package_is_not_listed_when_it_is_required(dialect: str) -> None:
    done = typed("require 'nn'\n_ == nn\nrequire('cjson')\nrequire 'pl.tablex'\n", "--dialect", dialect)
    shown = "package nn: " in done.stdout and "names (?nn lists them)\n" in done.stdout
    assert shown == ("SpatialConvolution : {...}" not in done.stdout) == (dialect == "t7")
    assert ("(local tablex = require 'pl.tablex' keeps it)" in done.stdout) == shown
    assert "encode_max_depth" in done.stdout and "package cjson" not in done.stdout


def test_strings_are_no_operators() -> None:
    assert "Lua writes" not in typed("x = 'a != b' 5\n").stderr


def test_typography_in_an_input_that_runs() -> None:
    done = typed("x = “a”\nx\xa0=\xa05\nprint(“b”)\ns = 'naïve “a” \u2013 b' -- “\ns\n")
    quotes = '(strings are written between " and ", not between typographic quotation marks)\n'
    space = "(a no-break space is part of a name; write a space)\n"
    assert done.stderr == f"{quotes}{space}{quotes}"
    assert done.stdout == "nil\nnaïve “a” \u2013 b\n"


def test_lua_of_one_line_is_no_python() -> None:
    shown = typed("x = 1 if y then x = 2 else x = 3 end end\nf = 5\nf.x.y\nt = {f = print}\nt.f\n").stderr
    assert "Lua writes" not in shown and "method" not in shown


def test_unfinished_lua_is_no_python() -> None:
    engine = Engine()
    unfinished = ["x:", "if f{\n'if y:',\n", "for i = 1, 2 do x:", "while x do y:", "-- if x:\nf(", "try:go("]
    for source in unfinished:
        assert engine.check(source).status == Status.INCOMPLETE, source
    assert ":2: " in engine.check("if true then\n  if x:\n").message


@pytest.mark.parametrize("source", ["x =\n\n\n", "for i = 1, 2 do -- two", "x = {\n"])
def test_unfinished_input_is_named_by_its_last_line(source: str) -> None:
    engine = Engine()
    shown = report(engine.execute(source, "=[7]", "prompt"), engine)
    assert shown.startswith("[7]:1: ") and f"\n     1 | {source.splitlines()[0]}\n" in shown


def test_code_for_names_of_pytorch_runs_and_is_needed() -> None:
    # In an engine of its own: packages such as torchx define some of the names.
    program = """
    for name, code in pairs(require 'shell.pytorch_names') do
       local x, y = torch.rand(3, 3), torch.rand(3, 3)
       assert(torch[name] == nil and x[name] == nil, name)
       setfenv(assert(loadstring('return ' .. code)), setmetatable({ x = x, y = y }, { __index = _G }))()
    end
    """
    result = Engine().execute(program, "=names")
    assert result.ok, result.message


def test_a_local_that_is_gone_is_explained_once() -> None:
    done = typed("local y = 5\ny\ny\nx\n")
    assert done.stdout == "nil\nnil\nnil\n"
    assert done.stderr == "('y' was local to input [1]; without `local` it stays)\n"


def test_inputs_are_numbered_for_errors_and_history() -> None:
    done = typed("x = 1\nfunction f()\n  error('no')\nend\n?x\nf()\nx = = 2\n%history 2\n%history x\n")
    assert "[2]:3: no\n" not in done.stderr and done.stderr.startswith("[2]:2: no\n     2 |   error('no')\n")
    assert "\t[2]:2: in function 'f'\n\t[3]:1: in main chunk\n" in done.stderr
    assert "[4]:1: unexpected symbol near '='" in done.stderr
    assert done.stdout.endswith("  [3]  f()\n  [4]  x = = 2\n")
    assert "%history: expected a number (got 'x')" in done.stderr


def test_no_path_into_the_library() -> None:
    done = typed("torch.ones(3):apply(function(x) error('mine') end)\nlocal t = {} table.sort({1, 2}, 5)\n")
    assert "[torch]: in function 'apply'\n" in done.stderr and ".lua" not in done.stderr


@pytest.mark.parametrize("word", ["exit", "quit", "exit()", "quit()"])
def test_words_that_leave(word: str) -> None:
    done = typed(f"1\n{word}\n2\n")
    assert (done.returncode, done.stdout) == (0, "1\n")


def test_a_variable_of_that_name_is_shown() -> None:
    assert typed("exit = 5\nexit\n6\n").stdout == "5\n6\n"


def test_the_folder(tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    done = typed(f"%cd '{tmp_path}/a b'\n%pwd\n$ cd ..\npaths.cwd()\n%cd -\n%cd nowhere\n$ cd nowhere\n")
    here = os.path.realpath(tmp_path)
    assert done.stdout.splitlines() == [f"{here}/a b", f"{here}/a b", here, here, f"{here}/a b"]
    assert done.stderr.splitlines() == ["%cd: nowhere: No such file or directory"] * 2


def test_commands_of_the_system_say_how_they_ended() -> None:
    done = typed("$ false\n$ exit 3\n$ true\n$ kill -9 $$\n")
    assert done.stderr.splitlines() == ["(status 1)", "(status 3)", "(killed by signal 9)"]


def test_a_line_that_was_begun_ends_before_the_values() -> None:
    done = typed("io.write('abc')\nio.write('a\\n')\nio.stdout:write('x') == 5\nprint('b') return 7\n")
    printed = re.sub(r"file \(0x\w+\)", "the file", done.stdout)
    assert printed == "abc\nthe file\na\nthe file\nx\nfalse\nb\n7\n"


def test_the_value_of_a_call_behind_a_semicolon_is_shown() -> None:
    done = typed("x = torch.ones(3); x:sum()\nx = 1; print(x)\nx = 5; x = 6\nx; x:nosuch();\n")
    assert done.stdout == "3\n1\n"


def test_tensors_stand_on_lines_of_their_own() -> None:
    lines = typed("torch.max(torch.Tensor{{1, 5}, {7, 3}}, 2)\n").stdout.splitlines()
    assert lines == [
        " 5",
        " 7",
        "[torch.DoubleTensor of dimension 2x1]",
        "",
        " 2",
        " 1",
        "[torch.LongTensor of dimension 2x1]",
    ]


def test_long_tensors_storages_and_globals_are_shortened() -> None:
    done = typed("torch.range(1, 10000)\ntorch.LongStorage(600):fill(3)\n_G\n")
    assert "[torch.DoubleTensor of dimension 10000]\n(12 of its elements are shown" in done.stdout
    assert "[torch.LongStorage of size 600]\n(the first 12 of its elements are shown" in done.stdout
    assert "the globals, 0 of them yours (%who lists these)\n" in done.stdout
    assert len(done.stdout.splitlines()) < 40
    assert len(typed("torch.range(1, 400)\n").stdout.splitlines()) > 400


def test_values_are_shown_without_tostring() -> None:
    done = typed("tostring = nil\ntorch.ones(1)\n{5}\n1, 2\n")
    assert "[torch.DoubleTensor of dimension 1]" in done.stdout and "1 : 5" in done.stdout
    assert done.stderr == ""


def test_settings_show_all_their_mistakes(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("keys = 'ed'\ncolour = 1\nsuggest = 'no'\ncomplete = false\n")
    with pytest.raises(config.ConfigError) as caught:
        config.read(str(tmp_path / "config.toml"))
    assert [line.split(": ", 1)[1].split(";")[0] for line in str(caught.value).splitlines()] == [
        "keys: expected emacs or vi (got 'ed')",
        "unknown setting 'colour'",
        "suggest: expected true or false (got 'no')",
    ]
    assert typed("1\n", config=tmp_path).stderr.count("t7: ") == 3


@pytest.mark.slow
def test_timeit_measures_what_the_compiler_would_leave_out() -> None:
    lines = typed("%timeit math.sin(1)\n").stdout.split()
    seconds = float(lines[0]) * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3}[lines[1]]
    assert seconds > 3e-9


def test_modules_inside_of_packages_are_not_offered() -> None:
    engine = Engine()
    found = engine.helper("shell.complete")(b"require 'p")[1]
    names = {entry[1] for entry in found.values()}
    assert {"paths", "pl", "package"} & names >= {"paths", "pl"}
    assert not any(name.startswith(("paths.", "torch.", "shell")) for name in names)
    assert not list(engine.helper("shell.complete")(b"require 'shell")[1].values())


@pytest.mark.parametrize("source", ["x = 5", "1 + 1", "x = 1; x", "for i = 1, 2 do\n  x = i\nend"])
def test_an_input_is_compiled_for_the_check_alone(source: str) -> None:
    engine = Engine()
    engine.execute(source, "=[6]", "prompt")
    engine.execute("compiled = 0 jit.attach(function() compiled = compiled + 1 end, 'bc')")
    assert engine.check(source, True, "=[7]").ok
    before = engine.lua.globals().compiled
    assert engine.execute(source, "=[7]", "prompt").ok
    assert before > 0 and engine.lua.globals().compiled == before


class Terminal40:
    """A standard error of forty columns."""

    def isatty(self) -> bool:
        return True


def test_errors_fit_the_width(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine()
    last_error = engine.helper("shell.last_error")
    last_error[b"keep"] = True
    source = f"local long = '{'a' * 40}' .. nosuch.field .. '{'b' * 40}'"
    number = engine.helper("shell.prompt").enter(source.encode())
    result = engine.execute(source, f"=[{int(number)}]", "prompt")
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(sys, "stderr", Terminal40())
    shown = report(result, engine, Colors("none")).splitlines()
    assert all(len(line) < 40 for line in shown)
    code, mark = next((a, b) for a, b in pairwise(shown) if "^" in b)
    assert code[mark.index("^") : mark.rindex("^") + 1] == "nosuch"


def test_errors_have_colour_on_a_terminal() -> None:
    terminal = open_prompt("--no-init")
    try:
        terminal.raw = ""
        terminal.type("error('red')\r")
        terminal.expect("red\n")
        terminal.expect("^^^")
        assert "\x1b[31m[1]:1: red" in terminal.raw and "\x1b[1;31m^" in terminal.raw
    finally:
        terminal.close()
    assert "\x1b" not in typed("error('plain')\n").stderr


MEMORY = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2_000_000 * 1024,) * 2)
from t7shell.cli.main import main
sys.exit(main(["-i", "--no-init"]))
"""


@pytest.mark.slow
def test_the_session_survives_without_memory() -> None:
    import subprocess

    fill = "t = {} for i = 1, 1e12 do t[i] = {i} end"
    inputs = f"kept = 5\n{fill}\n1 + 1\nt = nil\nkept\n{fill}\nt = nil\nx = torch.ones(1000):sum()\nx\n"
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], input=inputs, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0 and "PANIC" not in done.stderr
    # LuaJIT says so, too, where the listener of its compiler has no memory.
    lines = [line for line in done.stderr.splitlines() if not line.startswith("VM handler failed")]
    assert sum("not enough memory" in line for line in lines) == 2
    assert done.stdout.endswith("t7> 2\nt7> t7> 5\nt7> t7> t7> t7> 1000\nt7> \n")
