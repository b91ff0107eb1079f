"""The command `t7 check`: reports problems that would stop a program, without running it."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from t7shell.engine import command_line
from t7shell.engine.engine import Engine
from t7shell.host import encoding

_ABOUT = """\
Read scripts and the files that they require, or all files of a folder, and list packages, functions, classes,
methods and files that are missing, with the line and the remedy. Nothing is run. The exit status is 1 if
something is missing.
"""


def main(arguments: Sequence[str]) -> int:
    """Checks the scripts that the arguments name. Returns 0, 1 if something is missing, 2 for wrong usage."""
    parser = argparse.ArgumentParser("t7 check", description=_ABOUT)
    parser.add_argument("scripts", nargs="+", metavar="script.lua|folder")
    return command_line.run(parser, arguments, lambda options: _check(options.scripts))


def _check(scripts: Sequence[str]) -> int:
    total = 0
    for script in scripts:
        if not os.path.isfile(script) and not os.path.isdir(script):
            problem = "not a file or folder" if os.path.exists(script) else "no such file"
            encoding.tell(f"t7 check: cannot open {script}: {problem}\n")
            return 2
        # A state for each: packages that one script loads must not be present for the next.
        report, missing, files = Engine("th").helper("shell.program_check").report(encoding.to_bytes(script))
        if report:
            encoding.tell(f"{encoding.from_lua(report)}\n", sys.stdout)
        number = f"{files} file{'s' if files > 1 else ''}"
        found = f"{missing} thing{'s' if missing > 1 else ''} missing" if missing else "nothing is missing"
        encoding.tell(f"{script}: {number} read, {found}\n", sys.stdout)
        total += missing
    return 1 if total else 0
