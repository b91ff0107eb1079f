"""The sources of the inputs of the prompt."""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import Protocol

from t7shell.engine.engine import Engine
from t7shell.engine.interrupt import waiting
from t7shell.host import encoding

CONTINUATION = "..> "


class InputSource(Protocol):
    """A sequence of inputs, each read with `prompt`."""

    prompt: str

    def read(self, is_finished: Callable[[str], bool]) -> str:
        """The next input: lines until `is_finished` is true.

        Raises EOFError at the end, and KeyboardInterrupt when the user discards the input.
        """

    def offer(self, text: str) -> bool:
        """Begins the next input with a text, for editing; false if it cannot be edited."""


class PlainInput:
    """Lines of the standard input, without editing: for simple terminals, and for pipes.

    Lua reads them: a program that asks for a line gets the next one.
    """

    def __init__(self, prompt: str, engine: Engine) -> None:
        self.prompt = prompt
        self._read_line = engine.helper("shell.input")

    def _line(self, prompt: str) -> str:
        """Raises EOFError."""
        print(prompt, end="", flush=True)
        while True:
            with waiting():
                line, code = self._read_line()
            if line is not None:
                return encoding.from_lua(line).removesuffix("\n")
            # A signal; after Ctrl-C `waiting` raises KeyboardInterrupt.
            if code != errno.EINTR:
                raise EOFError

    def offer(self, text: str) -> bool:
        return False

    def read(self, is_finished: Callable[[str], bool]) -> str:
        try:
            source = self._line(self.prompt)
            while not is_finished(source):
                try:
                    source += "\n" + self._line(CONTINUATION)
                except EOFError:
                    return source
        except (EOFError, KeyboardInterrupt):
            print()
            raise
        return source
