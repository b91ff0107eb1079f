"""The code regions of a document.

A document is Markdown, or plain text that holds a transcript. In Markdown the regions are

- fenced blocks whose language is none or Lua. After a fence of six back-ticks or more the code may begin on
  the line of the fence itself;
- blocks indented by four spaces that begin with a prompt.

A block indented by four spaces that stands directly below a fence is what the code of that fence printed, as
in an exported notebook. In plain text without fences every run of prompts and outputs is a region.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

PROMPT = re.compile(r"^\s*(?:t7>|th>|torch>|>(?=\s|=|$))[ \t]?(?P<code>.*)$")
CONTINUATION = re.compile(r"^\s*(?:>>|\.\.>|\. >|\.\.\.(?=\s|$))[ \t]?(?P<code>.*)$")

_FENCE = re.compile(r"^(?P<indent> {0,3})(?P<ticks>`{3,}|~{3,})(?P<rest>.*)$")
_LANGUAGE = re.compile(r"^\s*\{?\.?(?P<word>[\w+#-]*)[^`()=]*$")
_RUNNABLE = {"", "lua", "torch", "torch7", "t7", "th"}
_INDENT = "    "
# Outside of fences a line of output begins with a blank, a number, a bracket or a word that Lua prints.
OUTPUT = re.compile(r"^(?:\s+\S|[-+]?\d|[-+]?(?:nan|inf)\b|\[torch\.|\(\d|Columns \d|true\b|false\b|nil\b)")


@dataclass(frozen=True)
class Line:
    """One line of a document: its number, counted from 1, and its text."""

    number: int
    text: str


@dataclass(frozen=True)
class Region:
    """Lines of code and output that belong together; `output` is what stands apart from them below."""

    lines: tuple[Line, ...]
    output: tuple[Line, ...] = ()


def find_regions(text: str) -> list[Region]:
    """The code regions of a document in their order."""
    lines = [Line(number, line.rstrip("\r")) for number, line in enumerate(text.split("\n"), 1)]
    if any(_FENCE.match(line.text) for line in lines):
        return _markdown_regions(lines)
    return _transcript_regions(lines)


def _markdown_regions(lines: list[Line]) -> list[Region]:
    regions: list[Region] = []
    after_fence = False
    at = 0
    while at < len(lines):
        fence = _FENCE.match(lines[at].text)
        if fence:
            region, at = _fenced(lines, at, fence)
            after_fence = region is not None
            if region is not None:
                regions.append(region)
        elif lines[at].text.startswith(_INDENT):
            block, at = _indented(lines, at)
            if after_fence:
                regions[-1] = Region(regions[-1].lines, block)
            elif block and PROMPT.match(block[0].text):
                regions.append(Region(block))
            after_fence = False
        else:
            after_fence = after_fence and not lines[at].text.strip()
            at += 1
    return regions


def _fenced(lines: list[Line], at: int, fence: re.Match[str]) -> tuple[Region | None, int]:
    """The region of the fence that opens at line `at`, None for another language, and the line after it."""
    ticks, rest = fence["ticks"], fence["rest"]
    closing = re.compile(rf"^ {{0,3}}{re.escape(ticks[0])}{{{len(ticks)},}}\s*$")
    end = at + 1
    while end < len(lines) and not closing.match(lines[end].text):
        end += 1
    inside = lines[at + 1 : end]
    language = _LANGUAGE.match(rest)
    if len(ticks) >= 6:
        if rest.strip():
            inside.insert(0, Line(lines[at].number, rest))
    elif language is None or language["word"].lower() not in _RUNNABLE:
        return None, end + 1
    indent = len(fence["indent"])
    return Region(tuple(Line(line.number, _dedent(line.text, indent)) for line in inside)), end + 1


def _indented(lines: list[Line], at: int) -> tuple[tuple[Line, ...], int]:
    """The block of indented lines that begins at `at`, with blank lines inside it, and the line after it."""
    end = at
    while end < len(lines) and (lines[end].text.startswith(_INDENT) or not lines[end].text.strip()):
        end += 1
    block = [Line(line.number, _dedent(line.text, len(_INDENT))) for line in lines[at:end]]
    while block and not block[-1].text.strip():
        block.pop()
    while block and not block[0].text.strip():
        block.pop(0)
    return tuple(block), end


def _dedent(text: str, width: int) -> str:
    """Text without its first blanks, at most `width` of them."""
    blanks = len(text) - len(text.lstrip(" "))
    return text[min(blanks, width) :]


def _transcript_regions(lines: list[Line]) -> list[Region]:
    regions: list[Region] = []
    current: list[Line] = []
    for line, following in zip(lines, [*lines[1:], Line(0, "")], strict=True):
        if PROMPT.match(line.text) or (current and _goes_on(line.text, following.text)):
            current.append(line)
        elif current:
            regions.append(Region(tuple(current)))
            current = []
    if current:
        regions.append(Region(tuple(current)))
    return regions


def _goes_on(text: str, following: str) -> bool:
    """Whether a line without a prompt belongs to the transcript above it."""
    if text.strip():
        return bool(CONTINUATION.match(text) or OUTPUT.match(text))
    return bool(OUTPUT.match(following) or PROMPT.match(following))
