"""Work per key that does not grow with what was pasted or with the history.

Colours, completion and suggestions consider a bounded part of the text, and long lines are shown in part.
"""

from __future__ import annotations

from collections.abc import Callable

from prompt_toolkit.auto_suggest import AutoSuggest, Suggestion
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.layout.processors import Processor, Transformation, TransformationInput
from prompt_toolkit.lexers import Lexer, SimpleLexer

COLORED = 30_000  # characters of an input that is coloured
_CONTEXT = 60_000  # characters before the cursor that completion reads
_SHOWN = 10_000  # characters of a line
_ELLIPSIS = "..."
_SUGGESTED = 10_000  # characters of an input of the history that is suggested
_SEARCHED = 1_000_000  # characters of the history that are searched for a suggestion


def before_cursor(document: Document) -> str:
    """The text before the cursor: of a long one the last lines, at least."""
    end = document.cursor_position
    text = document.text[max(0, end - _CONTEXT) : end]
    return text if end <= _CONTEXT else text[text.find("\n") + 1 :]


class SmallInputs(Lexer):
    """A lexer for inputs that are not large; others have one colour."""

    def __init__(self, lexer: Lexer) -> None:
        self._lexer, self._plain = lexer, SimpleLexer()

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        lexer = self._lexer if len(document.text) <= COLORED else self._plain
        return lexer.lex_document(document)


class Excerpt(Processor):
    """Shows the part of a long line around the cursor, or its beginning."""

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        fragments, document = transformation_input.fragments, transformation_input.document
        length = sum(len(fragment[1]) for fragment in fragments)
        if length <= _SHOWN:
            return Transformation(fragments)
        here = transformation_input.lineno == document.cursor_position_row
        column = document.cursor_position_col if here else 0
        start = max(0, min(column - _SHOWN // 2, length - _SHOWN))
        text = "".join(fragment[1] for fragment in fragments)[start : start + _SHOWN]
        left = _ELLIPSIS if start else ""
        right = _ELLIPSIS if start + _SHOWN < length else ""
        return Transformation(
            [(fragments[0][0], left + text + right)],
            source_to_display=lambda at: min(max(at - start, 0), _SHOWN) + len(left),
            display_to_source=lambda at: start + min(max(at - len(left), 0), _SHOWN),
        )


class HistorySuggestions(AutoSuggest):
    """Suggests the rest of the last line of the history that begins like the last one of the input."""

    # The last input without a suggestion. The editor asks again for each character of a paste.
    _without: Document | None = None

    def get_suggestion(self, buffer: Buffer, document: Document) -> Suggestion | None:
        if document == self._without:
            return None
        found = self._find(buffer, document)
        self._without = None if found else document
        return found

    def _find(self, buffer: Buffer, document: Document) -> Suggestion | None:
        line_start = document.text.rfind("\n") + 1
        text = document.text[line_start : line_start + _SUGGESTED]
        if not text.strip():
            return None
        left = _SEARCHED
        for entry in reversed(buffer.history.get_strings()):
            if len(entry) > _SUGGESTED:
                continue
            left -= len(entry)
            if left < 0:
                break
            for line in reversed(entry.splitlines()):
                if line.startswith(text):
                    return Suggestion(line[len(text) :])
        return None
