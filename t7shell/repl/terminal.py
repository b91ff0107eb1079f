"""Inputs edited on a terminal, with history and colours."""

from __future__ import annotations

import os
from collections.abc import Callable

from prompt_toolkit import PromptSession
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import Lexer

from t7shell.repl.history import history_file
from t7shell.repl.inputs import CONTINUATION
from t7shell.repl.lexer import lua_lexer


def _history() -> History:
    name = history_file()
    if name is None:
        return InMemoryHistory()
    try:
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, "a", encoding="utf-8"):
            return FileHistory(name)
    except OSError:
        return InMemoryHistory()


class TerminalInput:
    """Lines edited by prompt_toolkit.

    Enter ends an input that is finished, and begins a new line in one that is not. What is pasted is one
    input, however many lines it has.
    """

    def __init__(self, prompt: str) -> None:
        self.prompt = prompt
        self._is_finished: Callable[[str], bool] = lambda _: True
        lexer: Lexer | None = None if os.environ.get("NO_COLOR") else lua_lexer()
        self.session: PromptSession[str] = PromptSession(
            history=_history(),
            lexer=lexer,
            multiline=True,
            prompt_continuation=CONTINUATION,
            key_bindings=self._keys(),
        )

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @Condition
        def unfinished() -> bool:
            return not self._is_finished(self.session.default_buffer.text)

        @keys.add("enter", filter=~unfinished)
        def accept(event: KeyPressEvent) -> None:
            event.current_buffer.validate_and_handle()

        return keys

    def read(self, is_finished: Callable[[str], bool]) -> str:
        self._is_finished = is_finished
        return self.session.prompt(self.prompt, handle_sigint=False)
