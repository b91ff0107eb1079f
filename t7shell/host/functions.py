"""The contract between Lua and torch's part of Python: one table of functions that Lua may call.

`keep` keeps an object until the state has ended; the docstrings of the others give arguments and results.

Addresses and counts cross as numbers, strings as latin-1. Objects of Python stay alive as long as the Lua
object that refers to them. NumPy is imported when the first of these is called.

The same rules hold for the functions of packages. Each has a table `FUNCTIONS` in
`t7shell/packages/<package>/__init__.py`: the names of functions by their module, which is one of the package
if it begins with a dot.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

from t7shell.host import blas_threads

FUNCTIONS = {
    ".native": "routine",
    ".memory": "map_file",
    ".files": "file_attributes file_change",
    ".atomic_write": "begin_replacing finish_replace write_whole",
    ".programs": "find_program run_program",
    ".einsum": "einsum",
    ".system": "core_count",
    "t7shell.native": "library",
    ".owners": "retain release",
    ".progress": "begin_waiting end_waiting",
    ".notices": "are_warnings warned",
}


def entropy() -> int:
    """A random number of 48 bits from the operating system, for a seed."""
    return int.from_bytes(os.urandom(6), "little")


def _deferred(module: str, package: str, name: str) -> Callable[..., Any]:
    """A function that imports its module when it is first called."""
    target: Callable[..., Any] | None = None

    def call(*arguments: Any) -> Any:
        nonlocal target
        if target is None:
            with blas_threads.loading_numpy():
                target = getattr(import_module(module, package), name)
        return target(*arguments)

    return call


def package_function(package: str, name: str) -> Callable[..., Any] | None:
    """A function of the table of a package; None if it has none of that name."""
    path = f"t7shell.packages.{package}"
    for module, names in import_module(path).FUNCTIONS.items():
        if name in names.split():
            return _deferred(module, path, name)
    return None


def of_table(table: dict[str, str], package: str) -> dict[str, Callable[..., Any]]:
    """The functions of a table by name."""
    return {name: _deferred(module, package, name) for module in table for name in table[module].split()}


def of_host() -> dict[str, Callable[..., Any]]:
    """The functions of the contract by name."""
    kept: list[Any] = []
    found: dict[str, Callable[..., Any]] = {"keep": kept.append, "entropy": entropy}
    found["package_function"] = package_function
    return found | of_table(FUNCTIONS, __package__)
