"""The exceptions that this package raises."""

from __future__ import annotations

from typing import Any

from t7shell.host.failures import message


class T7Error(Exception):
    """Base of the exceptions of this package."""


class LuaUnavailable(T7Error):
    """The installed lupa has no LuaJIT 2.1; the message is one sentence with the remedy."""


class Stopped(T7Error):
    """`Runtime.stop` ended the call."""


class LuaError(T7Error):
    """A Lua program raised an error that it did not catch.

    `message` is the text of the error with the position of the caller's line, `traceback` the Lua stack
    below it (empty for a syntax error), `value` the raised value as `t7shell.bridge.values` converts it: the
    message, or the table that `error` was given. `__notes__`, which Python shows below the message, are the
    line that failed with a mark below the failing part, a hint, and the stack of nested calls.
    """

    __notes__: list[str]

    def __init__(self, message: str, traceback: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.traceback = traceback
        self.value: Any = message
        self.__notes__ = []


def unexpected(reason: object) -> str | None:
    """The text of an exception that the functions of a package do not handle; None for anything else."""
    # Warnings are raised if Python is told to turn them into errors.
    if not isinstance(reason, Exception) or isinstance(reason, (MemoryError, T7Error, Warning)):
        return None
    # Errors of Lua code that the function called.
    if type(reason).__module__.startswith("lupa"):
        return None
    return f"{type(reason).__name__}: {message(reason)}"
