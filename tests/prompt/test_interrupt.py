"""Ctrl-C at the prompt: work stops, and the session with all its variables stays."""

from __future__ import annotations

import os
import platform
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.prompt_fixtures import COMMAND, CTRL_C, CTRL_D, UP, answer, open_prompt
from tests.terminal import Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")

COMPILED = "before = 6 print('go') local n = 0 while true do n = n + 1 end"


@pytest.fixture(scope="module")
def shared() -> Iterator[Terminal]:
    terminal = open_prompt()
    yield terminal
    terminal.close()


@pytest.fixture
def fresh() -> Iterator[Terminal]:
    terminal = open_prompt()
    yield terminal
    terminal.close()


def run_endlessly(terminal: Terminal, source: str) -> None:
    terminal.type(source + "\r")
    terminal.expect("\ngo\n")
    terminal.pause(0.2)


@pytest.mark.parametrize(
    "loop",
    [
        "jit.off() while true do local x = 1 + 1 end",
        "jit.off() while true do pcall(function() while true do end end) end",
        "local f = package.loaded['t7shell.host'].core_count while true do f() end",
        "local f = package.loaded['t7shell.host'].core_count while true do pcall(f) end",
        "local a = torch.rand(700, 700) while true do torch.mm(a, a) end",
        "sys.sleep(60)",
    ],
    ids=["interpreted", "pcall", "Python", "Python in pcall", "matrix products", "sleep"],
)
def test_one_ctrl_c_stops(shared: Terminal, loop: str) -> None:
    shared.type("kept = 5\r")
    run_endlessly(shared, "print('go') " + loop)
    shared.type(CTRL_C)
    shared.expect("interrupted\n")
    shared.type("jit.on()\r")
    answer(shared, "kept", "5")


def answers_after(terminal: Terminal, number: int) -> None:
    """Types an input until the prompt is there to read it: what is typed before it may be discarded."""
    for _ in range(40):
        terminal.type(f"'answer ' .. {number}\r")
        with suppress(AssertionError):
            terminal.expect(f"\nanswer {number}\n", 0.5)
            return
    raise AssertionError(f"no answer; shown: {terminal.shown[-500:]!r}")


@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_ctrl_c_at_the_end_of_a_line_does_no_harm(term: str) -> None:
    """It comes while the line runs, while its values are shown, and before the next prompt."""
    terminal = open_prompt(TERM=term)
    try:
        for number in range(13):
            terminal.type("torch.ones(3):sum()\r")
            terminal.pause(number / 1000)
            terminal.type(CTRL_C * (1 + number % 2))
            terminal.pause(0.05)
            answers_after(terminal, number)
        terminal.raw = ""
        terminal.pause(1.5)
        terminal.read()
        assert "running" not in terminal.raw
    finally:
        terminal.close()


def test_a_signal_discards_the_input_that_is_edited(shared: Terminal) -> None:
    shared.pause(0.5)
    shared.type("discarded = 4")
    shared.expect("= 4")
    os.kill(shared.pid, signal.SIGINT)
    # The next prompt, not the line that is left.
    shared.expect("t7>\n")
    answer(shared, "discarded", "nil")


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() != "x86_64", reason="compiled loops are stopped on x86-64 only")
def test_one_ctrl_c_stops_a_compiled_loop_beside_a_pool(fresh: Terminal) -> None:
    """A process with threads cannot be copied, so there is no way back from a line."""
    # Compiled before there was a pool.
    fresh.type("loop = function(n) print('go') for i = 1, n do end return n end\r")
    answer(fresh, "print(loop(1e6))", "1000000")
    answer(fresh, "pool = require('threads')(1) before = 4 print(before)", "4")
    run_endlessly(fresh, "loop(math.huge)")
    fresh.type(CTRL_C)
    fresh.expect("interrupted\n")
    fresh.expect("t7>")
    answer(fresh, "pool:addjob(function() return before end, print) pool:synchronize() print(before)", "4")


def give_up(terminal: Terminal) -> None:
    """Presses Ctrl-C until the terminal shows that a compiled loop is given up."""
    terminal.type(CTRL_C)
    terminal.expect("returns to the state before this line")
    terminal.type(CTRL_C)
    terminal.expect("returned to the state before that line\n")


@pytest.mark.slow
def test_compiled_loop_is_given_up_at_the_second_ctrl_c(fresh: Terminal) -> None:
    answer(fresh, "before = 4 big = torch.rand(100000) print(before)", "4")
    run_endlessly(fresh, COMPILED)
    give_up(fresh)
    fresh.expect("t7>")
    answer(fresh, "before, big:size(1)", "4\t100000")
    # The line is in the history, work on more than one core goes on, and so does Ctrl-C.
    fresh.type(UP * 2)
    fresh.expect("local n = 0")
    fresh.type(CTRL_C)
    product = "torch.mm(torch.ones(300, 300), torch.ones(300, 300)):add(torch.ones(300, 300)):sum()"
    answer(fresh, product, "27090000")
    run_endlessly(fresh, "print('go') jit.off() while true do end")
    fresh.type(CTRL_C)
    fresh.expect("interrupted\n")
    fresh.type("jit.on()\r")
    run_endlessly(fresh, COMPILED)
    give_up(fresh)
    fresh.expect("t7>")
    answer(fresh, "before", "4")
    fresh.pause(0.3)
    fresh.type(CTRL_D)
    assert fresh.status() == 0


