"""The process that runs cells: a session of the prompt whose inputs come from the kernel.

Requests are lines of JSON on a pipe; answers are frames on standard output. A picture or a value is a frame
`{"data": ..., "result": whether it is the value of the cell}`, and the last frame of each request is
`{"done": answer}`. `{"progress": text}` shows the progress of long work. A program that reads a line sends
the frame `{"question": true}`, and gets `{"line": text}`, `{"end": true}`, `{"problem": why there is none}`,
or `{}` after Ctrl-C.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from t7shell.core import encoding, process, waiting
from t7shell.core.engine import Engine
from t7shell.core.interrupt import LuaInterrupter
from t7shell.core.result import Result, Status
from t7shell.kernel import frames
from t7shell.packages.display import show
from t7shell.prompt import checkpoint, commands
from t7shell.prompt.completion import LuaCompleter
from t7shell.prompt.help import text_for
from t7shell.prompt.report import report
from t7shell.prompt.session import Session

_WIDTH = 80  # of the help on a name, in characters
_NAME = re.compile(r"[\w.:]*$")
_NAME_GOES_ON = re.compile(r"\w*")


class Requests:
    """Lines of JSON on a descriptor."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._pending = b""

    def next(self) -> dict[str, Any] | None:
        """The next one; None at the end."""
        while b"\n" not in self._pending:
            data = os.read(self._descriptor, 65536)
            if not data:
                return None
            self._pending += data
        line, _, self._pending = self._pending.partition(b"\n")
        request: dict[str, Any] = json.loads(line)
        return request


class NoInput:
    """The empty input source of a session whose inputs are requests."""

    prompt = "t7> "

    def read(self, is_finished: Callable[[str], bool]) -> str:
        raise EOFError


class Cells(Session):
    """A session whose values and errors are messages."""

    lua_shows = False

    def __init__(self, engine: Engine, requests: Requests) -> None:
        super().__init__(engine, NoInput())
        self._requests = requests
        self._questions = engine.helper("shell.questions")
        self._questions.install(self.line)
        self._html = engine.helper("shell.html")
        self.failed: list[Any] | None = None

    def _show(self, result: Result) -> Result:
        if not result.count or result.silent:
            return result
        with self.engine.capture() as out:
            shown = self.engine.call_with(self.prompt_module.show, result)
        if shown.ok:
            data = {"text/plain": _clean(out[0].rstrip("\n"))}
            html = self.engine.call_with(self._html, result)
            if html.ok and html.count and html.values[0]:
                data["text/html"] = _clean(encoding.from_lua(html.values[0]))
            self.send({"data": data, "result": True})
        return result if shown.ok else shown

    def _fail(self, result: Result) -> None:
        text = _clean(report(result, self.engine))
        name = "Interrupted" if result.status is Status.INTERRUPTED else "LuaError"
        self.failed = [name, _clean(result.message), text.split("\n")]

    def send(self, message: dict[str, Any]) -> None:
        """Writes a message after the printed output."""
        self.engine.flush()
        data = frames.pack(message)
        while data:
            data = data[os.write(1, data) :]

    def send_data(self, data: dict[str, str]) -> None:
        """Shows something in the output of the cell."""
        self.send({"data": data, "result": False})

    def execute(self, source: str) -> dict[str, Any]:
        """Runs a cell."""
        self.failed = None
        self._questions.forget()
        # `quit` leaves the prompt, but does not end the kernel of a notebook.
        with suppress(EOFError):
            self.evaluate(source)
        if self.failed:
            return {"status": "error", "error": self.failed}
        return {"status": "ok"}

    def line(self) -> tuple[bytes | bool | None, bytes | None]:
        """A line that the user of the notebook types, False at the end of input, or None and the problem.

        None alone after Ctrl-C.
        """
        self.send({"question": True})
        while True:
            with suppress(KeyboardInterrupt):
                answer = self._requests.next() or {}
                if "line" in answer:
                    return encoding.to_bytes(answer["line"]), None
                if "end" in answer:
                    return False, None
                return None, encoding.to_bytes(answer["problem"]) if "problem" in answer else None

    def explain(self) -> None:
        """Prints nothing: a cell that does not stop is abandoned without a question."""

    def _come_back(self) -> None:
        if self.interrupter:
            self.interrupter.restart()
        self.failed = ["Interrupted", "back to before this cell", ["interrupted: back to before this cell"]]

    def complete(self, source: str, position: int) -> dict[str, Any]:
        """The completions of the prompt at a position."""
        found = list(LuaCompleter(self.engine).get_completions(Document(source, position), CompleteEvent()))
        start = min((item.start_position for item in found), default=0)
        return {
            "matches": [
                source[position + start : position + item.start_position] + item.text for item in found
            ],
            "start": position + start,
            "kinds": [item.display_meta_text for item in found],
        }

    def inspect(self, source: str, position: int, detail: int) -> dict[str, Any]:
        """The help on the name at a position."""
        before = _NAME.search(source[:position])
        after = _NAME_GOES_ON.match(source[position:])
        name = ((before[0] if before else "") + (after[0] if after else "")).strip(".:")
        call = re.search(r"([\w.:]+)\s*\([^()]*$", source[:position])
        if not name and call:
            name = call[1]
        helper = self.engine.helper("shell.help")
        raw = encoding.to_bytes(name)
        known = self.engine.ask(helper.of_name, raw) if name else None
        if not known or known["message"] is not None:
            return {"text": ""}
        listing = self.engine.ask(helper.source, raw) if detail else None
        text = encoding.from_lua(listing) if listing else text_for(name, self.engine, _WIDTH)
        return {"text": _clean(text)}

    def compiles(self, source: str) -> str:
        """The status of a source, which is compiled and not run."""
        return (self.analysis.status(source) or Status.SYNTAX_ERROR).value

    def completeness(self, source: str) -> dict[str, Any]:
        """Whether a cell is 'complete', 'incomplete' or 'invalid'."""
        if not self.analysis.is_finished(source):
            return {"status": "incomplete"}
        wrong = self.analysis.status(source) is Status.SYNTAX_ERROR and not self.analysis.pieces(source)
        start = source.lstrip()
        is_lua = start and not start.startswith(commands.BEGINNINGS) and "?" not in source[-2:]
        return {"status": "invalid" if wrong and is_lua else "complete"}


