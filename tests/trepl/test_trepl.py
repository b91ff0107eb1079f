"""trepl: what scripts use of the package of Torch7's prompt."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]

SOURCE = "local c = require 'trepl.colorize' io.write('<', c.red('x'), c.Blue('y'), c.underline('z'), '>')"


def test_colours_on_a_terminal_only(t7: Run) -> None:
    assert t7("-e", SOURCE).stdout == "<xyz>"
    pytest.importorskip("pty")
    from tests.terminal import Terminal

    terminal = Terminal([sys.executable, "-m", "t7shell", "-e", SOURCE], {})
    terminal.expect(">")
    assert "<\x1b[0;31mx\x1b[0m\x1b[1;34my\x1b[0m\x1b[4mz\x1b[0m>" in terminal.raw


def test_a_prompt_within_a_script_is_explained(t7: Run) -> None:
    done = t7("-e", "local repl = require 'trepl' print(1) repl()")
    assert done.stdout == "1\n"
    assert "trepl: its prompt is that of t7: `t7 -i script.lua` starts it" in done.stderr
