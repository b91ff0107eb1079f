"""The debugger on a terminal or in a pipe; the rest of it is lua/shell/debugger.lua."""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

from t7shell.engine.engine import Engine
from t7shell.host import encoding
from t7shell.prompt.progress import Progress

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

Ask = Callable[[str], object]


def install(engine: Engine, rearm: Callable[[], None], ask: Ask | None = None) -> None:
    """Defines `breakpoint` and `debugger` of programs.

    `ask` reads a line with a prompt: it returns bytes, or None, or None and why there are no lines. By
    default lines come from the terminal, or the standard input. `rearm` restores the notices of signals,
    which the editor of lines takes. Programs hold what is installed, and it does not hold the engine, which
    ends with the last reference.
    """
    engine_of = weakref.ref(engine)

    def leave() -> bool:
        engine = engine_of()
        if engine is None or engine.guard is None:
            return False
        engine.guard.request()
        return True

    edited = sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    ask = ask or (_Editor(engine, rearm) if edited else None)
    engine.helper("shell.breakpoints").install(ask, leave)


class _Editor:
    """Reads lines that are edited on the terminal."""

    def __init__(self, engine: Engine, rearm: Callable[[], None]) -> None:
        self._engine_of = weakref.ref(engine)
        self._rearm = rearm
        self._session: PromptSession[str] | None = None

    def __call__(self, prompt: str) -> bytes | None:
        engine = self._engine_of()
        if engine is None:
            return None
        engine.flush()
        try:
            with Progress.paused():
                return encoding.to_bytes(self._opened(engine).prompt(prompt, handle_sigint=False))
        except (EOFError, KeyboardInterrupt):
            return None
        finally:
            self._rearm()

    def _opened(self, engine: Engine) -> PromptSession[str]:
        if self._session is None:
            from prompt_toolkit import PromptSession
            from prompt_toolkit.history import InMemoryHistory

            from t7shell.prompt.completion import LuaCompleter

            self._session = PromptSession(
                history=InMemoryHistory(),
                completer=LuaCompleter(weakref.proxy(engine)),
                complete_while_typing=False,
            )
        return self._session
