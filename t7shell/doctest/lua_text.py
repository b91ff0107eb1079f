"""Comments and strings of Lua source, found without a compiler."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

STRING_OR_COMMENT = re.compile(
    r"--\[(?P<c>=*)\[.*?(?:\](?P=c)\]|\Z)"
    r"|(?P<line>--[^\n]*)"
    r"|\[(?P<s>=*)\[.*?(?:\](?P=s)\]|\Z)"
    r"|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?",
    re.DOTALL,
)


@dataclass(frozen=True)
class Comment:
    """A comment: where it begins and ends in the source, its text with the dashes, and whether it is long."""

    start: int
    end: int
    text: str
    long: bool


def comments(source: str) -> Iterator[Comment]:
    """The comments of a source in their order."""
    for match in STRING_OR_COMMENT.finditer(source):
        if match[0].startswith("--"):
            yield Comment(match.start(), match.end(), match[0], match["line"] is None)


def without_comments(source: str) -> str:
    """The source with a blank in place of each comment; line breaks stay."""
    return STRING_OR_COMMENT.sub(
        lambda match: re.sub(r"[^\n]", " ", match[0]) if match[0].startswith("--") else match[0], source
    )
