"""Commands of the system, typed after `$` or `!`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import suppress

from t7shell.host import encoding
from t7shell.host.failures import of_system
from t7shell.prompt.interpreter import Interpreter
from t7shell.prompt.syntax import CommandError, only

# `cd` alone or with a folder: in a subshell it would have no effect.
_CD = re.compile(r"cd(?:\s+([^;&|<>]+))?\s*")


def run(session: Interpreter, command: str) -> None:
    """Runs a command; under `th` its output is kept for Lua, too. Raises CommandError."""
    session.engine.flush()
    folder = _CD.fullmatch(command)
    if folder:
        change_folder(session, (folder[1] or "").strip())
        return
    try:
        keep = encoding.from_lua(session.prompt_module.dialect()) == "th"
        with subprocess.Popen(command, shell=True, stdout=subprocess.PIPE if keep else None) as process:
            output = session.wait(process)
        if output is not None:
            sys.stdout.buffer.write(output)
            sys.stdout.flush()
            session.prompt_module.keep_output(output)
        status = process.returncode
        if status:
            encoding.write(f"(status {status})\n" if status > 0 else f"(killed by signal {-status})\n")
    except KeyboardInterrupt:
        print()
    except OSError as reason:
        encoding.write(f"$ {command}: {of_system(reason)}\n")


def change_folder(session: Interpreter, rest: str) -> None:
    """Changes to a folder and prints its path: `-` is the one before, "" the home folder."""
    target = only("cd", rest) if rest else "~"
    if target == "-":
        if not session.last_folder:
            raise CommandError("%cd: no previous folder")
        target = session.last_folder
    before = ""
    # The current folder may have been removed.
    with suppress(OSError):
        before = os.getcwd()
    try:
        os.chdir(os.path.expanduser(target))
    except OSError as reason:
        raise CommandError(f"%cd: {target}: {reason.strerror}") from None
    session.last_folder = before
    print(os.getcwd())
