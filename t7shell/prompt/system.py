"""Commands of the system, typed after `$` or `!`."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

from t7shell.host import encoding

if TYPE_CHECKING:
    from t7shell.prompt.session import Session

# `cd` alone or with a folder: in a subshell it would have no effect.
_CD = re.compile(r"cd(?:\s+([^;&|<>]+))?\s*")


def run(session: Session, command: str) -> None:
    """Runs a command; under `th` its output is kept for Lua, too."""
    session.engine.flush()
    folder = _CD.fullmatch(command)
    if folder:
        session.evaluate(f"%cd {folder[1] or ''}")
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
        encoding.write(f"$ {command}: {reason}\n")
