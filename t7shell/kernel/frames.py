"""Messages within the output of the process that runs cells.

A cell prints to standard output, as do the programs that it starts. Pictures and values are written there
too, which preserves their order. A message is a marker, the length of its JSON in bytes, and the JSON.
"""

from __future__ import annotations

import codecs
import json
import re
import secrets
from collections.abc import Iterator
from typing import Any

_BEGIN = b"\x00"
_MAX_LENGTH = 20  # digits of the length


def new_key() -> str:
    """A key for a process."""
    return secrets.token_hex(8)


def _mark(key: str) -> bytes:
    return _BEGIN + f"t7 frame {key} ".encode()


def pack(message: dict[str, Any], key: str) -> bytes:
    """A message as bytes."""
    data = json.dumps(message).encode()
    return _mark(key) + str(len(data)).encode() + b":" + data


class Reader:
    """Splits a stream of output into text and messages."""

    def __init__(self, key: str) -> None:
        self._mark = _mark(key)
        self._head = re.compile(re.escape(self._mark) + rb"(\d+):")
        self._rest = b""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, data: bytes) -> Iterator[str | dict[str, Any]]:
        """Yields the pieces of text and the messages that more bytes complete."""
        self._rest += data
        while True:
            at = self._rest.find(_BEGIN)
            if at < 0:
                text, self._rest = self._rest, b""
            else:
                text, self._rest = self._rest[:at], self._rest[at:]
            if text:
                yield self._decoder.decode(text)
            if not self._rest:
                return
            head = self._head.match(self._rest)
            if head:
                end = head.end() + int(head[1])
                if len(self._rest) < end:
                    return
                message: dict[str, Any] = json.loads(self._rest[head.end() : end])
                self._rest = self._rest[end:]
                yield message
            elif self._might_be_head():
                return
            else:
                # A NUL that a program printed.
                yield self._rest[:1].decode()
                self._rest = self._rest[1:]

    def _might_be_head(self) -> bool:
        """Whether more bytes could complete the head of a message."""
        mark = self._mark
        return mark.startswith(self._rest[: len(mark)]) and len(self._rest) < len(mark) + _MAX_LENGTH
