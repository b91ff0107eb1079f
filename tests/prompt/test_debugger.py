"""The debugger: after errors, at breakpoints and from the first line of a script."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..fork_server import run_t7
from ..prompt_fixtures import COMMAND, CTRL_C, CTRL_D, TAB, open_prompt, typed
from ..terminal import Terminal

SCRIPT = """\
local scale = 10
local function inner(x)
   local y = x * 2
   y = y + scale
   return y
end
local function outer(a)
   local b = a + 1
   return inner(b)
end
local z = outer(3)
breakpoint()
z = inner(z)
print('end', z)
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "program.lua"
    path.write_text(SCRIPT)
    return path


def debugged(lines: str, *args: str | Path) -> subprocess.CompletedProcess[str]:
    """The output of t7 for commands of the debugger in a pipe, without its prompts."""
    done = run_t7(*map(str, args), stdin=lines)
    done.stdout = done.stdout.replace("debug> ", "")
    return done


def stops(shown: str) -> list[str]:
    """The lines with an arrow in source that is shown."""
    return [line.strip() for line in re.findall(r"^->.*? \| (.*)", shown, re.MULTILINE)]


FAILS = """\
function inner(x, t) local y = x + 1
   error('no')
end
function outer(a) return inner(a, torch.ones(2, 3)) end
function first() local q = 'kept' outer(3) end
"""
FUNCTIONS = FAILS.replace("\n", " ") + "\n"
FAILING = FUNCTIONS + "first()\n"


def test_frames_of_the_last_error() -> None:
    shown = typed(FAILING + "%debug\nwhere\nup\nq\nup\ndown\nx\n").stdout.splitlines()
    assert shown[0] == "[1]:1 in 'inner' (by a tail call from 'outer', [1]:1)"
    assert shown[1].startswith("->    1 | function inner(x, t)")
    start = shown.index("debug> -> 1  [1]:1 in 'inner' (by a tail call from 'outer', [1]:1)")
    assert shown[start + 1 : start + 3] == ["   2  [1]:1 in 'first'", "   3  [2]:1 in the main chunk"]


@pytest.mark.parametrize("line", ["%cd /tmp", "$ ls", "!ls", "%who", "?torch.add", "?%cd", "torch.add?"])
def test_what_only_the_prompt_knows(line: str) -> None:
    shown = typed(FAILING + f"%debug\n{line}\n1 + 1\n").stdout
    assert f"debug> debugger: '{line}' works at the prompt only; help lists what the debugger knows" in shown
    assert "debug> 2\n" in shown


def test_words_of_other_debuggers() -> None:
    lines = "%debug\nb 5\nbreak program.lua:3\nb = 6\nb\npp b + 1\nbacktrace\nll\nq\n"
    shown = typed(FAILING + lines).stdout
    assert shown.count("breakpoint() in the program stops there") == 2
    assert "debug> 6\n" in shown and "debug> 7\n" in shown
    assert shown.count("[1]:1 in 'first'") == 1 and shown.count("->    1 | function inner") == 2


def test_expressions_and_assignments_in_a_frame() -> None:
    lines = (
        "%debug\nx + y\ny = 70; x = 1\nx + y\nt\nt[1][2] = 5\nt:sum()\n{a = x}\nmade = y\n"
        "up\nq .. '!'\nprint q\n"
    )
    shown = typed(FAILING + lines + "continue\nmade\n").stdout
    results = shown.replace("debug> ", "").split("\n")
    assert results[2:4] == ["7", "71"]
    assert "[torch.DoubleTensor of dimension 2x3]" in results
    assert "10" in results and "  a : 1" in results and "kept!" in results
    assert results[-2] == "t7> 70"


def test_a_local_of_a_line_is_explained() -> None:
    lines = "local z, k = 5\nz\nz + 1\nk = 3\nk\nx\nlocal x = 7\nx\n"
    shown = typed(FAILING + f"%debug\n{lines}").stdout.replace("debug> ", "").split("\n")
    explained = "'z' was local to an earlier line; without `local` it stays"
    assert shown[2:6] == [
        "nil",
        f"({explained})",
        f"attempt to perform arithmetic on global 'z' (a nil value); {explained}",
        "3",
    ]
    assert shown[6] == shown[7] == "3"


