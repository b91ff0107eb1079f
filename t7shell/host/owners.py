"""Python objects that own memory shared by several Lua states, kept until the last state releases them."""

from __future__ import annotations

from itertools import count
from typing import Any

_numbers = count(1)
_retained: dict[int, Any] = {}


def retain(owner: Any) -> int:
    """Keeps an object, from any state; returns its number for `release`."""
    number = next(_numbers)
    _retained[number] = owner
    return number


def release(number: float) -> None:
    """Releases the object of a number, from any state."""
    _retained.pop(int(number), None)
