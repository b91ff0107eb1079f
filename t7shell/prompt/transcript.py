"""Pasted sessions and documents, whose inputs are to run without their prompts and their output."""

from __future__ import annotations

import re
from collections.abc import Callable

from t7shell.prompt import syntax

_NAMED = re.compile(r"^\s*(?:t7|th|torch|lua)(?: \[\d+\])?>(?: |$)")
_PLAIN = re.compile(r"^\s*>(?: |$)")
_CONTINUATION = re.compile(r"^\s*(?:\.\.>|>>|>)(?: |$)")
# Prompts of Python and IPython, and of notebooks that were printed.
_PYTHON = re.compile(r"^\s*(?:>>>|In \[\d+\]:)(?: |$)")
_PYTHON_CONTINUATION = re.compile(r"^\s*\.\.\.:?(?: |$)")
_RESULT = re.compile(r"^\s*Out ?\[\d+\]:")
_SHELL = re.compile(r"^\s*\$ ")
# A command that only starts the session that follows.
_STARTS = re.compile(r"^\s*\$ (?:\S*/)?(?:t7|th|qlua|luajit|lua)\s*$")
_FIRST = (_NAMED, _PLAIN, _PYTHON)

_FENCE = re.compile(r"^\s*(?P<fence>```+|~~~+)[ \t]*(?P<language>\w*)\s*$")
_LANGUAGES = ("", "lua", "t7", "th", "torch", "console")
# The end of a tensor's display, after which code without a prompt may follow, as after a blank line.
_FOOTER = re.compile(r"^\s*\[torch\.\w+ (?:of|with) ")
_STATEMENT = re.compile(
    r"^(?:(?:local|for|while|repeat|if|do)\s|function\s+\w|--(?!\d)"
    r"|[A-Za-z_][\w.]*(?:\[[^\]]*\])*(?:\s*,\s*[A-Za-z_][\w.]*(?:\[[^\]]*\])*)*\s*=(?!=)"
    r"|[A-Za-z_][\w.]*(?:\[[^\]]*\])*(?::\w+)?\s*[({\"'])"
)

Check = Callable[[str], bool]


def is_transcript(text: str) -> bool:
    """Tells whether the first line that is not blank begins with a prompt, which no Lua does.

    That is also the case for a command of the system, if a named prompt follows.
    """
    start = text.lstrip("\n")
    first = start.partition("\n")[0]
    if any(p.match(first) for p in (*_FIRST, _CONTINUATION)):
        return True
    if not _SHELL.match(first):
        return False
    lines = start.split("\n")
    return any(map(_NAMED.match, lines[syntax.length(lines) :]))


def fenced(text: str) -> tuple[list[str], bool] | None:
    """The blocks of Lua between fences, and whether the last one is unfinished; None without a fence in the
    first line that is not blank.
    """
    lines = text.lstrip("\n").split("\n")
    if not _FENCE.match(lines[0]):
        return None
    blocks: list[str] = []
    fence, block, wanted = "", list[str](), False
    for line in lines:
        found = _FENCE.match(line)
        if not fence and found:
            fence, block, wanted = found["fence"], [], found["language"].lower() in _LANGUAGES
        elif found and found["fence"] == fence and not found["language"]:
            fence = ""
            blocks += ["\n".join(block)] if wanted else []
        else:
            block.append(line)
    blocks += ["\n".join(block)] if fence and wanted else []
    return blocks, bool(fence)


def words_before_fence(text: str) -> str:
    """The lines before the first fence; '' without one."""
    lines = text.split("\n")
    at = next((at for at, line in enumerate(lines) if _FENCE.match(line)), 0)
    return "".join(line + "\n" for line in lines[:at])


def inputs(text: str, is_finished: Check) -> list[str]:
    """The inputs of a transcript in their order.

    A line with a first prompt begins an input. Lines with a continuation prompt extend it, and so do lines
    without one until the input is finished: after that they are output. A plain `>` begins an input until
    a named prompt has been found. A prompt further to the right than the first one is output. Where a command
    of the system comes first, others are inputs, too; those that start the session are left out.
    """
    lines = text.lstrip("\n").split("\n")
    margin = next((indent(line) for line in lines if any(p.match(line) for p in _FIRST)), 0)
    first = next((p for p in _FIRST if any(map(p.match, lines))), _CONTINUATION)
    continuation = _PYTHON_CONTINUATION if first is _PYTHON else _CONTINUATION
    shell = bool(_SHELL.match(lines[0]))
    found: list[str] = []
    # The lines of an input and its output, without the first prompt.
    block: list[str] = []
    named = False
    for line in [*lines, None]:
        inside = line is not None and indent(line) <= margin
        begins = first.match(line) if line is not None and inside else None
        named = named or bool(begins)
        if line is not None and inside and not named:
            begins = _PLAIN.match(line)
        command = line if line is not None and shell and inside and _SHELL.match(line) else None
        if line is not None and not begins and not command:
            block += [line] if block else []
            continue
        found.append(_input(block, continuation, is_finished))
        if line is not None:
            starts = command and _STARTS.match(command)
            block = [] if starts else [line[begins.end() :] if begins else line.strip()]
    return [source for source in found if source.strip()]


def _input(block: list[str], continuation: re.Pattern[str], is_finished: Check) -> str:
    """The input at the beginning of lines of which the later ones may be its output."""
    taken, at = block[:1], 1
    if taken == [""] and continuation is _PYTHON_CONTINUATION:
        # The cell of a notebook that was printed.
        end = next((at for at, line in enumerate(block) if _RESULT.match(line)), len(block))
        return "\n".join(block[:end]).strip()
    while at < len(block):
        end = at
        more = continuation.match(block[at])
        if more:
            taken.append(block[at][more.end() :])
            at += 1
            continue
        while end < len(block) and not continuation.match(block[end]):
            end += 1
        if is_finished("\n".join(taken)):
            break
        count = needed(taken, block[at:end], is_finished)
        taken += block[at : at + count]
        at += count
        if at < end:
            break
    return "\n".join(taken)


def needed(taken: list[str], lines: list[str], is_finished: Check) -> int:
    """How many lines finish an input, by a number of checks that is the logarithm of theirs."""

    def enough(count: int) -> bool:
        return is_finished("\n".join([*taken, *lines[:count]]))

    low, high = 0, 1
    while high < len(lines) and not enough(high):
        low, high = high, 2 * high
    high = min(high, len(lines))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def mixed(text: str, is_finished: Check) -> list[str]:
    """The inputs of code without a prompt, and of the expressions after prompts in it; [] without a prompt.

    Such code comes first, or begins with a statement after a blank line or the display of a tensor.
    """
    lines = text.split("\n")
    prompt = next((p for p in _FIRST if any(map(p.match, lines))), None)
    if prompt is None:
        return []
    found: list[str] = []
    start, in_code, after_gap = 0, True, False
    for at, line in enumerate([*lines, None]):
        prompted = line is not None and bool(prompt.match(line))
        begins = not in_code and after_gap and line is not None and bool(_STATEMENT.match(line))
        if line is None or (prompted and in_code) or begins:
            part = "\n".join(lines[start:at])
            found += [part] if in_code else inputs(part, is_finished)
            start, in_code = at, begins
        after_gap = line is not None and (not line.strip() or bool(_FOOTER.match(line)))
    return [source for source in found if source.strip()]


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())
