"""The functions that modules of nn call on the device, by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

from t7shell.packages.cutorch.elementwise import refused

_FUNCTIONS: dict[str, Callable[..., Any]] = {}


def module_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Enters a function by its name, without the underscore, guarded: operands that it rejects give False."""

    @wraps(function)
    def run(*operands: Any) -> Any:
        try:
            result = function(*operands)
        except RuntimeError as reason:
            return refused(reason)
        except (IndexError, TypeError, ValueError):
            return False
        return True if result is None else result

    _FUNCTIONS[function.__name__.lstrip("_")] = run
    return run


def function_of(name: str) -> Callable[..., Any]:
    """The function of a name."""
    for part in ("modules", "recurrent"):
        import_module(f"t7shell.packages.cutorch.{part}")
    return _FUNCTIONS[name]
