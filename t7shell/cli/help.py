"""The command `t7 help`: the manual in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from t7shell.engine.engine import Engine
from t7shell.host import encoding, screen
from t7shell.prompt import help, pages

USAGE = """\
usage: t7 help                 the chapters of the manual
       t7 help CHAPTER         a chapter: t7 help tensor
       t7 help NAME            how to use something: t7 help torch.add, t7 help '%debug'
       t7 help WORDS           the sections of the manual that mention them
"""


def main(arguments: Sequence[str]) -> int:
    """Runs `t7 help` with its arguments. Returns 0, or 1 for an unknown name."""
    if any(word in ("-h", "--help") for word in arguments):
        encoding.write(USAGE, sys.stdout)
        return 0
    columns = screen.width()
    if not arguments:
        pages.show(f"{USAGE}\n{help.chapters_text(columns)}")
        return 0
    shown = help.text_for(" ".join(arguments), Engine(), columns)
    if shown.startswith(("there is no '", "help: '", "unknown command")):
        encoding.write(f"t7 help: {shown}\n")
        return 1
    pages.show(shown)
    return 0
