"""Digests, encodings and case mappings, by Python's library. Strings cross as bytes."""

from __future__ import annotations

import base64 as coding
import functools
import hashlib
import quopri
import re
import unicodedata


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")


def md5(text: str) -> bytes:
    """The digest."""
    return hashlib.md5(_bytes(text), usedforsecurity=False).digest()


def base64(text: str) -> bytes:
    """The text in base64, without line breaks."""
    return coding.b64encode(_bytes(text))


def unbase64(text: str) -> bytes:
    """Decodes base64. Other characters are skipped, and so is an incomplete last group of one character."""
    letters = re.sub(rb"[^A-Za-z0-9+/]", b"", _bytes(text))
    whole = letters[: len(letters) - (1 if len(letters) % 4 == 1 else 0)]
    return coding.b64decode(whole + b"=" * (-len(whole) % 4))


def quoted(text: str) -> bytes:
    """The text in quoted-printable."""
    return quopri.encodestring(_bytes(text))


def unquoted(text: str) -> bytes:
    """Decodes quoted-printable."""
    return quopri.decodestring(_bytes(text))


def markdown(text: str) -> bytes | tuple[None, str]:
    """HTML of Markdown."""
    try:
        import markdown as library
    except ImportError:
        return None, "Markdown is missing: python3 -m pip install markdown"
    words = _bytes(text).decode("utf-8", "replace")
    html: str = library.markdown(words, extensions=["fenced_code", "tables"])
    return html.encode("utf-8")


# The methods whose result is the letter of a case, the first one that is a single letter.
_CASES = {"lower": ["lower"], "upper": ["upper", "title"], "title": ["title"], "fold": ["casefold", "lower"]}


@functools.cache
def _letter(name: str, letter: str) -> str:
    if name == "lower" and letter == "\u0130":
        return "i"
    changed = (getattr(letter, method)() for method in _CASES[name])
    return next((other for other in changed if len(other) == 1), letter)


def case(name: str, text: str) -> bytes:
    """Each letter in 'lower', 'upper', 'title' or 'fold' case, one for one; bytes that are not UTF-8 stay."""
    words = _bytes(text).decode("utf-8", "surrogateescape")
    return "".join(_letter(name, letter) for letter in words).encode("utf-8", "surrogateescape")


def case_of_point(name: str, point: float) -> float:
    return float(ord(_letter(name, chr(int(point)))))


def width(point: float) -> float:
    """Cells of a terminal: 0, 1 or 2."""
    letter = chr(int(point))
    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Mn", "Me", "Cf", "Cc"):
        return 0.0
    return 2.0 if unicodedata.east_asian_width(letter) in "WF" else 1.0


def category(point: float) -> str:
    """The category of Unicode, as 'Lu' for a capital letter."""
    return unicodedata.category(chr(int(point)))
