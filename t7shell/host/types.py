"""The type that a caller expects of a value, for type checkers and at run time."""

from __future__ import annotations

from typing import Any


def checked(name: str, value: Any, expected: type[Any] | None) -> Any:
    """The value. Raises TypeError if it is not of the expected type; an integer is also a float."""
    if expected is None or isinstance(value, expected):
        return value
    if expected is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    raise TypeError(f"{name}: expected {expected.__name__} (got {type(value).__name__})")