def test_simple_terminal_goes_back_too() -> None:
    terminal = open_prompt(TERM="dumb")
    answer(terminal, "before = 4 print(before)", "4")
    terminal.pause(0.2)
    run_endlessly(terminal, COMPILED)
    give_up(terminal)
    terminal.pause(0.2)
    answer(terminal, "before", "4")
    terminal.close()


@pytest.mark.slow
def test_status_and_signals_go_through_after_giving_up(fresh: Terminal) -> None:
    run_endlessly(fresh, COMPILED)
    give_up(fresh)
    fresh.expect("t7>")
    fresh.type("os.exit(7)\r")
    assert fresh.status() == 7


@pytest.mark.slow
def test_kill_ends_the_prompt_after_giving_up(fresh: Terminal) -> None:
    run_endlessly(fresh, COMPILED)
    give_up(fresh)
    fresh.expect("t7>")
    os.kill(fresh.pid, signal.SIGTERM)
    assert fresh.status() == -signal.SIGTERM


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() != "x86_64", reason="compiled loops are stopped on x86-64 only")
def test_without_checkpoint_one_ctrl_c_stops_a_compiled_loop(fresh: Terminal) -> None:
    # Compiled while there are checkpoints.
    fresh.type("x = torch.zeros(2) loop = function(n) print('go') for i = 1, n do x:add(1) end end\r")
    answer(fresh, "loop(1e4) print(x[1])", "10000")
    answer(fresh, "%checkpoint off", "off")
    run_endlessly(fresh, "loop(math.huge)")
    fresh.type(CTRL_C)
    fresh.expect("interrupted\n")
    fresh.expect("t7>")
    answer(fresh, "x[1] > 1e4 and x[1] == x[2]", "true")


@pytest.mark.slow
def test_without_checkpoint_the_user_is_told_what_will_be_lost() -> None:
    terminal = open_prompt(T7_BREAK_LOOPS="off")
    try:
        answer(terminal, "%checkpoint off", "off")
        answer(terminal, "net = 1 weights = 2 print(net)", "1")
        run_endlessly(terminal, COMPILED)
        terminal.type(CTRL_C)
        terminal.expect("lists what would be lost")
        terminal.type(CTRL_C)
        terminal.expect("these are lost: net, weights\n")
        terminal.type(CTRL_C)
        assert terminal.status() == 130
    finally:
        terminal.close()


def test_no_process_stays_behind(fresh: Terminal) -> None:
    """The process that waits at a line is gone after it."""
    answer(fresh, "for i = 1, 3 do end print('done')", "done")
    fresh.expect("t7>")
    answer(fresh, "io.open('/proc/self/task/' .. 0) == nil", "true")
    fresh.pause(0.2)
    with open(f"/proc/{fresh.pid}/task/{fresh.pid}/children", encoding="ascii") as file:
        children = file.read().split()
    running = []
    for child in children:
        with open(f"/proc/{child}/stat", encoding="ascii") as file:
            running.append(file.read().rpartition(")")[2].split()[0])
    assert [state for state in running if state != "Z"] == []


@pytest.mark.parametrize(
    "wait", ["os.execute('sleep 60')", "io.read()", "io.stdin:read('*l')", "for l in io.lines() do end"]
)
def test_waiting_stops(shared: Terminal, wait: str) -> None:
    run_endlessly(shared, f"print('go') {wait} print('after')")
    shared.type(CTRL_C)
    assert "after" not in shared.expect("interrupted\n")


@pytest.mark.slow
def test_going_back_writes_nothing_twice(fresh: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "once.txt"
    answer(fresh, f"f = io.open('{path}', 'w') f:write('once') print('open')", "open")
    run_endlessly(fresh, COMPILED)
    fresh.type(CTRL_C)
    fresh.expect("Ctrl-C again")
    fresh.pause(0.4)
    fresh.type(CTRL_C)
    fresh.expect("returned to the state before that line\n")
    answer(fresh, "f:close() print('closed')", "closed")
    assert path.read_text() == "once"


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "waits", ["local n = 0 while true do n = n + #tostring(n) end", "io.read()", "os.execute('sleep 20')"]
)
def test_a_script_before_the_prompt(tmp_path: Path, waits: str) -> None:
    """Ctrl-C ends the script of `t7 -i`; its variables are there."""
    script = tmp_path / "script.lua"
    script.write_text(f"x = 5 io.stderr:write('begun\\n') {waits}")
    terminal = Terminal([*COMMAND, "-i", "--no-init", str(script)], {"TERM": "xterm"})
    try:
        terminal.expect("begun")
        terminal.pause(0.3)
        terminal.type(CTRL_C)
        assert "t7: interrupted" in terminal.expect("t7>")
        answer(terminal, "x + 1", "6")
    finally:
        terminal.close()


@pytest.mark.slow
def test_a_compiled_loop_of_a_script_before_the_prompt(tmp_path: Path) -> None:
    script = tmp_path / "script.lua"
    script.write_text("io.stderr:write('begun\\n') while true do end")
    terminal = Terminal([*COMMAND, "-i", "--no-init", str(script)], {"TERM": "xterm"})
    try:
        terminal.expect("begun")
        terminal.pause(0.3)
        terminal.type(CTRL_C)
        terminal.expect("still running in compiled code; Ctrl-C again ends t7")
        terminal.type(CTRL_C)
        assert terminal.status() == 130
    finally:
        terminal.close()
