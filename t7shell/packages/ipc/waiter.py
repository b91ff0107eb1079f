"""Waiting for sockets, which Ctrl-C ends."""

from __future__ import annotations

import os
import select
import socket
import time
from contextlib import suppress

from t7shell.engine import interrupt

INTERRUPTED = "interrupted"


class ConnectionFailure(Exception):
    """Nothing more can be sent or received; the message says why."""


class Waiter:
    """Waits for sockets. Ctrl-C ends the wait, from another thread."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._reader, False)
        os.set_blocking(self._writer, False)
        interrupt.follow(self.stop)

    def stop(self) -> None:
        """Ends a wait that is under way."""
        with suppress(OSError):
            os.write(self._writer, b".")

    def wait(self, *sockets: socket.socket, writing: bool = False, until: float | None = None) -> list[int]:
        """The descriptors that are ready; none at the time `until`. Raises when Ctrl-C was pressed."""
        poll = select.poll()
        for each in sockets:
            poll.register(each, select.POLLOUT if writing else select.POLLIN)
        poll.register(self._reader, select.POLLIN)
        while True:
            left = None if until is None else max(0.0, until - time.monotonic()) * 1000
            found = [descriptor for descriptor, _ in poll.poll(left)]
            if self._reader in found:
                # The request may precede the program that runs now.
                with suppress(BlockingIOError):
                    os.read(self._reader, 64)
                if interrupt.asked():
                    raise ConnectionFailure(INTERRUPTED)
                found.remove(self._reader)
            if found or (until is not None and time.monotonic() >= until):
                return found

    def __del__(self) -> None:
        with suppress(AttributeError, OSError):
            os.close(self._reader)
            os.close(self._writer)
