"""Classifies an input: complete or not, a command or Lua, one input or several that were pasted together."""

from __future__ import annotations

import re

from t7shell.engine.engine import Engine
from t7shell.engine.result import Status
from t7shell.host import encoding
from t7shell.prompt import syntax, transcript
from t7shell.prompt.syntax import is_for_prompt

_COMMAND_LINE = re.compile(r"\n[^\S\n]*!")  # a line of an input that may be a command of the system
_PERCENT_LINE = re.compile(r"^[ \t]*%%?(\w+)", re.MULTILINE)
_LOCAL = re.compile(r"\s*local\b")
_FEW_LINES = 10  # of an unfinished input that is compiled as a whole for each line
_MAX_LINES = 200  # of an input that may be split into several


class Analysis:
    """Classifies inputs by compiling them. `number` is that of the last input."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._system = engine.helper("shell.system")
        self._lexer = engine.helper("shell.lexer")
        self._lines = engine.helper("shell.unfinished")
        self.number = 0
        # The source that was compiled last, and its status: one input is classified several times.
        self._checked: tuple[str, Status] | None = None
        # The source that was last found unfinished, to which lines may be added.
        self._unfinished = ""

    def forget(self) -> None:
        """Forgets the compiled source, which has run."""
        self._checked, self._unfinished = None, ""

    def is_finished(self, source: str) -> bool:
        """False for an input that more lines could complete."""
        if self._continues(source):
            return False
        fenced = transcript.fenced(source)
        if fenced:
            return not fenced[1]
        parts = self._commands(source)
        if parts:
            return self.is_finished(parts[-1])
        code = syntax.code_of(source)
        if code is None and (is_for_prompt(source) or transcript.is_transcript(source)):
            return True
        if self.status(code or source) is not Status.INCOMPLETE:
            return True
        if code is None and source.count("\n") >= _FEW_LINES and self._compiled(source) is Status.INCOMPLETE:
            self._begin(source)
        return False

    def _begin(self, source: str) -> None:
        """Notes that an input of Lua is unfinished."""
        begun = self._engine.try_call(self._lines.begin, encoding.to_bytes(source))
        self._unfinished = source if begun else ""

    def _continues(self, source: str) -> bool:
        """Whether a source is unfinished because it has more lines than one that was unfinished.

        Its time grows with the new lines alone.
        """
        before = self._unfinished
        if not before or not source.startswith(before):
            return False
        more = source[len(before) :]
        if not more:
            return True
        lines = more[1:]
        if more[0] != "\n" or _has_known_command(lines) or lines.rstrip().endswith("?"):
            return False
        continues = bool(self._engine.try_call(self._lines.continues, encoding.to_bytes(lines)))
        self._unfinished = source if continues else ""
        return continues

    def status(self, source: str) -> Status | None:
        """Whether an input compiles, commands of the system among its lines included."""
        status = self._compiled(source)
        code = self._translated(source) if status is Status.SYNTAX_ERROR else None
        return self._compiled(code) if code else status

    def code(self, source: str) -> str:
        """The Lua of an input; input that does not compile is unchanged, as errors refer to it."""
        code = self._translated(source)
        if not code or self._compiled(source) is not Status.SYNTAX_ERROR:
            return source
        return code if self._compiled(code) is Status.OK else source

    def statements(self, source: str) -> list[str]:
        """The inputs in one: of a transcript or fences, commands, or lines that are no program together."""
        fenced = transcript.fenced(source)
        if fenced:
            return fenced[0]
        if transcript.is_transcript(source):
            return transcript.inputs(source, self.is_finished)
        lines = source.strip("\n").split("\n")
        if len(lines) == 1:
            return []
        parts = self._commands(source)
        if parts or is_for_prompt(lines[0]):
            return parts
        if self.status(source) is not Status.SYNTAX_ERROR:
            return []
        words = transcript.words_before_fence(source)
        fenced = transcript.fenced(source[len(words) :]) if words else None
        if fenced and not self._is_open(words):
            return fenced[0]
        parts = transcript.mixed(source.strip("\n"), self.is_finished)
        if parts and self.status(parts[0]) is not Status.INCOMPLETE:
            return parts
        if len(lines) > _MAX_LINES:
            return []
        statements = [""]
        for line in lines:
            if self.is_finished(statements[-1]):
                statements.append(line)
            else:
                statements[-1] += "\n" + line
        statements = [statement for statement in statements if statement.strip()]
        # Local variables are not visible in the next input.
        if any(_LOCAL.match(statement) for statement in statements[:-1]):
            return []
        return statements if all(self.status(statement) is Status.OK for statement in statements) else []

    def _commands(self, source: str) -> list[str]:
        """The commands among the lines of an input, and the Lua between them; [] if it is not divided."""
        lines = source.strip("\n").split("\n")
        if len(lines) == 1 or not (is_for_prompt(lines[0]) or _has_known_command(source)):
            return []
        found: list[str] = []
        lua: list[str] = []
        at = 0
        while at < len(lines):
            if not self._begins_command(lines[at], lua):
                lua.append(lines[at])
                at += 1
                continue
            count = self._length(lines[at:])
            found += ["\n".join(lua), "\n".join(lines[at : at + count])]
            lua = []
            at += count
        found = [each.strip("\n") for each in [*found, "\n".join(lua)] if each.strip()]
        return found if len(found) > 1 else []

    def _begins_command(self, line: str, before: list[str]) -> bool:
        """Whether a line begins a command after lines of Lua.

        After a complete statement a known name follows `%`, and the line is not indented more than the
        statement: otherwise that is the operator of Lua.
        """
        first = next((each for each in before if each.strip()), None)
        if first is None:
            return is_for_prompt(line)
        if not _has_known_command(line) or transcript.indent(line) > transcript.indent(first):
            return False
        return self.status("\n".join(before)) is Status.OK

    def _length(self, lines: list[str]) -> int:
        """The number of lines of the command that begins with the first of them, with those of its code."""
        code = syntax.code_of(lines[0])
        if code is None:
            return syntax.length(lines)
        if lines[0].lstrip().startswith("%%"):
            return len(lines)

        def is_whole(text: str) -> bool:
            return self.status(text) is not Status.INCOMPLETE

        return 1 if is_whole(code) else 1 + transcript.needed([code], lines[1:], is_whole)

    def _compiled(self, source: str) -> Status | None:
        if self._checked and self._checked[0] == source:
            return self._checked[1]
        checked = self._engine.try_call(self._engine.check, source, True, f"=[{self.number + 1}]")
        if checked is None:
            return None
        self._checked = source, checked.status
        return self._checked[1]

    def _is_open(self, source: str) -> bool:
        """Whether source ends within a string or a comment."""
        read = self._engine.try_call(self._lexer.read, encoding.to_bytes(source))
        return read is None or read["string"] is not None or read["comment"] is not None

    def _translated(self, source: str) -> str | None:
        """The Lua of an input with commands of the system among its lines; None for others."""
        if not _COMMAND_LINE.search(source):
            return None
        code = self._engine.try_call(self._system.translate, encoding.to_bytes(source))
        return encoding.from_lua(code) if code else None


def _has_known_command(source: str) -> bool:
    return any(name in syntax.COMMANDS for name in _PERCENT_LINE.findall(source))
