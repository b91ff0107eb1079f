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
_LENGTH = re.compile(rb"(\d{1,19})(:?)")


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
        # What is not yielded yet, and how many bytes it must have before more can be.
        self._kept: list[bytes] = []
        self._size = self._wanted = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, data: bytes) -> Iterator[str | dict[str, Any]]:
        """Yields the pieces of text and the messages that more bytes complete."""
        self._kept.append(data)
        self._size += len(data)
        if self._size < self._wanted:
            return
        found = b"".join(self._kept)
        at = wanted = 0
        try:
            while at < len(found):
                start, at = at, self._begin(found, at)
                if at > start:
                    yield self._decoder.decode(found[start:at])
                start, end = at, self._end(found, at)
                if end > len(found):
                    wanted = end - at
                    break
                if end > at:
                    at = end
                    yield json.loads(found[found.index(b":", start) + 1 : end])
                elif at < len(found):
                    # A mark without a length, which a program printed.
                    at += 1
                    yield self._decoder.decode(found[start:at])
        finally:
            self._kept, self._size, self._wanted = [found[at:]], len(found) - at, wanted

    def _begin(self, found: bytes, at: int) -> int:
        """Where the first mark begins, or what may become one; the end if there is none."""
        begin = found.find(self._mark, at)
        if begin >= 0:
            return begin
        begin = found.find(_BEGIN, max(at, len(found) - len(self._mark) + 1))
        while begin >= 0 and not self._mark.startswith(found[begin:]):
            begin = found.find(_BEGIN, begin + 1)
        return begin if begin >= 0 else len(found)

    def _end(self, found: bytes, begin: int) -> int:
        """Where the message ends whose mark begins there, beyond the end if bytes of its head are missing.

        It is `begin` if that is no message.
        """
        head = _LENGTH.match(found, begin + len(self._mark))
        if head and head[2]:
            return head.end() + int(head[1])
        missing = begin + len(self._mark) >= len(found) or (head and head.end() == len(found))
        return len(found) + 1 if missing else begin
