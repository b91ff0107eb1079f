"""The examples of a region: a piece of source, and the output that the document shows for it.

There are two kinds of regions. In a transcript the source follows prompts (`t7>`, `th>`, `> `) and
continuation prompts (`>>`, `. >`, `..>`), and lines without a prompt continue the source while it is
incomplete; lines before the first prompt are set-up. Everything else is output. In a region without prompts
the source ends before a line that cannot be Lua, or with an expression after `=`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from t7shell.doctest import directives
from t7shell.doctest.directives import DirectiveError, Directives
from t7shell.doctest.joined_lines import Check, split_joined, uncommented
from t7shell.doctest.model import CONTINUATION, PROMPT, Line, Region
from t7shell.doctest.plain import OUTPUT
from t7shell.engine.result import Status

_COMMENT = re.compile(r"^\s*--(?!\d)")
_EXPRESSION = re.compile(r"^\s*=(?!=)")
_NAMED = re.compile(r"^\s*(?:t7|th|torch)>")
# A word that begins a statement, an assignment or a call.
_STATEMENT = re.compile(
    r"^\s*(?:(?:local|for|while|repeat|if|do)\b|function\s+\w|=(?!=)\s*\S"
    r"|[A-Za-z_][\w.]*(?:\[[^\]]*\])*(?:\s*,\s*[A-Za-z_][\w.]*(?:\[[^\]]*\])*)*\s*=(?!=)"
    r"|[A-Za-z_][\w.]*(?:\[[^\]]*\])*(?::\w+)?\s*[({\"'])"
)
_FOOTER = re.compile(r"^\s*\[torch\.\w+ (?:of (?:size|dimension) [\dx]+|with no dimension)\]\s*$")


@dataclass(frozen=True)
class Example:
    """A source, the number of its first line, and the wanted output: '' if the document shows none.

    `shown` are the lines of the file that hold the output, blank ones at its ends left out. The line breaks
    of an example whose lines were `joined` are lost. `cell` is the number of the cell of a notebook. A
    `script` is run as a program. An `annotation` is the output of one statement of a source, after an arrow.
    `section` is the number of headings above it.
    """

    line: int
    source: str
    wanted: str = ""
    shown: tuple[Line, ...] = field(default=(), compare=False, repr=False)
    directives: Directives = field(default=Directives(), compare=False)
    joined: bool = field(default=False, compare=False)
    cell: int | None = field(default=None, compare=False)
    script: bool = field(default=False, compare=False)
    annotation: bool = field(default=False, compare=False)
    section: int = field(default=0, compare=False)


def find_examples(region: Region, check: Check) -> list[Example]:
    """The examples of a region in their order. Raises DirectiveError, with the line's number in its text."""
    if region.cell is not None or region.script:
        found = [_whole(region)]
    else:
        found = list(_with_directives(region.lines, check, region.labelled))
    if region.plain:
        found = [real for example in found for real in _as_written(example, region.tentative, check)]
        found += _after_comments(region, check)
    if region.output and found and not found[-1].wanted:
        found[-1] = replace(found[-1], wanted=_joined(region.output), shown=_trimmed(region.output))
    above = Directives()
    for line in region.directives:
        above |= _parsed(line.number, line.text)
    return [
        replace(
            example,
            directives=_own(example, above if at == 0 else above.without_session()),
            section=region.section,
        )
        for at, example in enumerate(found)
    ]


def non_lua_examples(region: Region, examples: Sequence[Example], check: Check) -> list[Example]:
    """Those of the examples of a region that are not Lua.

    Without a prompt that names a shell of Lua a region may show anything: commands, logs, forms of arguments,
    unless its label says that it is Lua.
    """
    if region.cell is not None or region.script:
        return []
    wrong = [example for example in examples if not _compiles(example.source, check)]
    prompts = [line for line in region.lines if PROMPT.match(line.text)]
    if prompts:
        # Lines before the first prompt may show how the shell was started, and its banner.
        before = [example for example in wrong if example.line < prompts[0].number]
        named = any(_NAMED.match(line.text) for line in prompts)
        whole = not (named or region.labelled) and len(wrong) == len(examples)
        return list(examples) if whole else before
    if not wrong or region.plain or region.labelled:
        return []
    code = [line.text for line in region.lines if line.text.strip() and not _COMMENT.match(line.text)]
    statements = sum(_is_statement(text, check) for text in code)
    # Lua code with a syntax error is an example that fails.
    if 2 * statements > len(code):
        return []
    return list(examples) if wrong[0] is examples[0] else wrong


def _compiles(source: str, check: Check) -> bool:
    return check(source) is Status.OK


def _is_statement(text: str, check: Check) -> bool:
    """Tells whether a line is a statement, which output is not: neither a value nor a single name."""
    return bool(_STATEMENT.match(text)) and _compiles(text, check)


def _own(example: Example, others: Directives) -> Directives:
    """All directives of an example: above its block, above it, and at the ends of its lines."""
    found = others | example.directives
    for words in directives.at_line_end(example.source):
        found |= _parsed(example.line, words)
    return found


def _parsed(number: int, words: str) -> Directives:
    try:
        return directives.parse(words)
    except DirectiveError as mistake:
        raise DirectiveError(f"{number}: {mistake}") from None


def _whole(region: Region) -> Example:
    """The one example of a cell or of a script; a directive may be a line of it."""
    found = Directives()
    for line in region.lines:
        words = directives.on_own_line(line.text)
        if words is not None:
            found |= _parsed(line.number, words)
    source = _joined(region.lines)
    return Example(region.lines[0].number, source, directives=found, cell=region.cell, script=region.script)


