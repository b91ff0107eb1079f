"""Prompts for tests: on a pseudo-terminal, and line by line in a pipe."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from .fork_server import COMMAND, run_t7
from .terminal import Terminal

PROMPTS = re.compile(r"^(?:t7> |th> |\.\.> )+", re.MULTILINE)
CTRL_C, CTRL_D, CTRL_R, UP, RIGHT, TAB = "\x03", "\x04", "\x12", "\x1b[A", "\x1b[C", "\t"


def open_prompt(*args: str, history: str = "", config: str = "", **env: str) -> Terminal:
    """A prompt on a terminal, with separate settings and history."""
    terminal = Terminal(
        [*COMMAND, *args],
        {
            "TERM": "xterm",
            "T7_HISTORY": history,
            "T7_CONFIG": config or os.path.join(os.sep, "no", "such", "folder"),
            **env,
        },
    )
    terminal.expect("th>" if "th" in args else "t7>")
    return terminal


def answer(terminal: Terminal, keys: str, last: str, timeout: float = 30) -> str:
    """Types an input and waits for its last line of output, alone in its line."""
    terminal.type(keys + "\r")
    return terminal.expect(f"\n{last}\n", timeout)


def paste(terminal: Terminal, lines: str) -> None:
    """Pastes lines as one input, and presses Enter."""
    terminal.type(f"\x1b[200~{lines}\x1b[201~")
    terminal.pause(0.2)
    terminal.type("\r")


def typed(inputs: str, *args: str, config: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The output of a prompt in a pipe for lines of input, without the prompts."""
    options = ["-i", *([] if config else ["--no-init"])]
    done = run_t7(*options, *args, stdin=inputs, env={"T7_CONFIG": str(config or "")})
    output = done.stdout.partition("Ctrl-D leaves.\n")[2]
    output = PROMPTS.sub("", output)
    done.stdout = output.rstrip("\n") + "\n"
    return done
