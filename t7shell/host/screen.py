"""Fits text to the terminal: its width, and colours."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import TextIO

_RED, _BOLD_RED, _DIM, _PLAIN = "\x1b[31m", "\x1b[1;31m", "\x1b[2m", "\x1b[0m"
_DEFAULT = 80


def is_terminal(stream: TextIO) -> bool:
    """Tells whether a stream is a terminal that can do more than print."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def width(stream: TextIO | None = None) -> int | None:
    """The columns of a terminal; None if text goes elsewhere."""
    stream = stream or sys.stdout
    # Terminals of unknown size report 0 columns.
    return shutil.get_terminal_size((_DEFAULT, 24)).columns or _DEFAULT if stream.isatty() else None


def colors_wanted(setting: str) -> bool:
    """Tells whether colours are shown: neither the setting nor $NO_COLOR disables them."""
    return setting != "none" and not os.environ.get("NO_COLOR")


class Colors:
    """Marks parts of an error, or leaves them as they are."""

    def __init__(self, setting: str = "none") -> None:
        self.on = colors_wanted(setting) and is_terminal(sys.stderr)

    def error(self, text: str) -> str:
        return self._in(_RED, text)

    def mark(self, text: str) -> str:
        return self._in(_BOLD_RED, text)

    def dim(self, text: str) -> str:
        return self._in(_DIM, text)

    def _in(self, color: str, text: str) -> str:
        return "\n".join(f"{color}{line}{_PLAIN}" for line in text.split("\n")) if self.on else text


def filled(text: str, columns: int | None, hanging: str = "") -> str:
    """Text with long lines broken between words; continuation lines are indented by `hanging`."""
    if columns is None:
        return text
    lines: list[str] = []
    for line in text.split("\n"):
        margin = line[: len(line) - len(line.lstrip())]
        wrapped = textwrap.wrap(
            line,
            max(columns - 1, 20),
            subsequent_indent=margin + hanging,
            break_long_words=False,
            break_on_hyphens=False,
            drop_whitespace=True,
        )
        lines += wrapped or [line]
    return "\n".join(lines)


def table(rows: Sequence[tuple[str, str]], columns: int | None) -> str:
    """Two columns, the second one broken between words. Names too wide for the first get a separate line."""
    columns = columns or _DEFAULT
    first = min(max(len(name) for name, _ in rows) + 2, columns // 2)
    lines: list[str] = []
    for name, about in rows:
        parts = textwrap.wrap(about, max(columns - first - 1, 10), break_on_hyphens=False) or [""]
        if len(name) > first - 2:
            lines.append(name)
        else:
            parts[0] = f"{name:<{first}}{parts[0]}"
        start = 0 if len(name) > first - 2 else 1
        lines += parts[:start] + [" " * first + part for part in parts[start:]]
    return "\n".join(lines)


def columns_of(words: Iterable[str], columns: int | None) -> str:
    """Words in lines of at most `columns` characters."""
    return textwrap.fill(
        " ".join(words),
        (columns or _DEFAULT) - 1,
        initial_indent="  ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