def test_upvalues_are_changed_for_good() -> None:
    lines = "do local n = 1 function f() local m = n error('no') end function g() return n end end\nf()\n"
    assert typed(lines + "%debug\nn = 5\nq\ng()\n").stdout.endswith("5\n")


def test_a_shadowed_variable_is_the_inner_one() -> None:
    line = "local v = 1; do local v = 2; error('no') end\n%debug\n=v\nvars\n"
    shown = typed(line).stdout
    assert "debug> 2\n" in shown and "v = 2\n" in shown and "v = 1\n" not in shown


def test_variables_without_a_value() -> None:
    shown = typed("v = 3; local v; error('no')\n%debug\nv == nil\n").stdout
    assert "debug> true\n" in shown


def test_values_of_errors_are_kept_while_expressions_fail() -> None:
    shown = typed(FAILING + "%debug\nnil + 1\nx.y.z\nerror({})\n2 +\nx\nq\n%debug\nx\n").stdout
    assert "attempt to perform arithmetic on a nil value" in shown
    assert "attempt to index" in shown and "unexpected symbol near '2'" in shown
    assert shown.count("debug> 3\n") == 2


def test_arguments_that_are_not_understood() -> None:
    lines = "%debug this\n%pdb maybe\n%who x\n%reset all\n%pwd here\n"
    assert typed(lines).stderr.splitlines() == [
        "%debug: takes no argument (got 'this')",
        "%pdb: expected on or off (got 'maybe')",
        "%who: takes no argument (got 'x')",
        "%reset: expected -f (got 'all')",
        "%pwd: takes no argument (got 'here')",
    ]
    shown = typed(FAILING + "%debug\nup x\ndown 0\nlist here\nnext 2\nwhere now\nstep\nprint\n").stdout
    for message in (
        "up: expected a number of frames (got 'x')",
        "down: expected a number of frames (got '0')",
        "list: expected the number of a line (got 'here')",
        "next: takes no argument (got '2')",
        "where: takes no argument (got 'now')",
        "step: the program has ended",
        "print: expected an expression",
    ):
        assert f"debug> {message}\n" in shown


def test_without_an_error() -> None:
    assert typed("%debug\n").stdout == "there was no error\n"


def test_pdb_begins_at_each_error() -> None:
    shown = typed(FUNCTIONS + "%pdb on\nfirst()\nx\nq\n%pdb off\nfirst()\n1 + 1\n").stdout
    assert shown.startswith("on\n[1]:1 in 'inner'") and "debug> 3\n" in shown
    assert shown.endswith("off\n2\n")


def test_a_breakpoint_and_steps(script: Path) -> None:
    done = debugged("next\nstep\nnext\nscale\nscale = 100\ny\nfinish\ncontinue\n", script)
    assert stops(done.stdout) == [
        "breakpoint()", "z = inner(z)", "local y = x * 2", "y = y + scale", "z = inner(z)",
    ]  # fmt: skip
    # outer(3) is 2 * 4 + 10, doubled.
    assert "10\n36\n" in done.stdout and done.stdout.endswith("end\t136\n")
    assert done.returncode == 0


def test_next_stays_in_its_function(script: Path) -> None:
    done = debugged("n\nn\nn\n", script)
    assert stops(done.stdout) == ["breakpoint()", "z = inner(z)", "print('end', z)"]
    assert done.stdout.endswith("end\t46\n")


def test_enter_repeats_steps(script: Path) -> None:
    assert stops(debugged("n\n\n\nc\n", script).stdout) == ["breakpoint()", "z = inner(z)", "print('end', z)"]


def test_assignments_to_local_variables_reach_the_program(script: Path) -> None:
    assert debugged("z = 1\nc\n", script).stdout.endswith("end\t12\n")


