"""The prompt, on a pseudo-terminal and line by line."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.prompt_fixtures import COMMAND, CTRL_C, CTRL_D, UP, answer, open_prompt, typed
from tests.terminal import Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("history") / "state" / "inputs"


@pytest.fixture(scope="module")
def shared(history: Path) -> Iterator[Terminal]:
    """One prompt for the tests that leave it as it was."""
    terminal = open_prompt(history=str(history))
    yield terminal
    terminal.close()


@pytest.fixture
def fresh() -> Iterator[Terminal]:
    """A separate prompt, for a test that ends it."""
    terminal = open_prompt()
    yield terminal
    terminal.close()


def test_values_are_printed_in_one_line(shared: Terminal) -> None:
    answer(shared, "1 + 1", "2")
    answer(shared, "= 'a', nil, 3", "a\tnil\t3")


def test_unfinished_input_continues(shared: Terminal) -> None:
    shared.type("for i = 8, 9 do\r")
    shared.expect("..>")
    answer(shared, "print(i) end", "8\n9")


def test_semicolon_silences(shared: Terminal) -> None:
    shared.type("'sil' .. 'ent';\r")
    shared.type("'aud' .. 'ible'\r")
    assert "\nsilent\n" not in shared.expect("\naudible\n")


def test_wrong_input_is_an_error_at_once(shared: Terminal) -> None:
    shared.type("x = = 3\r")
    shared.expect("]:1: unexpected symbol near '='\n")


def test_error_keeps_the_session(shared: Terminal) -> None:
    shared.type("kept = 41\r")
    shared.type("kept = kept + 1 error('boo')\r")
    shared.expect("]:1: boo\n")
    answer(shared, "kept", "42")


def test_locals_belong_to_their_input(shared: Terminal) -> None:
    shared.type("local y = 3\r")
    answer(shared, "y", "nil")


def test_ctrl_c_drops_the_line(shared: Terminal) -> None:
    shared.type("dropped = 1" + CTRL_C)
    shared.expect("t7>")
    answer(shared, "dropped", "nil")


def test_pasted_lines_are_one_input(shared: Terminal) -> None:
    shared.type("\x1b[200~local a = 20\nlocal b = 3\nprint(a * b)\x1b[201~")
    answer(shared, "", "60")


def test_history(shared: Terminal, history: Path) -> None:
    answer(shared, "'from ' .. 'history'", "from history")
    answer(shared, UP, "from history")
    assert "+'from ' .. 'history'" in history.read_text()
    assert history.stat().st_mode & 0o077 == 0


def test_ctrl_d_leaves(fresh: Terminal) -> None:
    fresh.type(CTRL_D)
    assert fresh.status() == 0


def test_exit_leaves_with_its_status(fresh: Terminal) -> None:
    fresh.type("os.exit(4)\r")
    assert fresh.status() == 4


def test_simple_terminal() -> None:
    terminal = Terminal([*COMMAND, "--dialect", "th"], {"TERM": "dumb"})
    terminal.expect("th> ")
    terminal.type("2 * 3\r")
    terminal.expect("\n6\t\nth> ")
    terminal.pause(0.1)
    terminal.type(CTRL_C)
    terminal.expect("\nth> ")
    terminal.type(CTRL_D)
    assert terminal.status() == 0
    assert "\x1b" not in terminal.shown
    terminal.close()


@pytest.mark.parametrize("name", ["config.toml", "init.lua"])
def test_ctrl_c_ends_reading_a_pipe_that_nobody_writes(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    terminal = Terminal(COMMAND, {"TERM": "dumb", "T7_HISTORY": "", "T7_CONFIG": str(tmp_path)})
    writer = None
    end = time.monotonic() + 30
    while writer is None:
        assert time.monotonic() < end
        terminal.pause(0.02)
        # Fails until the prompt opens the pipe.
        with suppress(OSError):
            writer = os.open(tmp_path / name, os.O_WRONLY | os.O_NONBLOCK)
    # One that comes between opening and reading is noticed at the next.
    while f"{name}: interrupted\n" not in terminal.shown:
        assert time.monotonic() < end
        terminal.type(CTRL_C)
        terminal.pause(0.5)
    os.close(writer)
    terminal.type("6 * 7\r")
    terminal.expect("\n42\n")
    terminal.close()


def test_line_by_line() -> None:
    inputs = "x = {1,\n2}\n#x\nerror('boo')\nlocal function f() error('deep') end f()\nx[1];\nx[2]\n(open"
    done = typed(inputs)
    assert done.stdout == "2\n2\n"
    assert done.stderr.splitlines()[:8] == [
        "[3]:1: boo",
        "     1 | error('boo')",
        "       | ^^^^^^^^^^^^",
        "[4]:1: deep",
        "     1 | local function f() error('deep') end f()",
        "       | " + "^" * 40,
        "stack traceback:",
        "\t[4]:1: in function 'f'",
    ]
    assert "'<eof>'" in done.stderr and done.returncode == 0


def test_errors_of_plots_are_marked() -> None:
    """They come from Python, through a module of the shell."""
    done = typed("require 'gnuplot';\ngnuplot.plot('a', torch.ones(3), 'zz')")
    assert done.stderr.splitlines()[1:] == [
        "     1 | gnuplot.plot('a', torch.ones(3), 'zz')",
        "       | " + " " * 8 + "^" * 4,
    ]
