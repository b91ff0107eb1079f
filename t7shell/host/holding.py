"""Python objects that own memory shared by several Lua states, kept until the last state releases them."""

from __future__ import annotations

from itertools import count
from typing import Any

_numbers = count(1)
_held: dict[int, Any] = {}


def hold(owner: Any) -> int:
    """Keeps an object, from any state; returns its number for `let_go`."""
    number = next(_numbers)
    _held[number] = owner
    return number


def let_go(number: float) -> None:
    """Releases the object of a number, from any state."""
    _held.pop(int(number), None)
