"""Lines and regions of a document, and the prompts that begin its lines."""

from __future__ import annotations

import re
from dataclasses import dataclass

PROMPT = re.compile(r"^\s*(?:(?:t7|th|torch)(?: \[\d+\])?>|>(?=\s|=|$))[ \t]?(?P<code>.*)$")
CONTINUATION = re.compile(r"^\s*(?:>>|\.\.>|\. >|\.\.\.(?=\s|$))[ \t]?(?P<code>.*)$")


@dataclass(frozen=True)
class Line:
    """One line: its number in the file, counted from 1, its text, and the characters before the text in the
    file."""

    number: int
    text: str
    prefix: str = ""


@dataclass(frozen=True)
class Region:
    """Lines of code and output that belong together; `output` is the separate block below them.

    `directives` are the words of the directives above. In a `plain` region lines may have been joined when
    the text was extracted; one that is `tentative` too may turn out to be prose. `cell` is the number of a
    cell of a notebook, counted from 0: its lines are one source, as those of a `script` are. A `labelled` one
    is said to be Lua. `section` is the number of headings above.
    """

    lines: tuple[Line, ...]
    output: tuple[Line, ...] = ()
    directives: tuple[Line, ...] = ()
    plain: bool = False
    tentative: bool = False
    cell: int | None = None
    script: bool = False
    labelled: bool = True
    section: int = 0


def split_lines(text: str) -> list[Line]:
    """The lines of a file."""
    return [Line(number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), 1)]
