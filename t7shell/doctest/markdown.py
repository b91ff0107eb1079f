"""The code regions of a document in Markdown.

The regions of Markdown are

- fenced blocks whose language is none or Lua. After a fence of six back-ticks or more the code may begin on
  the line of the fence itself. In lists fences are indented;
- blocks indented by four spaces that begin with a prompt.

The block directly below a fence, or below a line such as "Output:" there, is the output of its code if it is
indented by four spaces, as in an exported notebook, a fence whose language is `output` or `text`, or, below
one of Lua, a fence without a language.
"""

from __future__ import annotations

import re
from dataclasses import replace

from t7shell.doctest import directives
from t7shell.doctest.model import PROMPT, Line, Region

_FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}|~{3,})(?P<rest>.*)$")
# A language, and words or attributes such as title="net.lua"; no code such as x = 1.
_ATTRIBUTE = r"""[\w-]+=(?:"[^"`]*"|'[^'`]*'|[\w-]+)"""
_LANGUAGE = re.compile(rf"^\s*\{{?\.?(?P<word>[\w+#-]*)(?:\s{_ATTRIBUTE}(?=[\s}}]|$)|[^`()=])*$")
_RUNNABLE = {"", "lua", "torch", "torch7", "t7", "th"}
_OUTPUT = {"output", "stdout", "text", "txt", "plain", "plaintext"}
_INDENT = "    "
# A line that announces the output of the code above it.
_ANNOUNCEMENT = re.compile(
    r"^[\s*_>]*(?:(?:the|this|which|it|and|expected|will)\s+)*(?:outputs?|results?|prints?|shows?|gives?|returns?)"
    r"(?:\s+is)?[\s*_:]*$",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^#{1,6}\s|^(?:=+|-{2,})\s*$")


def has_fences(lines: list[Line]) -> bool:
    """Tells whether a text is Markdown, regardless of its file name."""
    return any(_FENCE.match(line.text) for line in lines)


def markdown_regions(lines: list[Line]) -> list[Region]:
    """The code regions of Markdown in their order."""
    regions: list[Region] = []
    above: list[Line] = []
    # The language of the runnable fence directly above, if there is one.
    below: str | None = None
    in_list = False
    at = section = 0

    def add(region: Region) -> None:
        regions.append(replace(region, directives=tuple(above), section=section))
        above.clear()

    while at < len(lines):
        words = directives.in_markdown(lines[at].text)
        fence = _FENCE.match(lines[at].text)
        if words is not None:
            above.append(replace(lines[at], text=words))
            below = None
            at += 1
        elif fence:
            inside, language, at = _fenced(lines, at, fence)
            if below is not None and _is_output(inside, language, below):
                regions[-1] = replace(regions[-1], output=inside)
                below = None
            elif language in _RUNNABLE:
                add(Region(inside, labelled=language != ""))
                # A transcript shows its outputs itself.
                below = None if any(PROMPT.match(line.text) for line in inside) else language
                in_list = fence["indent"].startswith(_INDENT)
            else:
                above.clear()
                below = None
        elif lines[at].text.startswith(_INDENT):
            block, at = _indented(lines, at)
            if block and PROMPT.match(block[0].text):
                add(Region(block, labelled=False))
            elif below is not None and not in_list:
                regions[-1] = replace(regions[-1], output=block)
            below = None
        else:
            below = None if lines[at].text.strip() and not _ANNOUNCEMENT.match(lines[at].text) else below
            section += bool(_HEADING.match(lines[at].text))
            at += 1
    return regions


def _fenced(lines: list[Line], at: int, fence: re.Match[str]) -> tuple[tuple[Line, ...], str | None, int]:
    """The lines of the fence that opens at line `at`, its language and the line after it.

    The language is None if the words after the fence are not one.
    """
    ticks, rest = fence["ticks"], fence["rest"]
    closing = re.compile(rf"^ *{re.escape(ticks[0])}{{{len(ticks)},}}\s*$")
    end = at + 1
    while end < len(lines) and not closing.match(lines[end].text):
        end += 1
    inside = [_dedented(line, len(fence["indent"])) for line in lines[at + 1 : end]]
    match = _LANGUAGE.match(rest)
    language = match["word"].lower() if match else None
    if len(ticks) >= 6:
        language = ""
        if rest.strip():
            inside.insert(0, Line(lines[at].number, rest))
    return tuple(inside), language, end + 1


def _is_output(inside: tuple[Line, ...], language: str | None, above: str) -> bool:
    """Tells whether a fence directly below a runnable one, of the language `above`, is its output."""
    if any(PROMPT.match(line.text) for line in inside):
        return False
    return language in _OUTPUT or (language == "" and above != "")


def _indented(lines: list[Line], at: int) -> tuple[tuple[Line, ...], int]:
    """The block of indented lines that begins at `at`, with blank lines inside it, and the line after it."""
    end = at
    while end < len(lines) and (lines[end].text.startswith(_INDENT) or not lines[end].text.strip()):
        end += 1
    block = [_dedented(line, len(_INDENT)) for line in lines[at:end]]
    while block and not block[-1].text.strip():
        block.pop()
    while block and not block[0].text.strip():
        block.pop(0)
    return tuple(block), end


def _dedented(line: Line, width: int) -> Line:
    """A line without its first blanks, at most `width` of them."""
    blanks = min(len(line.text) - len(line.text.lstrip(" ")), width)
    return Line(line.number, line.text[blanks:], line.text[:blanks])
