"""Shows in the title of the terminal, beside any output, that a line is still running."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import ClassVar

FIRST = 1.0  # seconds before anything is shown
SAVE, RESTORE = b"\x1b[22;2t", b"\x1b[23;2t"


def _write(data: bytes) -> None:
    with suppress(OSError):
        os.write(1, data)


class Progress:
    """Shows the seconds of a line between `start` and `stop`, if it takes longer than one."""

    # Those that show seconds now.
    running: ClassVar[list[Progress]] = []

    def __init__(self) -> None:
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._show, args=(self._done,), daemon=True)
        self._thread.start()
        self.running.append(self)

    def stop(self) -> None:
        self._done.set()
        if self._thread:
            self._thread.join()
            self._thread = None
            self.running.remove(self)

    @classmethod
    @contextmanager
    def paused(cls) -> Iterator[None]:
        """Shows nothing in the block, in which the user is asked."""
        stopped = list(cls.running)
        for progress in stopped:
            progress.stop()
        try:
            yield
        finally:
            for progress in stopped:
                progress.start()

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
