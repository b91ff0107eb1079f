"""The debugger on a terminal or in a pipe; the rest of it is lua/shell/debugger.lua."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from t7shell.core import encoding
from t7shell.core.engine import Engine
from t7shell.prompt.progress import Progress

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

Ask = Callable[[str], object]


def install(engine: Engine, rearm: Callable[[], None], ask: Ask | None = None) -> None:
    """Defines `breakpoint` and `debugger` of programs.

    `ask` reads a line with a prompt: it returns bytes, or None, or None and why there are no lines. By
    default lines come from the terminal, or the standard input. `rearm` restores the notices of signals,
    which the editor of lines takes.
    """

    def leave() -> bool:
        if engine.guard is None:
            return False
        engine.guard.request()
        return True

    edited = sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    ask = ask or (_Editor(engine, rearm) if edited else None)
    engine.helper("shell.breakpoints").install(ask, leave)


class _Editor:
    """Reads lines that are edited on the terminal."""

    def __init__(self, engine: Engine, rearm: Callable[[], None]) -> None:
        self._engine = engine
        self._rearm = rearm
        self._session: PromptSession[str] | None = None

    def __call__(self, prompt: str) -> bytes | None:
        self._engine.flush()
        try:
            with Progress.paused():
                return encoding.to_bytes(self._opened().prompt(prompt, handle_sigint=False))
        except (EOFError, KeyboardInterrupt):
            return None
        finally:
            self._rearm()

    def _opened(self) -> PromptSession[str]:
        if self._session is None:
            from prompt_toolkit import PromptSession
            from prompt_toolkit.history import InMemoryHistory

            from t7shell.prompt.completion import LuaCompleter

            self._session = PromptSession(
                history=InMemoryHistory(),
                completer=LuaCompleter(self._engine),
                complete_while_typing=False,
            )
        return self._session