def _clean(text: str) -> str:
    """Text valid in JSON: bytes that are not UTF-8 are replaced."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _show_progress(text: str) -> None:
    """Replaces the displayed progress of long work; '' clears it.

    Lua may be waiting for a command and must not be called.
    """
    os.write(1, frames.pack({"progress": _clean(encoding.from_lua(text))}))


# The buffer of C's standard output.
_buffer = ctypes.create_string_buffer(8192)


def _write_lines() -> None:
    """Makes lines appear as they are printed."""
    libc = ctypes.CDLL(None)
    libc.setvbuf(ctypes.c_void_p.in_dll(libc, "stdout"), _buffer, 1, len(_buffer))


def serve(requests: int, dialect: str = "t7") -> None:
    """Answers the requests of the kernel until the end of input."""
    watcher = process.prepare()
    process.prepare_prompt()
    engine = Engine(dialect, on_exit=process.end)
    reader = Requests(requests)
    session = Cells(engine, reader)
    session.can_go_back = checkpoint.available()
    session.set_checkpoint(session.can_go_back)
    session.interrupter = LuaInterrupter(engine.lua, watcher, session.give_up, session.explain)
    engine.guard = session.interrupter
    show.inline = session.send_data
    waiting.draw = engine.helper("torch.base.progress").draw = _show_progress
    # In iTorch it was loaded at the start.
    engine.execute("require('shell.baseline').globals.itorch = require 'itorch'")
    _write_lines()
    session.send({"done": {}})
    while True:
        try:
            request = reader.next()
            if request is None:
                return
            answer = getattr(session, request["do"])(*request["with"])
        except KeyboardInterrupt:
            continue
        except engine.failures as reason:
            answer = {"status": "error", "error": ["LuaError", engine.recover(reason), []]}
        session.send({"done": answer})


if __name__ == "__main__":
    # Jupyter may have started the kernel with Ctrl-C ignored.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    serve(int(sys.argv[1]), *sys.argv[2:])
