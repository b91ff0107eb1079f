"""A line of progress while a program waits for another one, such as a download without its own display."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress

FIRST = 1.0  # seconds before anything is shown
_OFTEN = 0.5
_MAX_LENGTH = 60

# A dim line after the output, as in lua/torch/base/progress.lua. The cursor returns to its start.
_SAVE, _RESTORE, _DIM, _PLAIN = "\x1b7", "\x1b8\x1b[K", "\x1b[?7l\x1b[2m", "\x1b[m\x1b[?7h"

# Draws a text in a notebook, '' for none; None on a terminal.
draw: Callable[[str], None] | None = None

_done = threading.Event()
_thread: threading.Thread | None = None


def begin_waiting(text: str, file: str | None) -> None:
    """Shows a text, the seconds and the size of a growing file, after a second and until `end_waiting`."""
    global _done, _thread
    end_waiting()
    _done = threading.Event()
    _thread = threading.Thread(target=_show, args=(_done, text[:_MAX_LENGTH], file), daemon=True)
    _thread.start()


def end_waiting() -> None:
    """Removes the line."""
    global _thread
    _done.set()
    if _thread:
        _thread.join()
        _thread = None


def _show(done: threading.Event, text: str, file: str | None) -> None:
    started, wall = time.monotonic(), time.time()
    if done.wait(FIRST):
        return
    shown = False
    while not shown or not done.wait(_OFTEN):
        line = f"{text}: {_size(file, wall)}{time.monotonic() - started:.0f} s"
        if draw:
            draw(line)
        else:
            _write((_RESTORE if shown else _SAVE) + _DIM + line + _PLAIN)
        shown = True
    if draw:
        draw("")
    else:
        _write(_RESTORE)


def _size(file: str | None, since: float) -> str:
    """The size of a file that is being written, as text."""
    with suppress(OSError, ValueError):
        found = os.stat(file.encode("latin-1")) if file else None
        if found and found.st_mtime >= since - 1:
            return f"{found.st_size / 1e6:.1f} MB, "
    return ""


def _write(text: str) -> None:
    with suppress(OSError):
        os.write(2, text.encode("latin-1", "replace"))
