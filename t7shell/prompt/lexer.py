"""Syntax colours at the prompt."""

from __future__ import annotations

from prompt_toolkit.lexers import Lexer, PygmentsLexer
from prompt_toolkit.styles import Style
from pygments.lexers.scripting import LuaLexer

# With an unknown background the palette of the terminal is used.
_COMMON = {
    "bottom-toolbar": "noreverse",
    "bottom-toolbar.text": "noreverse fg:ansibrightblack",
    "auto-suggestion": "fg:ansibrightblack",
    "matching-bracket.cursor": "bold underline",
    "matching-bracket.other": "bold underline",
}
_PALETTES = {
    "auto": {
        "keyword": "ansiblue",
        "string": "ansigreen",
        "number": "ansimagenta",
        "comment": "ansibrightblack",
    },
    "dark": {"keyword": "#7aa2f7", "string": "#9ece6a", "number": "#ff9e64", "comment": "#7f849c"},
    "light": {"keyword": "#0033b3", "string": "#067d17", "number": "#9a3e00", "comment": "#6c6c6c"},
}


def lua_lexer() -> Lexer:
    """The Lua lexer of Pygments, which reads from the start of the input."""
    return PygmentsLexer(LuaLexer, sync_from_start=True)


def style(setting: str) -> Style:
    """The style for the background that a setting names."""
    palette = _PALETTES[setting]
    rules = {f"pygments.{name}": f"fg:{color}" for name, color in palette.items()}
    rules["pygments.literal.string"] = f"fg:{palette['string']}"
    rules["pygments.literal.number"] = f"fg:{palette['number']}"
    rules["prompt"] = "bold"
    return Style.from_dict({**_COMMON, **rules})
