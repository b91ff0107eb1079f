"""The contract between Lua and torch's part of Python: one table of functions that Lua may call.

=================  ===========================================================================================
inner_loop         (ufunc, dtypes) -> addresses of NumPy's inner loop and its data, or nil
in_vectors         (ufunc, dtypes) -> whether NumPy's loop computes in vectors on this processor
has_wide_vectors   () -> whether the processor has AVX2 and FMA
run_ufunc          (ufunc, dtypes, count, address, step, ...): the same call through Python
routine            ('blas' | 'lapack', name) -> address of a routine of SciPy's, or nil
product_driver     (name) -> address of OpenBLAS's `dgemm_nn` and its like, or nil
small_products     () -> whether BLAS has kernels of small products that copy no operands
convert            (to, dtype, step, from, dtype, step, count): elements between types
entropy            () -> a number for a seed, from the operating system
core_count         () -> cores this process may use
begin_waiting      (text, file): shows a line of progress until `end_waiting`()
start_worker       (address of a slot, index) -> whether a worker runs
key_sorter         (address, count) -> f(rows, count), which sorts rows of the 64-bit integers there
sort               (values, places, dtype, rows, count, descending): rows in order, with positions from 1
einsum             (equation, dtype, layouts, address, ...): writes the result at the first address
begin_replace      (path) -> name of the file to write in its place
finish_replace     (that name, path) -> nil, or why the file could not be replaced
write_whole        (path, text) -> nil, or why it could not be written as a whole
file_attributes    (path, follow links) -> kind, size, times, ..., or nil, message
file_change        (action, path, ...) -> nil, or why it failed
find_program       (name) -> whether there is a program of this name
run_program        (its input, program, argument, ...) -> its output, or nil, message
map_file           (path, shared, count, item size, in memory) -> address, elements, keeper, or nil, message
share_symbols      (): makes Lua's C functions visible to C modules
keep               (object): until the state has ended
hold               (object) -> a number by which any state can let_go(number) of it
package_function   (package, name) -> a function of the package's own table, or nil
=================  ===========================================================================================

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
