"""The code regions of plain text: transcripts between prose, and code that set them up.

A line with a prompt begins a region; continuation lines and lines that look like output belong to it.
Assignments, `= expression` and comments without a prompt may be code, which the compiler decides later.
"""

from __future__ import annotations

import re

from t7shell.doctest.model import CONTINUATION, PROMPT, Line, Region

# Outside of fences a line of output begins with a blank, a number, a bracket or a word that Lua prints.
OUTPUT = re.compile(
    r"^(?:\s+\S|[-+]?\d|[-+]?(?:nan|inf)\b|\[torch\.|\(\d|Columns \d|true\b|false\b|nil\b"
    # The location of an error.
    r"|(?:\.\.\.|\[\d+\]:\d+|[\w./-]+:\d+): )"
)
ASSIGNMENT = re.compile(
    r"^\s*(?:local\s+)?[A-Za-z_][\w.]*(?:\[[^\]]*\])*(?:\s*,\s*[A-Za-z_][\w.]*)*\s*=(?!=)\s*\S"
)
_CODE = re.compile(r"^\s*--|^=(?!=)\s*\S")


def plain_regions(lines: list[Line]) -> list[Region]:
    """The code regions of plain text in their order."""
    regions: list[Region] = []
    current: list[Line] = []
    prompted = False

    def close() -> None:
        nonlocal prompted
        if current:
            regions.append(Region(tuple(current), plain=True, tentative=not prompted))
            current.clear()
        prompted = False

    for line, following in zip(lines, [*lines[1:], Line(0, "")], strict=True):
        if PROMPT.match(line.text):
            if not prompted:
                close()
            prompted = True
            current.append(line)
        elif prompted:
            if _continues(line.text, following.text):
                current.append(line)
            else:
                close()
        if not prompted:
            if ASSIGNMENT.match(line.text) or _CODE.match(line.text):
                current.append(line)
            else:
                close()
    close()
    return regions


def transcripts(lines: list[Line]) -> list[tuple[Line, ...]]:
    """The transcripts between lines of prose: from a prompt to the last line that looks like output."""
    return [region.lines for region in plain_regions(lines) if not region.tentative]


def _continues(text: str, following: str) -> bool:
    """Tells whether a line without a prompt belongs to the transcript above it."""
    if text.strip():
        return bool(CONTINUATION.match(text) or OUTPUT.match(text) or text.lstrip().startswith("-- t7:"))
    return bool(OUTPUT.match(following) or PROMPT.match(following))
