"""Notices: what a program should know and does not wait for, such as the device that computes.

Commands print them to the error stream. In a program of Python that makes a Runtime they are warnings, each
once.
"""

from __future__ import annotations

import os
import sys
import warnings

from t7shell.host import encoding

_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep

is_command = False      # whether the process is a command such as `t7`
_has_runtime = False
_given: set[str] = set()


class T7Warning(UserWarning):
    """A notice of this package."""


def become_warnings() -> None:
    """Makes notices warnings of Python, except in commands."""
    global _has_runtime
    _has_runtime = True


def are_warnings() -> bool:
    """Whether notices are warnings of Python."""
    return _has_runtime and not is_command


def warned(text: str) -> bool:
    """Issues a warning with a text of Lua, unless it is known; false if notices are to be printed."""
    return _warned(encoding.from_lua(text))


def notice(text: str) -> None:
    """Reports a notice."""
    if not _warned(text):
        print(text, file=sys.stderr, flush=True)


def show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Prints a warning of a Python library, as `warnings.showwarning` of a command: without its place in the
    library, which says nothing to users of Lua.
    """
    encoding.write(f"warning: {message}\n")


def _warned(text: str) -> bool:
    if are_warnings() and text not in _given:
        _given.add(text)
        warnings.warn(text, T7Warning, stacklevel=_level_of_user())
    return are_warnings()


def _level_of_user() -> int:
    """The stack level of the first function outside of this package, for the caller's `warnings.warn`."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_FOLDER):
        level, frame = level + 1, frame.f_back
    return level
