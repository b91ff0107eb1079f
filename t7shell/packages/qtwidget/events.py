"""Signals of windows for programs: events of the mouse and of the keys."""

from __future__ import annotations

from t7shell.host import encoding
from t7shell.packages.display import show, window

# A wait is divided into parts of this number of seconds, between which Ctrl-C is seen.
_PART = 0.1


def can_listen() -> bool:
    """Whether pictures appear in windows."""
    return show.destination() == "window"


def listen(key: str) -> bool:
    """Has the signals of a window sent; false if pictures do not appear in windows."""
    return can_listen() and window.listen(key)


def close(key: str) -> None:
    """Closes a window if it is open."""
    show.withdraw(key)
    window.close(key)


def event(seconds: float) -> tuple[bytes | int | str, ...] | None:
    """Shows pending drawings, and returns the next signal: the key of its window, its name and its arguments.

    None if there is none within some seconds, a tenth at most.
    """
    show.flush()
    found = window.next_event(min(max(seconds, 0), _PART))
    if found is None:
        return None
    key, signal, arguments = found
    return key, signal, *(encoding.to_bytes(one) if isinstance(one, str) else one for one in arguments)
