"""Annotations: the output or the value of a statement after an arrow, as in `print(2) --> 2`.

The source runs unchanged but for marks around the annotated statements (lua/shell/marks.lua); the output
between the marks is compared with the annotation. Line numbers and the scope of local variables stay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from t7shell.doctest.joined_lines import Check
from t7shell.doctest.lua_text import Comment, comments, without_comments
from t7shell.engine.result import Status

_ARROW = re.compile(r"--+(?:>|\s*=>|\s*->)[ \t]?(?P<text>.*)$")
_MARKS = 'require"shell.marks".'
_MAX_LINES = 50  # lines of an annotated statement
_NAMES = re.compile(r"\s*(?:local\s+)?([A-Za-z_][\w.]*(?:\s*,\s*[A-Za-z_][\w.]*)*)\s*=(?!=)")
_LITERAL = re.compile(r"""\s*(?:[-+]?(?:\d|\.\d|nan\b|inf\b)|["'{\[]|(?:true|false|nil)\s*$)""")
_ERROR = re.compile(r"\s*error\b[:!]?\s*", re.IGNORECASE)
# Blanks, and the `=` that asks for values.
_CODE_START = re.compile(r"^\s*(?:=(?!=)\s*)?")
_MARK = re.compile("([\1\3\4])(\\d+)\2")


@dataclass(frozen=True)
class Note:
    """An annotated statement: its first and its last line, counted from 0 in the source, its text, and the
    text of the annotation."""

    first: int
    line: int
    source: str
    wanted: str

    @property
    def is_literal(self) -> bool:
        """Tells whether the annotation can only be a value."""
        return bool(_LITERAL.match(self.wanted))

    @property
    def expects_error(self) -> bool:
        return bool(_ERROR.match(self.wanted))

    @property
    def message(self) -> str:
        """The message of an error that the annotation shows."""
        return _ERROR.sub("", self.wanted, count=1)


@dataclass
class Seen:
    """The output of a statement and the text of its values, for each time it ran."""

    printed: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    finished: bool = False


def has_arrow(text: str) -> bool:
    """Tells whether a line of code ends in an annotation."""
    return any(_ARROW.match(comment.text) for comment in comments(text) if not comment.long)


def annotate(source: str, check: Check) -> tuple[str, list[Note]]:
    """The source with marks around its annotated statements, and their notes.

    An annotation without a statement that ends there is an ordinary comment.
    """
    notes = _notes(source, check)
    marked = _marked(source, notes, check)
    if not notes or check(marked) is Status.OK:
        return marked, notes
    kept = [note for note in notes if check(_marked(source, [note], check)) is Status.OK]
    return _marked(source, kept, check), kept


def read_marks(text: str) -> tuple[str, dict[int, Seen]]:
    """The output without marks and without the values between them, and the output of each statement."""
    plain: list[str] = []
    seen: dict[int, Seen] = {}
    running: list[int] = []
    showing = False
    at = 0
    for mark in [*_MARK.finditer(text), None]:
        piece = text[at : mark.start()] if mark else text[at:]
        if showing:
            seen[running[-1]].values[-1] += piece
        else:
            plain.append(piece)
            for number in running:
                seen[number].printed[-1] += piece
        if mark is None:
            break
        at, number = mark.end(), int(mark[2])
        if mark[1] == "\1":
            found = seen.setdefault(number, Seen())
            found.printed.append("")
            found.values.append("")
            running.append(number)
        elif number in running:
            # Statements that were ended by an error have no end mark.
            del running[running.index(number) + 1 :]
            showing = mark[1] == "\3"
            if not showing:
                running.pop()
                seen[number].finished = True
    return "".join(plain), seen


def _notes(source: str, check: Check) -> list[Note]:
    lines = source.split("\n")
    bare = without_comments(source).split("\n")
    # The comments that begin with an arrow, by the index of their lines.
    arrows = {
        source.count("\n", 0, comment.start): comment
        for comment in comments(source)
        if not comment.long and _ARROW.match(comment.text)
    }
    found: list[Note] = []
    at = 0
    while at < len(lines):
        comment = arrows.get(at)
        match = _ARROW.match(comment.text) if comment else None
        if match is None:
            at += 1
            continue
        # On a separate line it belongs to the statement that ends on the line above.
        code_line = at if bare[at].strip() else at - 1
        wanted, end = _continued(match["text"], lines, bare, arrows, at)
        first = (
            _statement_start(bare, code_line, check) if code_line >= 0 and bare[code_line].strip() else None
        )
        if first is not None:
            found.append(Note(first, code_line, "\n".join(lines[first : code_line + 1]), wanted))
        at = end
    return found


def _continued(
    text: str, lines: Sequence[str], bare: Sequence[str], arrows: dict[int, Comment], at: int
) -> tuple[str, int]:
    """The text of an annotation with its continuation lines, and the index after them.

    Continuation lines have arrows, too; below an arrow without a text they may be any comments.
    """
    texts, end = [text] if text.strip() else [], at + 1
    any_comment = not text.strip()
    while end < len(lines) and not bare[end].strip() and lines[end].lstrip().startswith("--"):
        match = _ARROW.match(arrows[end].text) if end in arrows else None
        if match:
            texts.append(match["text"])
        elif any_comment:
            texts.append(lines[end].lstrip().lstrip("-").removeprefix(" "))
        else:
            break
        end += 1
    return "\n".join(texts).rstrip(), end


def _statement_start(bare: Sequence[str], line: int, check: Check) -> int | None:
    """The first line of the shortest source that ends with a line; None if there is none."""
    for first in range(line, max(-1, line - _MAX_LINES), -1):
        code = "\n".join(bare[first : line + 1])
        if code.strip() and check(code) is Status.OK:
            return first
    return None


def _marked(source: str, notes: Sequence[Note], check: Check) -> str:
    lines = source.split("\n")
    for number, note in enumerate(notes):
        before, after = _marks(number, note, check)
        end = _code_end(lines[note.line])
        lines[note.line] = lines[note.line][:end] + after + lines[note.line][end:]
        start = len(lines[note.first]) - len(_CODE_START.sub("", lines[note.first]))
        head, code = lines[note.first][:start], lines[note.first][start:]
        # The `=` of an expression is dropped when the code becomes a statement.
        lines[note.first] = (head.replace("=", " ") if "; " in before else head) + before + code
    return "\n".join(lines)


def _code_end(line: str) -> int:
    found = [comment.start for comment in comments(line) if not comment.long]
    return len(line[: found[0]].rstrip()) if found else len(line.rstrip())


def _marks(number: int, note: Note, check: Check) -> tuple[str, str]:
    """Returns the marks before and after a statement."""
    begin = f"{_MARKS}begin({number})"
    code = without_comments(note.source).strip()
    # An argument of a call is an expression, or several.
    is_expression = check(f"(nil)({_CODE_START.sub('', code)})") is Status.OK
    if note.expects_error and not code.startswith("local"):
        head = "return " if is_expression else ""
        return f"{begin}; {_MARKS}attempt({number}, function() {head}", " end)"
    if is_expression:
        return f"{_MARKS}value({begin}, ", ")"
    names = _NAMES.match(code)
    shown = f", {names[1]}" if names and note.is_literal else ""
    return f"{begin}; ", f"; {_MARKS}value({number}{shown});"