@pytest.mark.parametrize("commands", ["quit\n", "q\n", ""])
def test_quit_and_the_end_of_the_input_end_a_script(script: Path, commands: str) -> None:
    done = debugged(commands, script)
    assert done.returncode == 1 and "end\t" not in done.stdout and done.stderr == ""


def test_names_of_commands_may_be_variables(tmp_path: Path) -> None:
    path = tmp_path / "names.lua"
    path.write_text("local n, next, up = 5, 6, {x = 7}\ndebugger()\nprint(n, next)\n")
    done = debugged("=n\np next + 1\nup.x\nn = 8\nnext == 6\nc\n", path)
    assert "5\n7\n7\ntrue\n8\t6\n" in done.stdout


def test_loops_compiled_before_a_stop(tmp_path: Path) -> None:
    path = tmp_path / "loop.lua"
    path.write_text(
        "local s = 0\nfor i = 1, 1000 do\n   s = s + i\n   if i == 900 then breakpoint() end\nend\nprint(s)\n"
    )
    done = debugged("n\nn\ni\nc\n", path)
    assert stops(done.stdout)[1:] == ["for i = 1, 1000 do", "s = s + i"]
    assert done.stdout.endswith("901\n500500\n")


def test_work_of_the_library_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "network.lua"
    path.write_text(
        "require 'nn'\nbreakpoint()\nlocal m = nn.Linear(2, 2)\nlocal y = m:forward(torch.ones(2))\n"
        "local function zero(v)\n   return v * 0\nend\ny:apply(zero)\nprint(y:sum())\n"
    )
    assert stops(debugged("s\ns\ns\ns\ns\nc\n", path).stdout) == [
        "breakpoint()",
        "local m = nn.Linear(2, 2)",
        "local y = m:forward(torch.ones(2))",
        "end",
        "y:apply(zero)",
        "return v * 0",
    ]


def test_coroutines(tmp_path: Path) -> None:
    path = tmp_path / "coroutine.lua"
    path.write_text(
        "local next_of = coroutine.wrap(function()\n   local a = 1\n   coroutine.yield(a)\n   a = 2\n"
        "   coroutine.yield(a)\nend)\nbreakpoint()\nprint(next_of())\nprint(next_of())\n"
    )
    assert stops(debugged("n\nn\ns\nn\nn\nc\n", path).stdout) == [
        "breakpoint()",
        "print(next_of())",
        "print(next_of())",
        "a = 2",
        "coroutine.yield(a)",
        "print(next_of())",
    ]


def test_a_debug_hook_of_the_program_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "hook.lua"
    path.write_text(
        "local lines = 0\ndebug.sethook(function() lines = lines + 1 end, 'l')\nbreakpoint()\n"
        "local a = 1\nlocal before = lines\na = 2\na = 3\nprint(lines - before)\n"
    )
    assert debugged("n\nc\n", path).stdout.endswith("\n3\n")


def test_a_script_in_the_debugger(script: Path) -> None:
    done = debugged("next\ncontinue\nq\n", "--debug", script)
    assert stops(done.stdout) == ["local scale = 10", "end", "breakpoint()"]
    assert done.returncode == 1


def test_a_script_that_fails_in_the_debugger(tmp_path: Path) -> None:
    path = tmp_path / "fails.lua"
    path.write_text("local x = 4\nlocal y = x.a.b\n")
    done = debugged("c\nx\n", "--debug", path)
    assert stops(done.stdout) == ["local x = 4", "local y = x.a.b"]
    assert "attempt to index" in done.stderr and "\n4\n" in done.stdout and done.returncode == 1


def test_debug_needs_a_script() -> None:
    for args in (["--debug"], ["--debug", "-"]):
        done = debugged("", *args)
        assert done.returncode == 2 and "--debug: the file of a script is missing" in done.stderr


def test_stepping_ends_with_the_input() -> None:
    shown = typed("breakpoint(); x = 1\nstep\nstep\nx\nx + 1\ndebug.gethook() == nil, jit.status()\n").stdout
    assert shown.endswith("1\n2\ntrue\ttrue\n") or "true\ttrue" in shown.replace(" ", "\t")
    assert len(stops(shown)) == 1


