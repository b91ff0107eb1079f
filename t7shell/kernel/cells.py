"""The process that runs cells: a session of the prompt whose inputs come from the kernel.

Requests are lines of JSON on a pipe, `{"number": n, "do": name, "with": arguments}`; answers are frames on
standard output. A picture or a value is a frame `{"data": ..., "result": whether it is the value of the
cell}`, and the last frame of each request is `{"done": answer, "number": n}`. `{"progress": text}` shows the
progress of long work. A program that reads a line sends the frame `{"question": true}`, and gets
`{"answer": n}` with `"line": text`, `"end": true`, `"problem": why there is none`, or nothing else after
Ctrl-C. Interrupts come on another pipe, see `kernel/interrupts.py`.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from t7shell.engine import process
from t7shell.engine.engine import Engine
from t7shell.engine.interrupt import LuaInterrupter
from t7shell.engine.luajit import INTERPRETED, can_compile
from t7shell.engine.report import report
from t7shell.engine.result import Result, Status
from t7shell.host import encoding, progress
from t7shell.kernel import frames
from t7shell.kernel.interrupts import Interrupts
from t7shell.packages.display import show
from t7shell.prompt import checkpoint, debugger, syntax
from t7shell.prompt.completion import LuaCompleter
from t7shell.prompt.help import text_for
from t7shell.prompt.large_inputs import before_cursor
from t7shell.prompt.session import Session

_WIDTH = 80  # of the help on a name, in characters
_TURNS = 15  # tenths of a second after which an interrupted command is killed
_NAME_GOES_ON = re.compile(r"\w*")


class Requests:
    """Requests of the kernel, and its answers to questions, on a descriptor.

    `number` is that of the current request.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._pending = b""
        self.number = 0

    def next(self) -> dict[str, Any] | None:
        """The next request; None at the end. Skips answers that came too late for their question."""
        message = self._message()
        while message is not None and "do" not in message:
            message = self._message()
        if message is not None:
            self.number = message["number"]
        return message

    def answer(self) -> dict[str, Any]:
        """The answer to a question of the current request."""
        message = self._message()
        while message is not None and message.get("answer") != self.number:
            message = self._message()
        return message or {}

    def _message(self) -> dict[str, Any] | None:
        chunks = [self._pending]
        while b"\n" not in chunks[-1]:
            chunks.append(os.read(self._descriptor, 65536))
            if not chunks[-1]:
                return None
        line, _, self._pending = b"".join(chunks).partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message


class NoInput:
    """The empty input source of a session whose inputs are requests."""

    prompt = "t7> "

    def read(self, is_finished: Callable[[str], bool]) -> str:
        raise EOFError

    def offer(self, text: str) -> bool:
        return False


