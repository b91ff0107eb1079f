"""The sessions in which documents run: one in this process, and one in a child process, which may crash.

A child runs `t7shell.doctest.child`. Requests and answers are lines of JSON; the answers come through
the pipe that was its standard output, which the examples cannot access.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

import t7shell
from t7shell.engine.engine import Engine
from t7shell.engine.result import Status

# Imports the package from the path of this process, and nothing from the current folder.
_START = "import sys; sys.path[0] = sys.argv[1]; from t7shell.doctest.child import serve; serve(sys.argv[2])"


# The message of a child that is ready for requests, and the limit in seconds for its start on a busy machine.
READY = b"ready\n"
_START_UP = 120.0


class SessionLost(Exception):
    """The session crashed or did not answer; the message says which."""


@dataclass(frozen=True)
class Answer:
    """The output of an example, with the values that the prompt shows, and its error message if it failed."""

    status: Status
    text: str = ""
    message: str = ""


class Session(Protocol):
    """Runs the examples of a document, one after the other."""

    def check(self, source: str) -> Status: ...

    def run(self, source: str, name: str, program: str = "") -> Answer:
        """Runs an input of the prompt, or a program, whose result becomes a global of the given name."""

    def close(self) -> None: ...


# Makes a session of a dialect.
OpenSession = Callable[[str], Session]


class LocalSession:
    """A session in this process."""

    def __init__(self, dialect: str = "t7") -> None:
        self._engine = Engine(dialect)

    def check(self, source: str) -> Status:
        return self._engine.check(source).status

    def run(self, source: str, name: str = "=example", program: str = "") -> Answer:
        try:
            if program:
                text, result = self._engine.run_program(source, name, program)
            else:
                text, result = self._engine.run_captured(source, name)
        except SystemExit as end:
            return Answer(Status.ERROR, message=f"the example ended the program: os.exit({end.code})")
        finally:
            self._engine.flush()
        return Answer(result.status, text, result.message)

    def close(self) -> None:
        """Nothing to release."""


class ChildSession:
    """A session in a child process. `timeout` is how many seconds an example may take."""

    def __init__(self, dialect: str = "t7", timeout: float = 60.0) -> None:
        self._timeout = timeout
        self._ready = False
        command = [sys.executable, "-c", _START, str(Path(t7shell.__file__).parents[1]), dialect]
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._answers: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._listen, args=(self._child.stdout,), daemon=True).start()

    def check(self, source: str) -> Status:
        return self._ask("check", source, "").status

    def run(self, source: str, name: str = "=example", program: str = "") -> Answer:
        return self._ask("run", source, name, program)

    def close(self) -> None:
        self._child.kill()
        self._child.wait()
        for pipe in (self._child.stdin, self._child.stdout):
            with suppress(OSError):
                if pipe:
                    pipe.close()

    def _listen(self, pipe: IO[bytes]) -> None:
        with suppress(ValueError, OSError):
            for line in pipe:
                self._answers.put(line)
        self._answers.put(b"")

    def _next_line(self) -> bytes:
        """The next answer. The start of the child does not count towards the time of the first example."""
        limit = self._timeout if self._ready else _START_UP
        try:
            line = self._answers.get(timeout=limit)
            if line == READY:
                self._ready, limit = True, self._timeout
                line = self._answers.get(timeout=limit)
        except queue.Empty:
            self._child.kill()
            raise SessionLost(f"timed out after {limit:g} s") from None
        return line

    def _ask(self, kind: str, source: str, name: str, program: str = "") -> Answer:
        assert self._child.stdin
        try:
            self._child.stdin.write(json.dumps([kind, source, name, program]).encode() + b"\n")
            self._child.stdin.flush()
            line = self._next_line()
        except (OSError, ValueError):
            line = b""
        if not line:
            raise SessionLost(_ending(self._child.wait()))
        status, text, message = json.loads(line)
        return Answer(Status(status), text, message)


def _ending(status: int) -> str:
    if status < 0:
        return f"the process was killed by signal {-status}"
    return f"the process ended with status {status}"
