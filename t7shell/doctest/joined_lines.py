"""Examples whose lines were joined when a document was turned into plain text.

`> x = 1 > print(x) 1` were three lines once. The compiler tells where a source ends; the rest is output,
whose line breaks are unknown. Prose that was joined after a bracket, `f(x)And so on`, is cut off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from t7shell.doctest.plain import ASSIGNMENT
from t7shell.engine.result import Status

Check = Callable[[str], Status]

_PROSE = re.compile(r"(?<=[)\]])(?=[A-Za-z])")
_MARKER = re.compile(r"\s+(>>|>)\s+")
_COMMENT = re.compile(r"(?:^|\s)--")
_WORD_END = re.compile(r"(?<=\S)(?=\s|$)")
_WORD_START = re.compile(r"(?:^|(?<=\s))(?=\S)")
_LAST_OUTPUT = re.compile(r"(?:[-+\d.e]+|nan|inf|true|false|nil|\[torch\..*\])$")


def split_joined(code: str, check: Check) -> list[tuple[str, str]]:
    """The sources in one line, the first prompt of which is cut off, and their outputs; [] if this is not
    such a line."""
    prose = _PROSE.search(code)
    first, *rest = _MARKER.split(code[: prose.start()] if prose else code)
    segments = [[first]]
    for marker, text in zip(rest[::2], rest[1::2], strict=True):
        if marker == ">>":
            segments[-1].append(text)
        elif _source_and_output(segments[-1], check):
            segments.append([text])
        else:
            segments[-1][-1] += f" {marker} {text}"
    found = [_source_and_output(segment, check) for segment in segments]
    return [pair for pair in found if pair] if all(found) else []


def uncommented(text: str, check: Check) -> str:
    """The statements after the comments of a line that begins with a comment; '' if there are none."""
    statements = []
    while text:
        for start in (match.start() for match in _WORD_START.finditer(text)):
            if ASSIGNMENT.match(text[start:]) and check(text[start:]) is Status.OK:
                comment = _COMMENT.search(text, start)
                end = comment.start() if comment else len(text)
                statements.append(text[start:end].strip())
                text = text[end:].strip()
                break
        else:
            return "\n".join(statements)
    return "\n".join(statements)


def _source_and_output(lines: Sequence[str], check: Check) -> tuple[str, str] | None:
    """The longest source that the lines begin with, which of the last line includes only the part before any
    comment, and the rest.
    """
    last = lines[-1]
    comment = _COMMENT.search(last)
    code = last[: comment.start()] if comment else last
    for end in reversed([match.start() for match in _WORD_END.finditer(code)]):
        source = "\n".join([*lines[:-1], code[:end].strip()])
        if check(source) is Status.OK:
            output = last[end:].strip()
            # After a comment there is output only if the line ends like output.
            only_comment = output.startswith("--") and not _LAST_OUTPUT.search(output)
            return source, "" if only_comment else output
    return None