class Cells(Session):
    """A session whose values and errors are messages."""

    lua_shows = runs_editors = False

    def __init__(self, engine: Engine, requests: Requests, interrupts: Interrupts, key: str) -> None:
        super().__init__(engine, NoInput())
        self._key = key
        self._requests, self._interrupts = requests, interrupts
        # Held while a message is written, which must not be cut short.
        self._writing = threading.Lock()
        self._questions = engine.helper("shell.questions")
        self._questions.install(self.line)
        self._html = engine.helper("shell.html")
        self._expression = engine.helper("shell.evaluate").expression
        self.failed: list[Any] | None = None
        self._offered: str | None = None
        # What the first cell says before its output.
        self._notice = "" if can_compile() else f"{INTERPRETED}\n"

    def _show(self, result: Result) -> Result:
        if not result.count or result.silent:
            return result
        shown, data = self._data_of(result)
        if shown.ok:
            self.send({"data": data, "result": True})
        return result if shown.ok else shown

    def _data_of(self, result: Result) -> tuple[Result, dict[str, str]]:
        """Values as data of the kinds that notebooks show, and whether that succeeded."""
        with self.engine.capture() as out:
            shown = self.engine.call_with(self.prompt_module.show, result)
        data = {"text/plain": encoding.valid(out[0].rstrip("\n"))}
        html = self.engine.call_with(self._html, result) if shown.ok else shown
        if html.ok and html.count and html.values[0]:
            data["text/html"] = encoding.valid(encoding.from_lua(html.values[0]))
        return shown, data

    def _fail(self, result: Result) -> None:
        self.failed = self._error_of(result)

    def _error_of(self, result: Result) -> list[Any]:
        text = encoding.valid(report(result, self.engine))
        name = "Interrupted" if result.status is Status.INTERRUPTED else "LuaError"
        return [name, encoding.valid(result.message), text.split("\n")]

    def send(self, message: dict[str, Any]) -> None:
        """Writes a message after the printed output."""
        self.engine.flush()
        self._write(message)

    def _write(self, message: dict[str, Any]) -> None:
        data = memoryview(frames.pack(message, self._key))
        with self._writing:
            while data:
                data = data[os.write(1, data) :]

    def show_progress(self, text: str) -> None:
        """Replaces the displayed progress of long work; '' clears it.

        Lua may be waiting for a command and must not be called.
        """
        self._write({"progress": encoding.valid(encoding.from_lua(text))})

    def send_data(self, data: dict[str, str]) -> None:
        """Shows something in the output of the cell."""
        self.send({"data": data, "result": False})

    def execute(
        self, source: str, number: int = 0, expressions: dict[str, str] | None = None
    ) -> dict[str, Any]:
        """Runs a cell, and evaluates the expressions if it succeeds.

        Errors refer to its number, unless earlier cells were several inputs.
        """
        self.failed = self._offered = None
        self.analysis.number = int(self.prompt_module.skip_to(number))
        self._questions.forget()
        encoding.write(self._notice)
        self._notice = ""
        # `quit` leaves the prompt, but does not end the kernel of a notebook.
        with suppress(EOFError):
            self.evaluate(source)
        if self.failed:
            return {"status": "error", "error": self.failed}
        answer: dict[str, Any] = {"status": "ok"}
        if self._offered is not None:
            answer["next"] = self._offered
        if expressions:
            answer["values"] = {name: self._value_of(code) for name, code in expressions.items()}
        return answer

    def _value_of(self, expression: str) -> dict[str, Any]:
        """The data of an expression, or the error of its evaluation."""
        result = self.engine.call_for_record(self._expression, encoding.to_bytes(expression))
        shown, data = self._data_of(result) if result.ok and result.count else (result, {})
        self.engine.end_input()
        return {"data": data} if shown.ok else {"error": self._error_of(shown)}

    def offer(self, source: str) -> bool:
        """Makes a text the content of the cell."""
        self._offered = source
        return True

    def line(self) -> tuple[bytes | bool | None, bytes | None]:
        """A line that the user of the notebook types, False at the end of input, or None and the problem.

        None alone after Ctrl-C.
        """
        self.send({"question": True})
        answer = self._requests.answer()
        if "line" in answer:
            return encoding.to_bytes(answer["line"]), None
        if "end" in answer:
            return False, None
        return None, encoding.to_bytes(answer["problem"]) if "problem" in answer else None

    def debug(self) -> bool:
        # The error of a cell is shown after its end.
        if self.failed:
            encoding.write(self.failed[1] + "\n", sys.stdout)
        return super().debug()

    def ask(self, prompt: str) -> tuple[bytes | bool | None, bytes | None]:
        """A line for the debugger, as `line` has it; the output of the cell shows the prompt and the line."""
        encoding.write(prompt, sys.stdout)
        line, problem = self.line()
        encoding.write(f"{line.decode(errors='replace') if isinstance(line, bytes) else ''}\n", sys.stdout)
        return line, problem

    def wait(self, command: subprocess.Popen[bytes]) -> bytes | None:
        """Kills a command that does not end at an interrupt. Raises KeyboardInterrupt when it has ended."""
        interrupted = 0
        while True:
            with suppress(subprocess.TimeoutExpired):
                output = command.communicate(timeout=0.1)[0]
                break
            interrupted += self._interrupts.pending
            if interrupted > _TURNS:
                command.kill()
        if self._interrupts.pending:
            self.failed = ["Interrupted", "interrupted", ["interrupted"]]
            raise KeyboardInterrupt
        return output

    def give_up(self) -> None:
        with self._writing:
            super().give_up()

    def explain(self) -> None:
        """Prints nothing: a cell that does not stop is abandoned without a question."""

    def _come_back(self) -> None:
        self._writing = threading.Lock()
        if self.interrupter:
            self.interrupter.restart()
        message = "returned to the state before this cell"
        self.failed = ["Interrupted", message, [f"interrupted: {message}"]]

    def complete(self, source: str, position: int) -> dict[str, Any]:
        """The completions of the prompt at a position."""
        position = _within(source, position)
        found = list(LuaCompleter(self.engine).get_completions(Document(source, position), CompleteEvent()))
        start = min((item.start_position for item in found), default=0)
        return {
            "matches": [
                source[position + start : position + item.start_position] + item.text for item in found
            ],
            "start": position + start,
            "end": position,
            "kinds": [item.display_meta_text for item in found],
        }

    def inspect(self, source: str, position: int, detail: int) -> dict[str, Any]:
        """The help on the name at a position."""
        position = _within(source, position)
        before = before_cursor(Document(source, position))
        after = _NAME_GOES_ON.match(source, position)
        name = (_last_name(before) + (after[0] if after else "")).strip(".:")
        bracket = max(before.rfind("("), before.rfind(")"))
        if not name and before[bracket : bracket + 1] == "(":
            name = _last_name(before[:bracket].rstrip())
        helper = self.engine.helper("shell.help")
        raw = encoding.to_bytes(name)
        known = self.engine.try_call(helper.of_name, raw) if name else None
        if not known or known["message"] is not None:
            return {"text": ""}
        listing, is_known = (detail and self.engine.try_call(helper.source, raw)) or ("", False)
        text = encoding.from_lua(listing) if is_known else text_for(name, self.engine, _WIDTH)
        return {"text": encoding.valid(text)}

    def compiles(self, source: str) -> str:
        """The status of a source, which is compiled and not run."""
        return (self.analysis.status(source) or Status.SYNTAX_ERROR).value

    def completeness(self, source: str) -> dict[str, Any]:
        """Whether a cell is 'complete', 'incomplete' or 'invalid'."""
        if not self.analysis.is_finished(source):
            return {"status": "incomplete"}
        wrong = self.analysis.status(source) is Status.SYNTAX_ERROR and not self.analysis.statements(source)
        start = source.lstrip()
        is_lua = start and not start.startswith(syntax.BEGINNINGS) and "?" not in source[-2:]
        return {"status": "invalid" if wrong and is_lua else "complete"}


