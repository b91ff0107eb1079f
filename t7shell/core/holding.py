"""Objects of Python that own memory which several Lua states share, until the last state lets go of them."""

from __future__ import annotations

from itertools import count
from typing import Any

_numbers = count(1)
_held: dict[int, Any] = {}


def hold(owner: Any) -> int:
    """Keeps an object, from any state; returns the number that `let_go` takes."""
    number = next(_numbers)
    _held[number] = owner
    return number


def let_go(number: float) -> None:
    """Forgets the object of a number, from any state."""
    _held.pop(int(number), None)
