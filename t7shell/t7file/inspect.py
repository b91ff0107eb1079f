"""The command `t7 inspect`: it reads headers only, without Lua and without running code."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial

from t7shell.engine import command_line
from t7shell.host import encoding
from t7shell.t7file.reader import load_headers
from t7shell.t7file.tree import lines, summary

_MAX_LINES, _MAX_LINE = 10000, 500


def main(arguments: Sequence[str]) -> int:
    """Runs `t7 inspect` with its arguments; returns the exit status."""
    parser = argparse.ArgumentParser("t7 inspect", description="Show the contents of .t7 files.")
    parser.add_argument("files", nargs="+", metavar="file.t7")
    parser.add_argument(
        "--json", action="store_true", help="print the contents of each file as a line of JSON"
    )

    def work(options: argparse.Namespace) -> int:
        named = len(options.files) > 1
        # A file that cannot be read does not keep the others from being shown.
        shown = [partial(_inspect, file, options.json, named) for file in options.files]
        return max(command_line.reporting(parser.prog, one) for one in shown)

    return command_line.run(parser, arguments, work)


def _inspect(file: str, as_json: bool, named: bool) -> int:
    value = load_headers(file)
    if as_json:
        encoding.write(json.dumps({"file": file, **summary(value)}) + "\n", sys.stdout)
        return 0
    if named:
        encoding.write(f"{file}:\n", sys.stdout)
    for number, line in enumerate(lines(value)):
        if number == _MAX_LINES:
            encoding.write(f"... (more than {_MAX_LINES} lines)\n", sys.stdout)
            break
        cut = line if len(line) <= _MAX_LINE else line[:_MAX_LINE] + "..."
        encoding.write(cut + "\n", sys.stdout)
    return 0
