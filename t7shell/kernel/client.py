"""The kernel's side of the process that runs cells."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from t7shell.kernel import frames, interrupts

# Seconds after which an interrupted cell that still runs is abandoned.
_ABANDON_AFTER = 1.5
# Seconds after which another Ctrl-C is passed on at once, and not taken for the same one.
_DOUBLE_PRESS = 0.3
# Seconds to wait for more output before some is shown.
_FLUSH_DELAY = 0.002

# Shows the output of a cell: f(kind, content); kind is 'stdout', 'stderr', 'data', 'result' or
# 'progress': a text that replaces the previous one, or '' for none.
Show = Callable[[str, Any], None]
# Asks the user of the notebook for a line. Raises EOFError at the end of input, NoQuestions without a user,
# and KeyboardInterrupt once `interrupted` of the process is true.
Ask = Callable[[], str]


class NoQuestions(Exception):
    """No user can be asked; the message says why."""


def _no_user() -> str:
    raise NoQuestions("no input: there is no user to ask here")


class EngineEnded(Exception):
    """The process that runs cells has ended; the message says how."""


class Cells:
    """A process that runs cells, in a new process group, so that Ctrl-C reaches the process of the session.

    `folder` is the folder in which it runs, by default the current one.
    """

    def __init__(self, dialect: str = "t7", folder: str | None = None) -> None:
        asked, self._requests = os.pipe()
        stopped, self._interrupts = os.pipe()
        self._output, out = os.pipe()
        self._errors, err = os.pipe()
        # A signal ends the wait for output by a byte in this pipe.
        self._woken, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        key = frames.new_key()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "t7shell.kernel.cells", str(asked), str(stopped), key, dialect],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            pass_fds=[asked, stopped],
            cwd=folder,
            start_new_session=True,
        )
        for descriptor in (asked, stopped, out, err):
            os.close(descriptor)
        self._reader = frames.Reader(key)
        self._number = 0  # of the request, from 1
        # Held during a request: frontends may send some from other threads, which wait.
        self._asking = threading.Lock()
        self.interrupted = False  # whether Ctrl-C was pressed during the request
        # When it was passed on to the process.
        self._passed: float | None = None
        self._answer(lambda kind, content: None, _no_user)

    def ask(
        self, what: str, *arguments: Any, show: Show = lambda kind, content: None, question: Ask = _no_user
    ) -> dict[str, Any]:
        """The answer to a request; its output goes to `show`, and lines that it reads come from
        `question`. Raises EngineEnded.

        Ctrl-C is passed to the cell; one that does not stop is abandoned after a while. In the main thread
        Ctrl-C is no KeyboardInterrupt meanwhile, which might arrive between any two instructions.
        """
        with self._asking, self._taking_interrupts():
            self._number += 1
            self._passed = None
            self._tell({"number": self._number, "do": what, "with": arguments})
            return self._answer(show, question)

    @contextmanager
    def _taking_interrupts(self) -> Iterator[None]:
        self.interrupted = False
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGINT, lambda *_: self.interrupt())
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def interrupt(self) -> None:
        """Interrupts the request that is under way; from any thread, or a handler of signals."""
        self.interrupted = True
        with suppress(BlockingIOError):
            os.write(self._wake, b".")

    def _pass_interrupt(self) -> None:
        """Passes an interrupt on, and repeats it while the request goes on."""
        now = time.monotonic()
        if self._passed is not None and now - self._passed <= _ABANDON_AFTER:
            return
        self._passed = now
        with suppress(BrokenPipeError):
            os.write(self._interrupts, interrupts.pack(self._number))
        self._signal(signal.SIGINT)

    def _tell(self, message: dict[str, Any]) -> None:
        line = json.dumps(message).encode() + b"\n"
        with suppress(BrokenPipeError):
            while line:
                line = line[os.write(self._requests, line) :]

    def _reply(self, question: Ask) -> None:
        """Passes a line that the user of the notebook types to the cell."""
        answer: dict[str, Any] = {}
        try:
            answer["line"] = question()
        except EOFError:
            answer["end"] = True
        except NoQuestions as reason:
            answer["problem"] = str(reason)
        except KeyboardInterrupt:
            self.interrupted = True
        self._tell({"answer": self._number, **answer})

    def _answer(self, show: Show, question: Ask) -> dict[str, Any]:
        while True:
            if self.interrupted:
                self._pass_interrupt()
            answer = self._step(show, question)
            if answer is not None:
                self._drain_errors(show)
                return answer

    def _step(self, show: Show, question: Ask) -> dict[str, Any] | None:
        ready = select.select([self._output, self._errors, self._woken], [], [], 0.2)[0]
        if self._woken in ready:
            os.read(self._woken, 4096)
            if self._passed is not None and time.monotonic() - self._passed > _DOUBLE_PRESS:
                self._passed = None
        if self._errors in ready:
            self._drain_errors(show)
        if self._output not in ready:
            return None
        data = os.read(self._output, 65536)
        if not data:
            self._drain_errors(show)
            raise EngineEnded(_status(self._process.wait()))
        # Lines that a cell prints in quick succession become one message.
        while len(data) < 65536 and select.select([self._output], [], [], _FLUSH_DELAY)[0]:
            more = os.read(self._output, 65536)
            if not more:
                break
            data += more
        answer, text = None, ""
        for part in self._reader.feed(data):
            if isinstance(part, str):
                text += part
                continue
            if text:
                show("stdout", text)
                text = ""
            if "done" in part:
                answer = part["done"] if part["number"] == self._number else answer
            elif "question" in part:
                self._reply(question)
            elif "progress" in part:
                show("progress", part["progress"])
            else:
                show("result" if part["result"] else "data", part["data"])
        if text:
            show("stdout", text)
        return answer

    def _drain_errors(self, show: Show) -> None:
        while select.select([self._errors], [], [], 0)[0]:
            data = os.read(self._errors, 65536)
            if not data:
                return
            show("stderr", data.decode("utf-8", "replace"))

    def _signal(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def kill(self) -> None:
        """Ends the process at once; the request that waits raises EngineEnded."""
        self._signal(signal.SIGKILL)

    def close(self) -> None:
        """Ends the process."""
        pipes = (self._requests, self._interrupts, self._output, self._errors, self._woken, self._wake)
        for descriptor in pipes:
            with suppress(OSError):
                os.close(descriptor)
        self._signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(2)
            return
        self._signal(signal.SIGKILL)
        self._process.wait()


def _status(status: int) -> str:
    if status < 0:
        return f"by signal {-status}"
    return f"with status {status}"
