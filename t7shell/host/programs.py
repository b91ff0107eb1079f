"""Programs that Lua's side runs, by a list of arguments and never through a shell."""

from __future__ import annotations

import shutil
import subprocess

from t7shell.host.failures import returning_failures


def find_program(name: str) -> bool:
    """Whether there is a program of this name, which may have letters, digits, `-`, `_` and `.`."""
    plain = name.replace("-", "").replace("_", "").replace(".", "").isalnum() and not name.startswith("-")
    return plain and shutil.which(name) is not None


@returning_failures(OSError, ValueError)
def run_program(text: str, *arguments: str) -> bytes | tuple[None, str]:
    """Runs a program with the input ``text``; returns its output, or (None, message)."""
    command = [item.encode("latin-1") for item in arguments]
    done = subprocess.run(command, input=text.encode("latin-1"), capture_output=True, check=False)
    if done.returncode:
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return None, words[-1] if words else f"it ended with status {done.returncode}"
    return done.stdout
