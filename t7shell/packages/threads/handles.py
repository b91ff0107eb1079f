"""Which objects threads share by their addresses, and how many users each has.

An address that comes from a program is looked up here before it is dereferenced.
"""

from __future__ import annotations

import threading

_lock = threading.Lock()
_users: dict[tuple[str, int], int] = {}


def register(kind: str, address: float) -> None:
    """Registers a new object with one user."""
    with _lock:
        _users[kind, int(address)] = 1


def retain(kind: str, address: float) -> bool:
    """Adds a user; false for an unknown object."""
    with _lock:
        try:
            key = (kind, int(address))
        except (OverflowError, ValueError):
            return False
        if key not in _users or key[1] != address:
            return False
        _users[key] += 1
        return True


def release(kind: str, address: float) -> bool:
    """Removes a user; true if that was the last one."""
    with _lock:
        key = (kind, int(address))
        _users[key] -= 1
        if _users[key]:
            return False
        del _users[key]
        return True
