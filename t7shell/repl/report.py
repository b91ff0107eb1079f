"""How errors are shown: the message, the line of code with a mark below what failed, and the stack."""

from __future__ import annotations

from typing import Any

from t7shell import encoding
from t7shell.engine import Engine
from t7shell.result import Result, Status

GUTTER = "  {:>4} | "
MOST = 12  # lines of a stack that are shown


def report(result: Result, engine: Engine) -> str:
    """The text for a result that is not OK."""
    if result.status is Status.INTERRUPTED:
        return result.message
    message = result.message
    raw = encoding.to_bytes(message)
    lines = [message]
    last_error = engine.helper("shell.last_error")
    meant = engine.ask(last_error.suggestion, raw)
    if meant is not None:
        lines[0] += f"; did you mean '{encoding.from_lua(meant)}'?"
    lines += _code(engine.ask(last_error.line, raw, result.status is not Status.ERROR))
    stack = result.traceback.splitlines()
    if len(stack) > 1:
        lines.append("stack traceback:")
        lines += stack if len(stack) <= MOST else [*stack[: MOST - 2], "\t...", stack[-1]]
    return "\n".join(lines)


def _code(found: Any) -> list[str]:
    if not found:
        return []
    raw, number, start, length = found
    line = encoding.from_lua(raw)
    # The mark counts bytes; characters may be wider or narrower.
    from prompt_toolkit.utils import get_cwidth

    before = raw[: int(start) - 1]
    blank = "".join("\t" if c == "\t" else " " * get_cwidth(c) for c in encoding.from_lua(before))
    marked = encoding.from_lua(raw[int(start) - 1 : int(start) - 1 + int(length)])
    gutter = GUTTER.format(int(number))
    return [gutter + line, " " * (len(gutter) - 2) + "| " + blank + "^" * max(1, get_cwidth(marked))]
