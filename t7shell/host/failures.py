"""Failures of functions that Lua calls, as results: Lua raises the message at the line of the program."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from functools import wraps
from typing import Any

from t7shell.host import encoding

FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


def text_of(reason: BaseException) -> str:
    """The text of an exception, without the number that Python puts before errors of the system."""
    return (isinstance(reason, OSError) and reason.strerror) or str(reason)


def of_system(reason: OSError) -> str:
    """What failed in the system, with the name of the file, without Python's quotes around it."""
    words = text_of(reason)
    if reason.filename is not None:
        name = reason.filename
        shown = os.fsdecode(name) if isinstance(name, bytes) else name
        return encoding.plain(f"{shown}: {words}")
    return f"cannot write the output: {words}" if reason.errno in FULL else words


def message(reason: Exception) -> str:
    """The message of an exception, the system's text for its errors; UTF-8 bytes as latin-1 text for Lua."""
    words = text_of(reason) or type(reason).__name__
    return encoding.plain(words, "\n\t").encode("utf-8", "surrogateescape").decode("latin-1")


def returning_failures(
    *exceptions: type[Exception], words: Callable[[Exception], str] = message
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: the exceptions become the result (None, message)."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*arguments: Any) -> Any:
            try:
                return function(*arguments)
            except exceptions as reason:
                return None, words(reason)

        return call

    return decorate


def returning_reasons(
    *exceptions: type[Exception], words: Callable[[Exception], str] = message
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator for functions without a result: they return None, or the message of an exception."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        failing = returning_failures(*exceptions, words=words)(function)

        @wraps(function)
        def call(*arguments: Any) -> Any:
            result = failing(*arguments)
            return result[1] if isinstance(result, tuple) else result

        return call

    return decorate
