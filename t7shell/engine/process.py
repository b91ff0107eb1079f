"""The process of the command `t7`: its signals while scripts run, and its end."""

from __future__ import annotations

import atexit
import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from t7shell.engine.interrupt import Watcher
from t7shell.native import for_any_level

INTERRUPTED = 130      # the status of a process that Ctrl-C ended
UNREAD = 141           # of one that ended since nobody read its output, as a shell says it

# Called with a status other than 0 before the process ends: other processes may wait for it.
on_failure: list[Callable[[int], None]] = []

# Whether a GPU is in use, which a forked process cannot use.
holds_gpu = False


def fail(status: int) -> None:
    """Reports a failure to processes that wait for this one, after flushing all output."""
    if on_failure:
        flush_all()
    for call in on_failure:
        call(status)


def flush_all() -> None:
    """Flushes the buffers of C and Python, without waiting for a blocked reader.

    C's streams are flushed in a thread, since another thread may hold one of them while it waits for input.
    """
    flusher = threading.Thread(target=ctypes.CDLL(None).fflush, args=(None,), daemon=True)
    try:
        flusher.start()
    except RuntimeError:
        # There is not enough memory for a thread.
        ctypes.CDLL(None).fflush(None)
    else:
        flusher.join(0.5)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, RuntimeError, ValueError):
            stream.flush()


def end(status: int) -> None:
    """Ends the process from any thread, after flushing all output."""
    if status & 0xFF:
        fail(status & 0xFF)
    with suppress(Exception):
        atexit._run_exitfuncs()
    flush_all()
    os._exit(status & 0xFF)


def interrupted(message: str = "interrupted", status: int = INTERRUPTED) -> None:
    """Ends the process after Ctrl-C, or when it cannot recover."""
    flush_all()
    with suppress(OSError):
        os.write(2, message.encode() + b"\n")
    os._exit(status)


def out_of_memory() -> NoReturn:
    """Ends the process with one line, when memory does not suffice for an orderly exit."""
    with suppress(Exception):
        flush_all()
    os.write(2, b"t7: not enough memory\n")
    os._exit(1)


def open_streams() -> None:
    """Opens those of the three standard streams that are closed, on the null device.

    Otherwise the next file or pipe would be taken for one of them.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w", closefd=False))


def prepare() -> Watcher:
    """Gives scripts the signals of an ordinary program.

    The process ends silently when nobody reads its output any more, while a write to another closed pipe
    fails. Ctrl-C ends it also inside compiled Lua or a long NumPy call, during which Python's own handler
    does not run.
    """
    if hasattr(signal, "SIGPIPE"):
        try:
            for_any_level().t7_end_with_output()
        except (AttributeError, OSError):
            # The kernels are not compiled, which is reported elsewhere.
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    watcher = Watcher()
    watcher.in_thread = interrupted
    if watcher.pending:
        # It came when the watcher was made.
        interrupted()
    if hasattr(signal, "siginterrupt"):
        # A script that waits for input must not read the signal as end of file before the thread acts.
        signal.siginterrupt(signal.SIGINT, False)
    return watcher


def prepare_prompt() -> None:
    """Lets the prompt survive Ctrl-C."""
    if hasattr(signal, "siginterrupt"):
        signal.siginterrupt(signal.SIGINT, True)