LOOP = "for i = 1, 3 do\nbreakpoint()\nlocal a = i\n%s end\n"


@pytest.mark.parametrize(("body", "last"), [("", "q"), ("error('no')", "c"), ("error('no')", "n\nn")])
def test_steps_end_with_the_program(body: str, last: str) -> None:
    lines = LOOP % body + f"n\n{last}\nprint(jit.status(), debug.gethook())\n"
    shown = typed(lines).stdout
    assert re.search(r"^(t7> |debug> )*true\t.*nil\t", shown, re.M)
    assert "local a = i" in stops(shown)


def test_quit_of_an_input() -> None:
    done = typed("n = 0; pcall(breakpoint); n = 1\nq\nn\n")
    assert done.stdout.endswith("0\n") and done.stderr == "interrupted\n"


def test_the_functions_are_not_the_users() -> None:
    assert typed("%who\n").stdout == "no user variables\n"


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    made = open_prompt(T7_HISTORY="")
    yield made
    made.close()


def test_on_a_terminal(terminal: Terminal) -> None:
    terminal.type("for i = 1, 3 do breakpoint() print('turn', i) end\r")
    terminal.expect("debug>")
    terminal.type("i + 10\r")
    terminal.expect("\n11\n")
    terminal.type("i = 50\r")
    terminal.expect("debug>")
    terminal.type("c\r")
    terminal.expect("turn\t50")
    terminal.type("i\r")
    terminal.expect("\n2\n")
    terminal.pause(0.2)
    terminal.type(CTRL_C)
    terminal.expect("interrupted")
    terminal.type("6 * 7\r")
    terminal.expect("\n42\n")
    # Ctrl-C stops Lua as before.
    terminal.type("print('running') io.read()\r")
    terminal.expect("\nrunning\n")
    terminal.type(CTRL_C)
    terminal.expect("interrupted")


def test_tab_completes_variables_of_the_frame(terminal: Terminal) -> None:
    terminal.type("local options = {learningRate = 0.5}; breakpoint()\r")
    terminal.expect("debug>")
    terminal.pause(0.2)
    for keys in (f"opti{TAB}", f".learn{TAB}", " * 3\r"):
        terminal.type(keys)
        terminal.pause(0.3)
    terminal.expect("\n1.5\n")


def test_leaving_with_the_end_of_the_input(terminal: Terminal) -> None:
    terminal.type("local k = 8; error('no')\r")
    terminal.expect("no")
    terminal.type("%debug\r")
    terminal.expect("debug>")
    terminal.type("k * 2\r")
    terminal.expect("\n16\n")
    # Until the next line is edited, the terminal itself takes the key.
    terminal.pause(0.3)
    terminal.type(CTRL_D)
    terminal.expect("t7>")
    terminal.type("6 * 7\r")
    terminal.expect("\n42\n")


def test_a_script_on_a_terminal(script: Path) -> None:
    made = Terminal([*COMMAND, str(script)], {"TERM": "xterm", "T7_CONFIG": os.devnull})
    try:
        made.expect("debug>")
        made.type("z\r")
        made.expect("\n18\n")
        made.type(CTRL_C)
        # While the line is not edited yet, the system stops the process.
        assert made.status() in (1, 130)
    finally:
        made.close()


def test_the_session_of_the_manual(tmp_path: Path) -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "debugger.md").read_text(encoding="utf-8")
    script, session = (
        re.findall(rf"^```{kind}\n(.*?)^```$", text, re.M | re.S)[0] for kind in ("lua", "text")
    )
    (tmp_path / "mean.lua").write_text(script)
    session = session.removeprefix("$ t7 --debug mean.lua\n")
    done = subprocess.run(
        [*COMMAND, "--debug", "mean.lua"],
        input="".join(line + "\n" for line in re.findall(r"^debug> (.*)", session, re.M)),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    # Output to a pipe has no echo, and errors are on the other stream.
    expected = re.sub(r"^debug> .*\n", "debug> ", session, flags=re.M).replace(done.stderr, "")
    assert done.stdout.strip() == expected.strip() and done.stderr in session
