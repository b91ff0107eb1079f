"""The examples of a region: a piece of source, and the output that the document shows for it.

Two kinds of regions exist. In a transcript the source stands behind prompts (`t7>`, `th>`, `> `) and
continuation prompts (`>>`, `. >`, `..>`), and lines without any prompt go on with the source while it is
unfinished; lines before the first prompt set things up. Everything else is output. In a region without
prompts the source ends where a line cannot be Lua any more, or with an expression behind `=`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from t7shell.doctest.documents import CONTINUATION, OUTPUT, PROMPT, Line, Region
from t7shell.result import Status

# Compiles an input of the prompt without running it.
Check = Callable[[str], Status]

_COMMENT = re.compile(r"^\s*--(?!\d)")
_EXPRESSION = re.compile(r"^\s*=(?!=)")
_FOOTER = re.compile(r"^\s*\[torch\.\w+ (?:of (?:size|dimension) [\dx]+|with no dimension)\]\s*$")


@dataclass(frozen=True)
class Example:
    """A source, the number of its first line, and the wanted output: '' where the document shows none."""

    line: int
    source: str
    wanted: str = ""


def find_examples(region: Region, check: Check) -> list[Example]:
    """The examples of a region in their order."""
    if any(PROMPT.match(line.text) for line in region.lines):
        found = list(_transcript(region.lines, check))
    else:
        found = list(_listing(region.lines, check))
    if region.output and found and not found[-1].wanted:
        last = found[-1]
        found[-1] = Example(last.line, last.source, _joined(region.output))
    return found


def _transcript(lines: Sequence[Line], check: Check) -> Iterator[Example]:
    source: list[Line] = []
    output: list[Line] = []
    # Until the first prompt every line is set-up, and never output.
    prompted = False
    for line in lines:
        prompt, continuation = PROMPT.match(line.text), CONTINUATION.match(line.text)
        if prompt and not (prompted and not output and _unfinished(source, check)):
            yield from _example(source, output)
            source, output, prompted = [Line(line.number, prompt["code"])], [], True
        elif prompt:
            source.append(Line(line.number, prompt["code"]))
        elif continuation and not output:
            source.append(Line(line.number, continuation["code"]))
        elif not prompted or (not output and _unfinished(source, check)):
            source.append(line)
        elif line.text.strip() or output:
            output.append(line)
    yield from _example(source, output)


def _listing(lines: Sequence[Line], check: Check) -> Iterator[Example]:
    at = 0
    while at < len(lines):
        end = _source_end(lines, at, check)
        stop = _output_end(lines, end)
        yield from _example(lines[at:end], lines[end:stop])
        at = stop


def _source_end(lines: Sequence[Line], start: int, check: Check) -> int:
    """The index after the longest run of lines from `start` that is one source; at least one line."""
    end = complete = start
    while end < len(lines):
        source = lines[start : end + 1]
        status = check(_joined(source))
        if status is Status.SYNTAX_ERROR and complete > start:
            return complete
        # An expression behind `=` stands alone: nothing may follow it, and it begins a source of its own.
        if complete == end > start and _EXPRESSION.match(lines[end].text):
            return end
        end += 1
        if status is Status.OK:
            complete = end
            if _EXPRESSION.match(_first(source)):
                return end
    return complete if complete > start else end


def _output_end(lines: Sequence[Line], start: int) -> int:
    """The index after the output that may begin at `start`; a footer, a comment or a blank line ends it."""
    end, shown = start, False
    while end < len(lines):
        text = lines[end].text
        if _COMMENT.match(text) or _EXPRESSION.match(text):
            return end
        # A tensor of three dimensions has blank lines inside.
        following = lines[end + 1].text if end + 1 < len(lines) else ""
        if shown and not text.strip() and not OUTPUT.match(following):
            return end
        shown = shown or bool(text.strip())
        end += 1
        if _FOOTER.match(text):
            return end
    return end


def _first(source: Sequence[Line]) -> str:
    """The first line that is neither blank nor a comment."""
    return next((line.text for line in source if line.text.strip() and not _COMMENT.match(line.text)), "")


def _unfinished(source: Sequence[Line], check: Check) -> bool:
    return bool(source) and check(_joined(source)) is Status.INCOMPLETE


def _example(source: Sequence[Line], output: Sequence[Line]) -> Iterator[Example]:
    """The example of a source, none if it holds nothing but blanks and comments."""
    code = [line for line in source if line.text.strip()]
    if all(_COMMENT.match(line.text) for line in code):
        return
    start = code[0].number
    kept = [line for line in source if line.number >= start]
    shown = [line for line in output if not _COMMENT.match(line.text)]
    yield Example(start, _joined(kept), _joined(shown))


def _joined(lines: Sequence[Line]) -> str:
    return "\n".join(line.text for line in lines).rstrip()