def _with_directives(lines: Sequence[Line], check: Check, labelled: bool) -> Iterator[Example]:
    """The examples of lines; a directive on a separate line ends an example, and applies to the next one."""
    listing = partial(_listing, labelled=labelled)
    split = _transcript if any(PROMPT.match(line.text) for line in lines) else listing
    above, start = Directives(), 0
    for at, line in enumerate([*lines, None]):
        words = directives.on_own_line(line.text) if line else None
        if line and words is None:
            continue
        for example in split(lines[start:at], check):
            yield replace(example, directives=above)
            above = Directives()
        start = at + 1
        if line and words is not None:
            above |= _parsed(line.number, words)


def _transcript(lines: Sequence[Line], check: Check) -> Iterator[Example]:
    source: list[Line] = []
    output: list[Line] = []
    # Until the first prompt every line is set-up, and never output.
    prompted = False
    for line in lines:
        prompt, continuation = PROMPT.match(line.text), CONTINUATION.match(line.text)
        # Three dots are a prompt, or mark output that is left out.
        elided = line.text.lstrip().startswith("...") and not _unfinished(source, check)
        if prompt and not (prompted and not output and _unfinished(source, check)):
            yield from _example(source, output)
            source, output, prompted = [Line(line.number, prompt["code"])], [], True
        elif prompt:
            source.append(Line(line.number, prompt["code"]))
        elif continuation and not output and not elided:
            source.append(Line(line.number, continuation["code"]))
        elif not prompted or (not output and _unfinished(source, check)):
            source.append(line)
        elif line.text.strip() or output:
            output.append(line)
    yield from _example(source, output)


def _listing(lines: Sequence[Line], check: Check, labelled: bool) -> Iterator[Example]:
    at = 0
    while at < len(lines):
        end = _source_end(lines, at, check)
        if labelled and end < len(lines) and _is_value(lines[at:end], lines[end].text, check):
            end += 1
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
        # An expression after `=` is a separate source, without lines before or after it.
        if complete == end > start and _EXPRESSION.match(lines[end].text):
            return end
        end += 1
        if status is Status.OK:
            complete = end
            if _EXPRESSION.match(_first(source)):
                return end
    return complete if complete > start else end


def _is_value(source: Sequence[Line], text: str, check: Check) -> bool:
    """Tells whether a line below a source is an expression of a variable that it sets, and no output."""
    name = re.match(r"\s*#?([A-Za-z_]\w*)", text)
    if not name or not _compiles(f"return {text}", check):
        return False
    sets = re.compile(rf"(?<![\w.:]){name[1]}\s*(?:,[\w\s,]*)?=(?!=)")
    return any(sets.search(line.text) for line in source)


def _output_end(lines: Sequence[Line], start: int) -> int:
    """The index after the output that may begin at `start`; a footer, a comment or a blank line ends it."""
    end, shown = start, False
    while end < len(lines):
        text = lines[end].text
        if _COMMENT.match(text) or _EXPRESSION.match(text):
            return end
        # Tensors of three dimensions contain blank lines.
        following = lines[end + 1].text if end + 1 < len(lines) else ""
        if shown and not text.strip() and not OUTPUT.match(following):
            return end
        shown = shown or bool(text.strip())
        end += 1
        if _FOOTER.match(text):
            return end
    return end


def _as_written(example: Example, tentative: bool, check: Check) -> Iterator[Example]:
    """The examples of a piece of plain text, whose lines may have been joined; none for prose."""
    if check(example.source) is not Status.SYNTAX_ERROR:
        yield example
        return
    lines = example.source.split("\n")
    if tentative:
        for at, line in enumerate(lines):
            if check(line) is Status.OK:
                yield replace(example, line=example.line + at, source=line, joined=True)
            else:
                # Code without a prompt has no output: the rest of the line is prose.
                for source, output in split_joined(line, check):
                    if not output:
                        yield Example(example.line + at, source, joined=True)
        return
    parts = split_joined(lines[0], check)
    if not parts:
        yield example
    for at, (source, output) in enumerate(parts):
        # Lines below are the output of the last one.
        below = [*lines[1:], example.wanted] if at == len(parts) - 1 else []
        yield Example(example.line, source, "\n".join([output, *below]).strip(), joined=True)


def _after_comments(region: Region, check: Check) -> Iterator[Example]:
    """The code that was joined to a comment above it."""
    if region.tentative and all(_COMMENT.match(line.text) for line in region.lines):
        for line in region.lines:
            source = uncommented(line.text.strip(), check)
            if source:
                yield Example(line.number, source, joined=True)


def _first(source: Sequence[Line]) -> str:
    """The first line that is neither blank nor a comment."""
    return next((line.text for line in source if line.text.strip() and not _COMMENT.match(line.text)), "")


def _unfinished(source: Sequence[Line], check: Check) -> bool:
    return bool(source) and check(_joined(source)) is Status.INCOMPLETE


def _example(source: Sequence[Line], output: Sequence[Line]) -> Iterator[Example]:
    """The example of a source; none if it contains only blanks and comments."""
    code = [line for line in source if line.text.strip()]
    if all(_COMMENT.match(line.text) for line in code):
        return
    start = code[0].number
    kept = [line for line in source if line.number >= start]
    wanted = _joined([line for line in output if not _COMMENT.match(line.text)])
    yield Example(start, _joined(kept), wanted, _trimmed(output))


def _trimmed(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The lines without those at the ends that are blank or comments."""
    real = [at for at, line in enumerate(lines) if line.text.strip() and not _COMMENT.match(line.text)]
    return tuple(lines[real[0] : real[-1] + 1]) if real else ()


def _joined(lines: Sequence[Line]) -> str:
    return "\n".join(line.text for line in lines).rstrip()
