"""Calls in a child process, for libraries that crash on damaged files."""

from __future__ import annotations

import os
import pickle
import select
import signal
import warnings
from collections.abc import Callable
from typing import BinaryIO, TypeVar

T = TypeVar("T")


def in_child(function: Callable[[], T], seconds: float | None = None) -> T:
    """Calls a function in a forked copy of this process, and returns its result.

    The result must be plain data: it is pickled. Raises ValueError with the message of an exception of the
    function, and if a signal ended the child or it took more than `seconds`. Without `fork` the function is
    called here.
    """
    if not hasattr(os, "fork"):
        return function()
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # The child uses neither the other threads of this process nor their locks.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _run(function, writing)
    os.close(writing)
    try:
        with os.fdopen(reading, "rb") as pipe:
            answer = _received(pipe, seconds)
    except BaseException:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        raise ValueError(f"the file is damaged: its reader ended by {name}")
    if not answer:
        raise ValueError("the reader of the file ended without an answer")
    fine, result = pickle.loads(answer)
    if not fine:
        raise ValueError(result)
    return result  # type: ignore[no-any-return]


def _received(pipe: BinaryIO, seconds: float | None) -> bytes:
    """Reads a pipe to its end; the first bytes must arrive within a number of seconds."""
    if seconds is not None and not select.select([pipe], [], [], seconds)[0]:
        raise ValueError(f"the file is damaged: reading it took more than {seconds:g} seconds")
    return pipe.read()


def _run(function: Callable[[], object], writing: int) -> None:
    """The child: sends (True, result) or (False, message), and ends without running anything else."""
    try:
        for name in ("SIGINT", "SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE"):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        try:
            answer = pickle.dumps((True, function()), protocol=5)
        except Exception as reason:
            words = (reason.strerror if isinstance(reason, OSError) else None) or str(reason)
            answer = pickle.dumps((False, words or type(reason).__name__))
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(answer)
    finally:
        os._exit(0)
