"""Transcripts: a pasted session whose inputs are to run, without its prompts and its output."""

from __future__ import annotations

import re
from collections.abc import Callable

_NAMED = re.compile(r"^\s*(?:t7|th|torch|lua)>(?: |$)")
_PLAIN = re.compile(r"^\s*>(?: |$)")
_CONTINUATION = re.compile(r"^\s*(?:\.\.>|>>|>)(?: |$)")
_PROMPTS = re.compile(r"^\s*(?:t7>|th>|torch>|lua>|\.\.>|>>|>)(?: |$)")


def is_transcript(text: str) -> bool:
    """Tells whether the first line that is not blank begins with a prompt, which no Lua does."""
    lines = text.strip("\n").splitlines()
    return bool(lines) and bool(_PROMPTS.match(lines[0]))


def code_before(text: str) -> tuple[str, str] | None:
    """The code before a transcript, and the transcript; None for a text without a named prompt, and for one
    that begins with a prompt.
    """
    lines = text.splitlines()
    first = next((at for at, line in enumerate(lines) if _NAMED.match(line)), 0)
    code = "\n".join(lines[:first])
    return (code, "\n".join(lines[first:])) if code.strip() else None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def inputs(text: str, is_finished: Callable[[str], bool]) -> list[str]:
    """The inputs of a transcript in their order.

    A line with a first prompt begins an input. Lines with a continuation prompt extend it, and so do lines
    without one until the input is finished: after that they are output. A plain `>` begins an input until
    a named prompt has been found. A prompt further to the right than the first one is
    output.
    """
    lines = text.splitlines()
    margin = next((_indent(line) for line in lines if _PROMPTS.match(line)), 0)
    first = next((p for p in (_NAMED, _PLAIN) if any(p.match(line) for line in lines)), _CONTINUATION)
    found: list[str] = []
    named = False
    for line in lines:
        inside = _indent(line) <= margin
        begins = first.match(line) if inside else None
        named = named or bool(begins)
        if not named and inside:
            begins = _PLAIN.match(line)
        goes_on = None if begins or not inside else _CONTINUATION.match(line)
        if begins:
            found.append(line[begins.end() :])
        elif found and goes_on:
            found[-1] += "\n" + line[goes_on.end() :]
        elif found and not is_finished(found[-1]):
            found[-1] += "\n" + line
    return [source for source in found if source.strip()]
