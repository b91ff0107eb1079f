"""What inputs for the prompt look like that are no Lua: commands, those of the system, and questions."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


class CommandError(Exception):
    """The command failed; the message gives the reason."""


@dataclass(frozen=True)
class Command:
    """A command of the prompt: `run` takes the session and the text after the name."""

    run: Callable[[Any, str], None]
    usage: str
    summary: str
    takes_code: bool


# The commands by name, which `commands.py` enters.
COMMANDS: dict[str, Command] = {}

# The first characters of system commands, and of all inputs for the prompt. Notebooks write `!ls`.
SYSTEM = ("$", "!")
BEGINNINGS = ("%", "?", *SYSTEM)

QUESTION = re.compile(r"""\s*%?[\w.:\[\]"']+\s*\?{1,2}\s*$""")
_NAME = re.compile(r"%%?(\S*)")
_HEREDOC = re.compile(r"<<-?\s*([\"']?)(\w+)\1")


def is_for_prompt(source: str) -> bool:
    """Tells whether an input is a command of the prompt or of the system, or a question, and not Lua."""
    return source.lstrip().startswith(BEGINNINGS) or bool(QUESTION.match(source))


def parts(line: str) -> tuple[str, str]:
    """The name of a command and the text after it, which is the rest of the cell in notebooks: `%%time`."""
    text = line.strip()
    name = _NAME.match(text)
    return (name[1], text[name.end() :].strip()) if name else ("", text)


def length(lines: list[str]) -> int:
    """The number of lines of the command that begins with the first of them.

    One, unless a backslash ends it or it has a here-document.
    """
    count = 1
    while lines[count - 1].endswith("\\") and count < len(lines):
        count += 1
    document = _HEREDOC.search(lines[0])
    if document and lines[0].lstrip().startswith(SYSTEM):
        ends = (at for at in range(count, len(lines)) if lines[at].strip() == document[2])
        count = next(ends, count - 1) + 1
    return count


def code_of(line: str) -> str | None:
    """The Lua code of a command that takes code; None for other lines. That of `%%time` may be below it."""
    start = line.lstrip()
    name, code = parts(start)
    command = COMMANDS.get(name) if start.startswith("%") else None
    if command is None or not command.takes_code:
        return None
    return code if code or start.startswith("%%") else None


def words(line: str) -> list[str]:
    """The arguments of a command, as a shell divides them."""
    try:
        return shlex.split(line)
    except ValueError as reason:
        raise CommandError(f"{line}: {reason}") from None


def only(name: str, rest: str) -> str:
    """The only argument of a command."""
    found = words(rest)
    if len(found) != 1:
        raise CommandError(f"%{name}: expected one name (got '{rest}')")
    return found[0]
