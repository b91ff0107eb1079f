"""The contract between Lua and torch's part of Python: one table of functions that Lua may call.

`keep` keeps an object until the state has ended; the docstrings of the others say what they take and give.

Addresses and counts cross as numbers, strings as latin-1. Objects of Python stay alive as long as the Lua
object that refers to them. NumPy is imported when the first of these is called.

The same rules hold for each package's table, `FUNCTIONS` of the module `t7shell.packages.<package>.host`,
which maps names of functions to their modules.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from t7shell.core import blas_threads

_MODULES = {
    "native": ("inner_loop", "in_vectors", "has_wide_vectors", "run_ufunc", "routine"),
    "blas_drivers": ("product_driver",),
    "blas_threads": ("small_products",),
    "memory": ("convert", "map_file"),
    "files": ("file_attributes", "file_change"),
    "atomic_write": ("begin_replace", "finish_replace", "write_whole"),
    "programs": ("find_program", "run_program"),
    "kernels.random": ("entropy",),
    "kernels.sort": ("key_sorter", "sort"),
    "kernels.einsum": ("einsum",),
    "symbols": ("share_symbols",),
    "worker": ("core_count", "start_worker"),
    "holding": ("hold", "let_go"),
    "waiting": ("begin_waiting", "end_waiting"),
}


def _deferred(module: str, name: str) -> Callable[..., Any]:
    """A function that imports its module when it is first called."""
    target: Callable[..., Any] | None = None

    def call(*arguments: Any) -> Any:
        nonlocal target
        if target is None:
            with blas_threads.sleeping():
                target = getattr(import_module(module), name)
        return target(*arguments)

    return call


def package_function(package: str, name: str) -> Callable[..., Any] | None:
    """A function of the table of a package; None if there is none of that name."""
    module = import_module(f"t7shell.packages.{package}.host").FUNCTIONS.get(name)
    return _deferred(module, name) if module else None


def functions() -> dict[str, Callable[..., Any]]:
    """The functions of the contract by name."""
    kept: list[Any] = []
    found: dict[str, Callable[..., Any]] = {"keep": kept.append, "package_function": package_function}
    for module, names in _MODULES.items():
        found |= {name: _deferred(f"t7shell.core.{module}", name) for name in names}
    return found
