"""Where the inputs of the prompt come from."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Protocol

CONTINUATION = "..> "


class InputSource(Protocol):
    """One input after the other, each asked for with `prompt`."""

    prompt: str

    def read(self, is_finished: Callable[[str], bool]) -> str:
        """The next input, of as many lines as it takes until `is_finished` is true.

        Raises EOFError at the end, and KeyboardInterrupt when the user drops what was typed so far.
        """


class PlainInput:
    """Lines of the standard input, without editing: for simple terminals, and for programs that type."""

    def __init__(self, prompt: str) -> None:
        self.prompt = prompt
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")

    def read(self, is_finished: Callable[[str], bool]) -> str:
        try:
            source = input(self.prompt)
            while not is_finished(source):
                try:
                    source += "\n" + input(CONTINUATION)
                except EOFError:
                    return source
        except (EOFError, KeyboardInterrupt):
            print()
            raise
        return source
