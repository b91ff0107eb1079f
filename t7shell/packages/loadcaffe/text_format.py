"""Messages of protobuf as text (``.prototxt``): nested fields, each with a list of its values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from t7shell.engine.errors import T7Error

# A field's values in order: numbers, strings, names of constants, True and False, messages.
Message: TypeAlias = dict[str, list[Any]]

MAX_DEPTH = 50
_TOKEN = re.compile(
    r"""(?P<skip>[\s,;]+|\#[^\n]*)|(?P<sign>[{}\[\]<>:])|(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
    r"""|(?P<word>[\w.+-]+)|(?P<bad>.)""",
    re.S,
)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?f?")


class FormatError(T7Error):
    """A file is damaged, or not of its kind."""


def parse(text: str) -> Message:
    """Returns the fields of a message. Raises FormatError with the line of a mistake."""
    tokens = _Tokens(text)
    message = _message(tokens, None, 0)
    return message


class _Tokens:
    def __init__(self, text: str) -> None:
        self.text = text
        self.line = 1
        self.all = self._read()
        self.next = next(self.all, None)

    def _read(self) -> Iterator[tuple[str, str]]:
        line = 1
        for found in _TOKEN.finditer(self.text):
            if found.lastgroup != "skip":
                self.line = line
                yield found.lastgroup or "", found[0]
            line += found[0].count("\n")

    def take(self) -> tuple[str, str]:
        """Returns the next token."""
        if self.next is None:
            raise self.error("unexpected end")
        token, self.next = self.next, next(self.all, None)
        return token

    def error(self, problem: str) -> FormatError:
        """Returns an error for the current line."""
        return FormatError(f"line {self.line}: {problem}")


def _message(tokens: _Tokens, end: str | None, depth: int) -> Message:
    if depth > MAX_DEPTH:
        raise tokens.error(f"messages are nested more than {MAX_DEPTH} deep")
    fields: Message = {}
    while tokens.next is not None or end is not None:
        kind, name = tokens.take()
        if name == end and kind == "sign":
            return fields
        if kind != "word":
            raise tokens.error(f"expected the name of a field (got {name!r})")
        colon = tokens.next == ("sign", ":")
        if colon:
            tokens.take()
        values = fields.setdefault(name, [])
        kind, word = tokens.take()
        if word == "[" and kind == "sign" and colon:
            while tokens.next != ("sign", "]"):
                values.append(_value(tokens, *tokens.take(), depth))
            tokens.take()
        elif word in "{<" and kind == "sign":
            values.append(_message(tokens, "}" if word == "{" else ">", depth + 1))
        elif colon:
            values.append(_value(tokens, kind, word, depth))
        else:
            raise tokens.error(f"expected ':' or a message after '{name}' (got {word!r})")
    return fields


def _value(tokens: _Tokens, kind: str, word: str, depth: int) -> Any:
    if kind == "text":
        return re.sub(r"\\(.)", r"\1", word[1:-1], flags=re.S)
    if kind == "sign" and word in "{<":
        return _message(tokens, "}" if word == "{" else ">", depth + 1)
    if kind != "word":
        raise tokens.error(f"expected a value (got {word!r})")
    if word in ("true", "false"):
        return word == "true"
    if _NUMBER.fullmatch(word):
        number = float(word.rstrip("f"))
        return int(number) if number.is_integer() else number
    return word
