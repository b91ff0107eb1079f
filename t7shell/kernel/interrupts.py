"""Interrupts of the process that runs cells; each has the number of the request that it is for.

A signal alone does not say whether it was meant for the cell that runs or for the one before it. It is still
sent, because commands of the system and reads that wait stop only for a signal; its handler does nothing, so
that no KeyboardInterrupt arrives within the code that reads requests and writes answers.
"""

from __future__ import annotations

import os
import select
import signal
import struct
import threading
from collections.abc import Callable

# A message: the number of a request.
_NUMBER = struct.Struct("<q")


def pack(number: int) -> bytes:
    """The message that interrupts a request."""
    return _NUMBER.pack(number)


def _nothing() -> None:
    pass


class Interrupts:
    """Tells a LuaInterrupter of interrupts: calls `in_thread` from another thread at each of the request.

    While no Lua runs, an interrupt waits for the next Lua of its request.
    """

    def __init__(self, descriptor: int) -> None:
        self.in_thread: Callable[[], None] = _nothing
        self._descriptor = descriptor
        self._number = 0
        self._asked = self._ended = False
        self.restart()

    def begin(self, number: int) -> None:
        """A request begins; interrupts of others are ignored from here on."""
        with self._lock:
            self._number, self._asked = number, False

    @property
    def pending(self) -> bool:
        """Whether the current request is to be interrupted, by all that was sent until now."""
        with self._lock:
            self._read()
            return self._asked

    def restart(self) -> None:
        """Starts the thread; also after a fork, which does not copy it."""
        # Held while an interrupt is read and passed on, so that the next request does not begin in between.
        self._lock = threading.Lock()
        signal.signal(signal.SIGINT, lambda *_: None)
        threading.Thread(target=self._receive, daemon=True).start()

    def arm(self) -> None:
        """Does nothing: no event loop takes the descriptor."""

    def _receive(self) -> None:
        while not self._ended:
            select.select([self._descriptor], [], [])
            with self._lock:
                if self._read():
                    self.in_thread()

    def _read(self) -> bool:
        """Reads what was sent; tells whether an interrupt of the current request was among it."""
        found = False
        while select.select([self._descriptor], [], [], 0)[0]:
            message = os.read(self._descriptor, _NUMBER.size)
            if not message:
                self._ended = True
                break
            found = found or _NUMBER.unpack(message)[0] == self._number
        self._asked = self._asked or found
        return found
