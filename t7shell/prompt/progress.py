"""Shows in the title of the terminal, beside any output, that a line is still running."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress

FIRST = 1.0  # seconds before anything is shown
SAVE, RESTORE = b"\x1b[22;2t", b"\x1b[23;2t"


def _write(data: bytes) -> None:
    with suppress(OSError):
        os.write(1, data)


class Progress:
    """Shows the seconds of a line between `start` and `stop`, if it takes longer than one."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._show, args=(self._done,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._done.set()
        if self._thread:
            self._thread.join()
            self._thread = None

    @staticmethod
    def clear() -> None:
        """Removes the title that an ended process may have left."""
        _write(RESTORE)

    @staticmethod
    def _show(done: threading.Event) -> None:
        begin = time.monotonic()
        if done.wait(FIRST):
            return
        _write(SAVE)
        while True:
            _write(f"\x1b]2;t7: running for {time.monotonic() - begin:.0f} s\x07".encode())
            if done.wait(1):
                break
        _write(RESTORE)
