"""The command `t7 inspect`: it maps a file and reads headers only, without Lua and without running code."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from t7shell.core import encoding
from t7shell.t7file.model import T7FileError
from t7shell.t7file.reader import load
from t7shell.t7file.tree import lines, summary

_MOST_LINES, _LONGEST_LINE = 10000, 500

USAGE = """\
usage: t7 inspect [--json] file.t7 ...      shows what files hold
"""


def main(arguments: Sequence[str]) -> int:
    """Runs `t7 inspect` with its arguments; returns the exit status."""
    if "-h" in arguments or "--help" in arguments:
        encoding.write(USAGE, sys.stdout)
        return 0
    files = [word for word in arguments if not word.startswith("-")]
    unknown = [word for word in arguments if word.startswith("-") and word != "--json"]
    if unknown or not files:
        problem = f"unknown option '{unknown[0]}'" if unknown else "expected files (got none)"
        encoding.write(f"t7 inspect: {problem}\n{USAGE}")
        return 2
    try:
        for file in files:
            _inspect(file, "--json" in arguments, len(files) > 1)
    except OSError as reason:
        named = f"cannot open {reason.filename}: {reason.strerror}" if reason.filename else reason
        encoding.write(f"t7 inspect: {named}\n")
        return 1
    except (T7FileError, ValueError, MemoryError) as mistake:
        encoding.write(f"t7 inspect: {mistake or 'out of memory'}\n")
        return 1
    return 0


def _inspect(file: str, as_json: bool, named: bool) -> None:
    value = load(file, mmap=True)
    if as_json:
        encoding.write(json.dumps({"file": file, **summary(value)}) + "\n", sys.stdout)
        return
    if named:
        encoding.write(f"{file}:\n", sys.stdout)
    for number, line in enumerate(lines(value)):
        if number == _MOST_LINES:
            encoding.write(f"... (more than {_MOST_LINES} lines)\n", sys.stdout)
            break
        cut = line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + "..."
        encoding.write(cut + "\n", sys.stdout)
