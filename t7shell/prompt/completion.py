"""Completion and signatures while typing, from the Lua side (lua/shell/complete.lua and help.lua)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from t7shell.engine.engine import Engine
from t7shell.engine.options import DIALECTS
from t7shell.host import encoding
from t7shell.prompt.describe import usage_of
from t7shell.prompt.large_inputs import before_cursor
from t7shell.prompt.syntax import COMMANDS, SYSTEM

# The last word of a command: after an open quote, or with escaped special characters.
_WORD = re.compile(r"""(?:^|\s)(?:(["'])([^"']*)|((?:\\.|[^\s\\"'])*))$""")
_ESCAPED = re.compile(r"\\(.)")
_SPECIAL = re.compile(r"([^\w./~+@%,:=-])")


class LuaCompleter(Completer):
    """Globals, fields, methods, keywords, modules, files, and the commands of the prompt."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        # The last input without a completion. The editor asks again for each character of a paste.
        self._without: Document | None = None

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        if complete_event.text_inserted and document == self._without:
            return
        self._without = document
        for completion in self._completions(document):
            self._without = None
            yield completion

    def _completions(self, document: Document) -> Iterable[Completion]:
        before = before_cursor(document)
        if before.lstrip().startswith(("%", *SYSTEM)):
            yield from _of_command(before.lstrip())
            return
        before = before.lstrip("?") if before.startswith("?") else before
        complete = self._engine.helper("shell.complete")
        typed, found = self._engine.try_call(complete, encoding.to_bytes(before)) or ("", {})
        start = -len(encoding.from_lua(typed))
        for entry in found.values():
            name = encoding.from_lua(entry[1])
            if name != encoding.from_lua(typed):
                yield Completion(name, start, display_meta=encoding.from_lua(entry[2]))


def _of_command(before: str) -> Iterable[Completion]:
    if " " not in before:
        if before.startswith("%"):
            for name, command in COMMANDS.items():
                if name.startswith(before[1:]) and name != before[1:]:
                    yield Completion("%" + name, -len(before), display_meta=command.summary)
        return
    if before.startswith("%dialect "):
        typed = before.split(" ", 1)[1]
        for name in DIALECTS:
            if name.startswith(typed) and name != typed:
                yield Completion(name, -len(typed))
        return
    match = _WORD.search(before)
    quote = match.group(1) if match else None
    word = (match.group(2) if quote else match.group(3)) if match else ""
    if not (word or quote):
        return
    folder, last = os.path.split(os.path.expanduser(word if quote else _ESCAPED.sub(r"\1", word)))
    try:
        names = sorted(os.listdir(folder or "."))
    except OSError:
        return
    start = -len(word[word.rfind("/") + 1 :])
    for name in names:
        if name.startswith(last) and (last or not name.startswith(".")):
            shown = name + "/" if os.path.isdir(os.path.join(folder, name)) else name
            typed = shown if quote else _SPECIAL.sub(r"\\\1", shown)
            yield Completion(typed, start, shown, display_meta="file")


def signature(engine: Engine, document: Document) -> str:
    """The usage of the function call that the cursor is in; empty outside of calls."""
    of_call = engine.helper("shell.usage").signature
    found = engine.try_call(of_call, encoding.to_bytes(before_cursor(document)))
    if not found:
        return ""
    shown, manual, owner = (*found, None)[:3] if isinstance(found, tuple) else (found, None, None)
    names = [encoding.from_lua(name) for name in manual.values()] if manual is not None else []
    return usage_of(names, encoding.from_lua(owner or "")) or encoding.from_lua(shown)
