"""The kernel's side of the process that runs cells."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from t7shell.kernel import frames

# Seconds after which an interrupted cell that still runs is abandoned.
_PATIENCE = 1.5
# Seconds to wait for more output before some is shown.
_TOGETHER = 0.002

# Shows the output of a cell: f(kind, content); kind is 'stdout', 'stderr', 'data', 'result' or
# 'progress': a text that replaces the previous one, or '' for none.
Show = Callable[[str, Any], None]
# Asks the user of the notebook for a line. Raises EOFError at the end of input, and NoQuestions without a
# user.
Ask = Callable[[], str]


class NoQuestions(Exception):
    """No user can be asked; the message says why."""


def _nobody() -> str:
    raise NoQuestions("no input: there is no user to ask here")


class EngineEnded(Exception):
    """The process that runs cells has ended; the message says how."""


class Cells:
    """A process that runs cells, in a new process group, so that Ctrl-C reaches the process of the session.

    `folder` is the folder in which it runs, by default the current one.
    """

    def __init__(self, dialect: str = "t7", folder: str | None = None) -> None:
        asked, self._requests = os.pipe()
        self._output, out = os.pipe()
        self._errors, err = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "t7shell.kernel.cells", str(asked), dialect],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            pass_fds=[asked],
            cwd=folder,
            start_new_session=True,
        )
        for descriptor in (asked, out, err):
            os.close(descriptor)
        self._reader = frames.Reader()
        self._interrupted: float | None = None
        self._answer(lambda kind, content: None, _nobody)

    def ask(
        self, what: str, *arguments: Any, show: Show = lambda kind, content: None, question: Ask = _nobody
    ) -> dict[str, Any]:
        """The answer to a request; its output goes to `show`, and lines that it reads come from
        `question`. Raises EngineEnded.

        A KeyboardInterrupt is passed to the cell; one that does not stop is abandoned after a while.
        """
        self._tell({"do": what, "with": arguments})
        self._interrupted = None
        return self._answer(show, question)

    def _tell(self, message: dict[str, Any]) -> None:
        line = json.dumps(message).encode() + b"\n"
        with suppress(BrokenPipeError):
            while line:
                line = line[os.write(self._requests, line) :]

    def _reply(self, question: Ask) -> None:
        """Passes a line that the user of the notebook types to the cell."""
        try:
            self._tell({"line": question()})
        except EOFError:
            self._tell({"end": True})
        except NoQuestions as reason:
            self._tell({"problem": str(reason)})
        except KeyboardInterrupt:
            self._interrupted = time.monotonic()
            self._signal(signal.SIGINT)
            self._tell({})

    def _answer(self, show: Show, question: Ask) -> dict[str, Any]:
        while True:
            try:
                answer = self._step(show, question)
            except KeyboardInterrupt:
                self._interrupted = time.monotonic()
                self._signal(signal.SIGINT)
                continue
            if answer is not None:
                self._drain_errors(show)
                return answer

    def _step(self, show: Show, question: Ask) -> dict[str, Any] | None:
        ready = select.select([self._output, self._errors], [], [], 0.2)[0]
        if self._interrupted and time.monotonic() - self._interrupted > _PATIENCE:
            self._interrupted = time.monotonic()
            self._signal(signal.SIGINT)
        if self._errors in ready:
            self._drain_errors(show)
        if self._output not in ready:
            return None
        data = os.read(self._output, 65536)
        if not data:
            self._drain_errors(show)
            raise EngineEnded(_status(self._process.wait()))
        # Lines that a cell prints in quick succession become one message.
        while len(data) < 65536 and select.select([self._output], [], [], _TOGETHER)[0]:
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
                answer = part["done"]
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
        for descriptor in (self._requests, self._output, self._errors):
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
