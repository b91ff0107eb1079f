"""A terminal for tests: runs a program on a pseudo-terminal, types into it and reads its output."""

from __future__ import annotations

import os
import pty
import re
import select
import time

from .fork_server import COMMAND, Fork, is_possible

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]")
POSITION_QUERY = b"\x1b[6n"


class Terminal:
    """`shown` holds all that the program has written, without escape codes."""

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        environment = {**os.environ, **env}
        self._fork: Fork | None = None
        if command[: len(COMMAND)] == COMMAND and is_possible(env):
            self.descriptor, other = pty.openpty()
            self._fork = Fork(command[len(COMMAND) :], os.getcwd(), environment, [other] * 3)
            os.close(other)
            self.pid = self._fork.pid
        else:
            self.pid, self.descriptor = pty.fork()
            if self.pid == 0:
                os.execvpe(command[0], command, environment)
        self.shown = ""
        # With the escape codes.
        self.raw = ""
        self._mark = 0
        self._status: int | None = None

    def type(self, keys: str) -> None:
        """Types keys; `expect` then reads the output from here on."""
        self._mark = len(self.shown)
        os.write(self.descriptor, keys.encode())

    def expect(self, text: str, timeout: float = 30) -> str:
        """Waits until the text is shown; returns the output since the last `type`."""
        end = time.monotonic() + timeout
        while text not in self.shown[self._mark :]:
            if time.monotonic() > end or not self._read(0.1):
                raise AssertionError(f"{text!r} is not in {self.shown[self._mark :]!r}")
        return self.shown[self._mark :]

    def pause(self, seconds: float) -> None:
        """Waits, and answers queries of the program meanwhile, as a terminal does."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and self._read(left):
            pass

    def read(self) -> str:
        """The output since the last `type`."""
        self._read(0.1)
        return self.shown[self._mark :]

    def _read(self, timeout: float) -> bool:
        ready, _, _ = select.select([self.descriptor], [], [], timeout)
        if not ready:
            return True
        try:
            data = os.read(self.descriptor, 65536)
        except OSError:
            return False
        if POSITION_QUERY in data:
            os.write(self.descriptor, b"\x1b[1;1R")
        self.raw += data.decode(errors="replace")
        self.shown += ESCAPES.sub("", data.decode(errors="replace")).replace("\r", "")
        return bool(data)

    def status(self, timeout: float = 30) -> int:
        """Waits for the end of the program and returns its exit status."""
        end = time.monotonic() + timeout
        while self._status is None:
            self._read(0.05)
            self._status = self._ended()
            if self._status is None and time.monotonic() > end:
                raise AssertionError(f"still running; shown: {self.shown!r}")
        return self._status

    def _ended(self) -> int | None:
        """The exit status of a program that has ended."""
        if self._fork:
            return self._fork.wait(0)
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if pid else None

    def close(self) -> None:
        if self._fork:
            self._fork.kill()
        elif self._status is None:
            os.kill(self.pid, 9)
            os.waitpid(self.pid, 0)
        os.close(self.descriptor)
