"""The threads of BLAS, by way of threadpoolctl."""

from __future__ import annotations

import ctypes
from itertools import product
from typing import Any

from threadpoolctl import ThreadpoolController

from t7shell.native import extension


def _libraries() -> list[Any]:
    # SciPy's BLAS is loaded with the module.
    extension("blas")
    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


def set_blas_threads(count: float) -> None:
    """Sets how many threads every BLAS of the process may use."""
    for library in _libraries():
        library.set_num_threads(int(count))


def blas_setter() -> tuple[int, int]:
    """(address, count): the C function that sets the threads of SciPy's BLAS, and how many it has now.

    Address 0 where there is no such function: the BLAS is not an OpenBLAS with threads of its own.
    """
    libraries = [lib for lib in _libraries() if lib.internal_api == "openblas"]
    libraries = [lib for lib in libraries if lib.threading_layer == "pthreads"]
    for library in [lib for lib in libraries if "scipy.libs" in lib.filepath] or libraries:
        for prefix, suffix in product(("", "scipy_"), ("", "64_", "_64")):
            function = getattr(library.dynlib, f"{prefix}openblas_set_num_threads{suffix}", None)
            if function is not None:
                return ctypes.cast(function, ctypes.c_void_p).value or 0, library.num_threads
    return 0, 1
