"""Colours of Lua at the prompt."""

from __future__ import annotations

from prompt_toolkit.lexers import Lexer, PygmentsLexer
from pygments.lexers.scripting import LuaLexer


def lua_lexer() -> Lexer:
    """Lua as Pygments colours it; each line is read on its own merits from the start of the input."""
    return PygmentsLexer(LuaLexer, sync_from_start=True)
