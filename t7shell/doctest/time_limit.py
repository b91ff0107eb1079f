"""A time limit for work that a hostile document could make endless, such as a comparison."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class TimeLimitExceeded(Exception):
    """The work exceeded its time limit."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raises TimeLimitExceeded in the block after the given number of seconds.

    No limit holds outside of the main thread and where the system has no timer.
    """
    timed = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if seconds is None or not timed:
        yield
        return

    def stop(*_: object) -> None:
        raise TimeLimitExceeded

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
