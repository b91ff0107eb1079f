"""Lua files as documents: the program itself, whose statements may be annotated, and the examples in its
comments.

In a comment an example is a transcript with prompts, a fenced block, or a line of code with an arrow:
`-- area(2, 3) --> 6`. They run after the program, whose result is a global named after the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from t7shell.doctest.annotated import has_arrow
from t7shell.doctest.lua_text import comments
from t7shell.doctest.markdown import has_fences, markdown_regions
from t7shell.doctest.model import PROMPT, Line, Region
from t7shell.doctest.plain import transcripts

_DASHES = re.compile(r"^\s*-*(?:\[=*\[)? ?")
_CODE = re.compile(r"^\s*[A-Za-z_(=#{\"']")


def lua_regions(text: str, lines: Sequence[Line]) -> list[Region]:
    """The program, and the examples of its comments in their order."""
    program = [
        replace(line, text="") if line.text.startswith("#") and line.number == 1 else line for line in lines
    ]
    regions = [Region(tuple(program), script=True)] if text.strip() else []
    for block in _comment_blocks(text, lines):
        regions += _examples(block)
    return regions


def _comment_blocks(text: str, lines: Sequence[Line]) -> Iterator[list[Line]]:
    """The lines of comments without code, grouped where they are adjacent, without their dashes."""
    block: list[Line] = []
    for comment in comments(text):
        first = text.count("\n", 0, comment.start)
        if lines[first].text[: comment.start - text.rfind("\n", 0, comment.start) - 1].strip():
            continue
        last = text.count("\n", 0, comment.end)
        if block and (comment.long or block[-1].number != first):
            yield block
            block = []
        block += [_bare(line, at == first) for at, line in enumerate(lines[first : last + 1], first)]
        if comment.long:
            yield block
            block = []
    if block:
        yield block


def _bare(line: Line, dashed: bool) -> Line:
    match = _DASHES.match(line.text) if dashed else None
    return Line(line.number, line.text[match.end() :], match[0]) if match else line


def _examples(block: list[Line]) -> list[Region]:
    if has_fences(block):
        return markdown_regions(block)
    if any(PROMPT.match(line.text) for line in block):
        return [Region(lines) for lines in transcripts(block)]
    return [
        Region((line,), labelled=False) for line in block if _CODE.match(line.text) and has_arrow(line.text)
    ]
