"""Formats errors: the message, the line of code with a mark below the failing part, and the stack."""

from __future__ import annotations

import re
import sys
from typing import Any

from t7shell.engine.engine import Engine
from t7shell.engine.result import Result, Status
from t7shell.host import encoding
from t7shell.host.screen import Colors, filled, width

GUTTER = "  {:>4} | "
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
MAX_LINES = 12  # lines of a stack that are shown
_MAX_COLUMNS = 1000  # of a line of code that is shown where there is no terminal


def report(result: Result, engine: Engine, colors: Colors | None = None) -> str:
    """The text for a result that is not OK, for a terminal of any width."""
    colors = colors or Colors()
    if result.status is Status.INTERRUPTED:
        return result.message
    message = result.message
    hint, found = _explanation(result, engine)
    if hint is not None:
        message += f"; {encoding.from_lua(hint)}"
    columns = width(sys.stderr)
    lines = [colors.error(filled(message, columns, "   "))]
    lines += _code(found, columns, colors)
    return "\n".join([*lines, *_stack(result)])


def notes(result: Result, engine: Engine) -> list[str]:
    """Notes of an exception: the failed line with its mark, a hint, and the stack, each if there is one."""
    hint, found = _explanation(result, engine)
    code = ["\n".join(_code(found, None, Colors()))] if found else []
    hints = [f"hint: {encoding.from_lua(hint)}"] if hint is not None else []
    stack = _stack(result)
    return code + hints + (["\n".join(stack)] if stack else [])


def _stack(result: Result) -> list[str]:
    """The lines of the stack, shortened; none for an error outside of functions."""
    stack = result.traceback.splitlines()
    if len(stack) <= 1:
        return []
    kept = stack if len(stack) <= MAX_LINES else [*stack[: MAX_LINES - 2], "\t...", stack[-1]]
    return ["stack traceback:", *kept]


def _explanation(result: Result, engine: Engine) -> tuple[Any, Any]:
    """The hint on an error, and the line that failed: from the record if it has them, else from Lua."""
    if result.record is not None and result.record["line"] is not None:
        return result.record["hint"], tuple(result.record["line"].values())
    raw = encoding.to_bytes(result.message)
    last_error = engine.helper("shell.last_error")
    is_syntax = result.status is not Status.ERROR
    return engine.try_call(last_error.hint, raw, is_syntax), engine.try_call(last_error.line, raw, is_syntax)


def _code(found: Any, columns: int | None, colors: Colors) -> list[str]:
    if not found:
        return []
    raw, number, start, length = found
    # The mark counts bytes; characters may be wider or narrower.
    before = _visible(encoding.from_lua(raw[: int(start) - 1]))
    marked = _visible(encoding.from_lua(raw[int(start) - 1 : int(start) - 1 + int(length)]))
    after = _visible(encoding.from_lua(raw[int(start) - 1 + int(length) :]))
    gutter = GUTTER.format(int(number))
    before, marked, after = _window(before, marked, after, (columns or _MAX_COLUMNS) - len(gutter) - 1)
    blank, mark = " " * _cells(before), "^" * max(1, _cells(marked))
    return [
        gutter + before + marked + after,
        " " * (len(gutter) - 2) + "| " + blank + colors.mark(mark),
    ]


def _visible(text: str) -> str:
    """Tabs as spaces, and control characters as the prompt shows them, such as ^[ for escape."""
    return _CONTROL.sub(lambda c: "^" + chr(ord(c.group()) ^ 0x40), text).expandtabs(4)


def _window(before: str, marked: str, after: str, width: int) -> tuple[str, str, str]:
    """The part of a long line around its mark that fits."""
    if len(before) + len(marked) + len(after) <= width and _cells(before + marked + after) <= width:
        return before, marked, after
    marked = _start(marked, width * 2 // 3)
    # The end of the text before the mark is next to it.
    fits = (width - _cells(marked)) // 2 if _cells(before) > width // 3 else width
    before = _start(before[::-1], fits)[::-1]
    return before, marked, _start(after, width - _cells(before) - _cells(marked))


def _start(text: str, width: int) -> str:
    """The longest beginning of a text that fits, followed by dots if it is shortened."""
    if len(text) <= width and _cells(text) <= width:
        return text
    text = text[: max(width, 0)]
    while text and _cells(text) > max(width - 3, 0):
        text = text[:-1]
    return text + "..."[: max(width, 0)]


def _cells(text: str) -> int:
    if text.isascii():
        return len(text)
    from prompt_toolkit.utils import get_cwidth

    return get_cwidth(text)
