"""Messages of tensors that wait to be taken by another thread, by the numbers that programs pass on.

A message is consumed by its receiver, which frees it.
"""

from __future__ import annotations

import threading

_lock = threading.Lock()
_messages: dict[float, list[float]] = {}


def retained_put(number: float, address: float) -> None:
    """Adds a message of a tensor."""
    with _lock:
        _messages.setdefault(number, []).append(address)


def retained_take(number: float) -> float | None:
    """Takes a message away; None if there is none."""
    with _lock:
        waiting = _messages.get(number)
        if not waiting:
            return None
        address = waiting.pop()
        if not waiting:
            del _messages[number]
        return address


def retained_count(number: float) -> int:
    """How many messages wait."""
    return len(_messages.get(number, ()))
