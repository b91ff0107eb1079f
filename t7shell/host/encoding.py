"""Text conversion for Lua, whose strings are bytes.

The Lua state is made with the encoding latin-1, so that strings from lupa have one character per byte.
Python text is UTF-8 in Lua; bytes that are not UTF-8 are returned as the surrogates of `os.fsdecode`.
"""

from __future__ import annotations

import os
import sys
from typing import TextIO


def to_bytes(text: str | bytes) -> bytes:
    """The bytes of a Python string in Lua."""
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


def from_lua(text: str) -> str:
    """A string as lupa gives it (one character per byte), read as UTF-8."""
    return text.encode("latin-1").decode("utf-8", "surrogateescape")


def shown(text: str) -> str:
    """The same for display: bytes that are not UTF-8 are replaced."""
    return text.encode("latin-1").decode("utf-8", "replace")


def valid(text: str) -> str:
    """Text that can be written as UTF-8: surrogates are replaced."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def path_of(text: str) -> str:
    """The path of a file from a string of lupa."""
    return os.fsdecode(text.encode("latin-1"))


def plain(text: str, kept: str = "") -> str:
    """Untrusted text for a message: control characters, which terminals interpret, are escaped.

    So are other characters that cannot be seen, except those of ``kept``.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in kept else repr(c)[1:-1] for c in text)


def write(text: str, stream: TextIO | None = None) -> None:
    """Writes text to a stream (stderr by default) with bytes that are not UTF-8 unchanged."""
    stream = stream or sys.stderr
    raw = getattr(stream, "buffer", None)
    if raw is None:
        stream.write(valid(text))
    else:
        stream.flush()
        raw.write(to_bytes(text))
    stream.flush()


def tell(text: str, stream: TextIO | None = None) -> None:
    """Writes a message that contains untrusted names or text, whose control characters are escaped."""
    write(plain(text, "\n\t"), stream)
