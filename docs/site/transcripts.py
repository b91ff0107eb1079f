"""Colours of transcripts: the inputs are Lua, errors stand out, and all else is output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import BashLexer, LuaLexer
from pygments.token import Generic

# A prompt of the shell or of a terminal, one of a line that goes on, and the place that begins an error.
PROMPT = re.compile(r"(?:t7|th)> ?|\$ ")
_MORE = re.compile(r"(?:\.\.|>)> ?")
_ERROR = re.compile(r"(?:\.\.\.|\[\d+\]:\d+|\[C\]): |t7: ")


class TranscriptLexer(Lexer):  # type: ignore[misc]
    """Reads a session line by line."""

    name = "Transcript of t7"

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, Any, str]]:
        """The tokens with their places."""
        at, inside = 0, False
        for line in text.splitlines(keepends=True):
            prompt = PROMPT.match(line) or (_MORE.match(line) if inside else None)
            inside = bool(prompt)
            if prompt:
                yield at, Generic.Prompt, prompt[0]
                lexer = BashLexer() if prompt[0] == "$ " else LuaLexer()
                for place, token, value in lexer.get_tokens_unprocessed(line[prompt.end() :]):
                    yield at + prompt.end() + place, token, value
            else:
                yield at, Generic.Error if _ERROR.match(line) else Generic.Output, line
            at += len(line)


def fence(source: str, language: str, css_class: str, options: Any, md: Any, **_: Any) -> str:
    """A fenced block in HTML, as `pymdownx.superfences` asks for it."""
    formatter = HtmlFormatter(cssclass="highlight language-t7", wrapcode=True)
    return str(highlight(source, TranscriptLexer(stripnl=False), formatter))
