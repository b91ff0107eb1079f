"""The functions that Lua calls on the device, guarded; those of modules of nn by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

import torch

from t7shell.packages.cutorch.elementwise import fallback

_FUNCTIONS: dict[str, Callable[..., Any]] = {}


def _contiguous(result: Any) -> Any:
    """A result as Lua takes it; raises ValueError for one without elements, which has no memory there."""
    if not isinstance(result, torch.Tensor):
        return result
    if result.numel() == 0:
        raise ValueError
    return result.contiguous()


def needs(condition: bool) -> None:
    """Leaves operands to the CPU unless a condition holds: raises ValueError, False by `guarded`."""
    if not condition:
        raise ValueError


def accumulate(target: torch.Tensor | None, source: torch.Tensor, scale: float) -> None:
    """Adds a multiple to gradients of parameters, where a module has them."""
    if target is not None:
        target.add_(source.view_as(target), alpha=scale)


def indices_from(indices: torch.Tensor, minimum: int, maximum: int) -> torch.Tensor:
    """Indices from 0 for those of Lua, from `minimum` to `maximum`; the CPU reports others."""
    indices = indices.long()
    smallest, largest = torch.aminmax(indices)
    needs(minimum <= int(smallest) and int(largest) <= maximum)
    return indices - 1


def guarded(function: Callable[..., Any], writes: bool = False) -> Callable[..., Any]:
    """The function with contiguous results, True for none; False for operands that PyTorch rejects.

    Where the device has too little memory the result is a message. `writes`: the result is an operand.
    """

    @wraps(function)
    def run(*operands: Any) -> Any:
        try:
            result = function(*operands)
            if isinstance(result, tuple):
                return tuple(map(_contiguous, result))
            return True if writes or result is None else _contiguous(result)
        except RuntimeError as reason:
            return fallback(reason, *operands)
        except (IndexError, TypeError, ValueError):
            return False

    return run


def module_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Enters a function by its name, without the underscore."""
    run = guarded(function)
    _FUNCTIONS[function.__name__.lstrip("_")] = run
    return run


def function_of(name: str) -> Callable[..., Any]:
    """The function of a name."""
    for part in ("convolutions", "formulas", "modules", "recurrent"):
        import_module(f"t7shell.packages.cutorch.{part}")
    return _FUNCTIONS[name]