def _within(source: str, position: int) -> int:
    """A position that a frontend sends, in the source: some count in other units than characters."""
    return min(max(position, 0), len(source))


def _last_name(text: str) -> str:
    """The name, with those of its owners, that a text ends in."""
    start = len(text)
    while start and (text[start - 1].isalnum() or text[start - 1] in "_.:"):
        start -= 1
    return text[start:]


# The buffer of C's standard output.
_buffer = ctypes.create_string_buffer(8192)


def _write_lines() -> None:
    """Makes lines appear as they are printed."""
    libc = ctypes.CDLL(None)
    libc.setvbuf(ctypes.c_void_p.in_dll(libc, "stdout"), _buffer, 1, len(_buffer))


def serve(requests: int, interrupts: int, key: str, dialect: str = "t7") -> None:
    """Answers the requests of the kernel until the end of input. `key` is that of its messages."""
    watcher = Interrupts(interrupts)
    process.prepare_prompt()
    engine = Engine(dialect, on_exit=process.end)
    reader = Requests(requests)
    session = Cells(engine, reader, watcher, key)
    session.can_go_back = checkpoint.available()
    session.set_checkpoint(session.can_go_back)
    session.interrupter = LuaInterrupter(engine.lua, watcher, session.give_up, session.explain)
    engine.guard = session.interrupter
    show.inline = session.send_data
    debugger.install(engine, watcher.arm, session.ask)
    progress.draw = engine.helper("torch.base.progress").draw = session.show_progress
    # In iTorch it was loaded at the start.
    engine.execute("require('shell.baseline').globals.itorch = require 'itorch'")
    _write_lines()
    session.send({"done": {}, "number": 0})
    while True:
        request = reader.next()
        if request is None:
            return
        watcher.begin(reader.number)
        try:
            answer = getattr(session, request["do"])(*request["with"])
        except engine.failures as reason:
            answer = {"status": "error", "error": ["LuaError", engine.recover(reason), []]}
        except Exception as reason:
            # A request that is wrong, or a mistake of ours: neither may cost the variables of the session.
            lines = traceback.format_exception(reason)
            encoding.write("".join(lines))
            answer = {"status": "error", "error": [type(reason).__name__, str(reason), lines]}
        session.send({"done": answer, "number": reader.number})


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:])
