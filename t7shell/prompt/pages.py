"""Shows long texts by a pager."""

from __future__ import annotations

import os
import shutil
import sys

from t7shell.host import encoding


def show(content: str) -> None:
    """Prints a text, with the pager of the system if it is longer than the screen."""
    lines = content.count("\n") + 2
    if sys.stdout.isatty() and sys.stdin.isatty() and os.environ.get("TERM") != "dumb":
        height = shutil.get_terminal_size().lines
        if lines > height:
            import pydoc

            pydoc.pager(content)
            return
    encoding.write(content + "\n", sys.stdout)
