"""Messages within the output of the process that runs cells.

A cell prints to standard output, as do the programs that it starts. Pictures and values are written there
too, which preserves their order. A message is a marker, the length of its JSON in bytes, and the JSON.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

MARK = b"\x00t7 frame "
_HEAD = re.compile(rb"\x00t7 frame (\d+):")
_MAX_HEAD = len(MARK) + 20


def pack(message: dict[str, Any]) -> bytes:
    """A message as bytes."""
    data = json.dumps(message).encode()
    return MARK + str(len(data)).encode() + b":" + data


class Reader:
    """Splits a stream of output into text and messages."""

    def __init__(self) -> None:
        self._rest = b""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, data: bytes) -> Iterator[str | dict[str, Any]]:
        """Yields the pieces of text and the messages that more bytes complete."""
        self._rest += data
        while True:
            at = self._rest.find(MARK[:1])
            if at < 0:
                text, self._rest = self._rest, b""
            else:
                text, self._rest = self._rest[:at], self._rest[at:]
            if text:
                yield self._decoder.decode(text)
            if not self._rest:
                return
            head = _HEAD.match(self._rest)
            if head:
                end = head.end() + int(head[1])
                if len(self._rest) < end:
                    return
                message: dict[str, Any] = json.loads(self._rest[head.end() : end])
                self._rest = self._rest[end:]
                yield message
            elif MARK.startswith(self._rest[: len(MARK)]) and len(self._rest) < _MAX_HEAD:
                return
            else:
                # A NUL that a program printed.
                yield self._rest[:1].decode()
                self._rest = self._rest[1:]
