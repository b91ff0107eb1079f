"""Directives: instructions of a document for running its examples.

In Markdown a directive is a comment between blocks, `<!-- t7: skip -->`, and applies to the next block. In
code it is a Lua comment, `-- t7: skip`: at the end of a line it applies to the example of that line, on a
separate line to the next example. Several are separated by commas.

- skip           the example is not run
- random         its values are random: only its shape is compared
- expect-error   it must raise an error, which is compared with the output, if one is shown
- reset          a new session begins before it
- dialect NAME   from here on the session is one of this dialect: t7, th, torch5 or modern
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from t7shell.engine.options import DIALECTS

_IN_MARKDOWN = re.compile(r"^\s*<!--\s*t7:\s*(?P<words>.*?)\s*-->\s*$")
_OWN_LINE = re.compile(r"^\s*(?:(?:t7|th)?>+\s*)?--\s*t7:\s*(?P<words>.*?)\s*$")
_AT_LINE_END = re.compile(r"--\s*t7:\s*(?P<words>[^\n]*?)\s*$", re.MULTILINE)


class DirectiveError(ValueError):
    """An unknown directive, which the message names."""


@dataclass(frozen=True)
class Directives:
    """The directives of an example; `dialect` is None without a directive for it."""

    skip: bool = False
    random: bool = False
    expect_error: bool = False
    reset: bool = False
    dialect: str | None = None

    def __or__(self, other: Directives) -> Directives:
        """Both together; of two dialects the second one."""
        return Directives(
            self.skip or other.skip,
            self.random or other.random,
            self.expect_error or other.expect_error,
            self.reset or other.reset,
            other.dialect or self.dialect,
        )

    def without_session(self) -> Directives:
        """Returns the directives for every example of a block, without those that begin a session."""
        return replace(self, reset=False, dialect=None)


_FLAGS = {
    "skip": Directives(skip=True),
    "random": Directives(random=True),
    "expect-error": Directives(expect_error=True),
    "reset": Directives(reset=True),
}


def parse(words: str) -> Directives:
    """Reads `skip, random`. Raises DirectiveError."""
    found = Directives()
    for word in words.split(","):
        name, _, value = " ".join(word.split()).partition(" ")
        if name == "dialect":
            if value not in DIALECTS:
                raise DirectiveError(f"directive dialect: expected {', '.join(DIALECTS)} (got '{value}')")
            found |= Directives(dialect=value)
        elif name in _FLAGS and not value:
            found |= _FLAGS[name]
        else:
            known = "skip, random, expect-error, reset or dialect NAME"
            raise DirectiveError(f"unknown directive '{word.strip()}': expected {known}")
    return found


def in_markdown(text: str) -> str | None:
    """The words of a directive that is a line of Markdown."""
    match = _IN_MARKDOWN.match(text)
    return match["words"] if match else None


def on_own_line(text: str) -> str | None:
    """The words of a directive that is a whole line of code."""
    match = _OWN_LINE.match(text)
    return match["words"] if match else None


def at_line_end(source: str) -> list[str]:
    """The words of the directives at the ends of lines."""
    return [match["words"] for match in _AT_LINE_END.finditer(source)]
