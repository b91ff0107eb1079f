"""SciPy's BLAS uses one thread, and the threads of NumPy's BLAS do not spin.

How BLAS divides a product among its threads depends on the machine and on its other callers, and so do the
last digits of the result. LAPACK therefore computes on one thread; products are kernels of ours, which are
cut by sizes alone (`t7shell/native/parallel_for.c`).

NumPy has a separate OpenBLAS, which the shell uses only for `torch.einsum`, on one thread; Python code may
use more. Idle threads would spin for 0.1 s after their start, while a program's first loops are compiled.

Where OpenBLAS gets no memory for its threads or for copies of operands, it ends the process or tries for
ever. So its memory is taken before it is first used, or the error is that there is none.
"""

from __future__ import annotations

import ctypes
import glob
import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from itertools import product
from typing import Any

from t7shell.host import system
from t7shell.host.system import core_count, environment

# BLAS libraries read these when they are loaded.
_ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "OMP_NUM_THREADS"), "1"
)
# The binary logarithm of the cycles that an idle thread spins before it sleeps; at least 4.
_ASLEEP = {"OPENBLAS_THREAD_TIMEOUT": "4"}


def loading() -> AbstractContextManager[None]:
    """A BLAS that is loaded in the block starts no threads."""
    return environment(_ONE_THREAD)


# Bytes of address space: of NumPy and of SciPy's BLAS when they are loaded, of a thread of OpenBLAS, and of
# the copies of operands for one call.
_NUMPY, _SCIPY, _THREAD, _BUFFER = 96 << 20, 64 << 20, 44 << 20, 34 << 20


def loading_numpy() -> AbstractContextManager[None]:
    """The threads of the OpenBLAS of NumPy, if that is loaded in the block, sleep until they are needed.

    Without memory for them it has one. Raises MemoryError without memory for NumPy.
    """
    values = {name: value for name, value in _ASLEEP.items() if name not in os.environ}
    if "numpy" not in sys.modules and not system.fits(_NUMPY + core_count() * _THREAD):
        system.require(_NUMPY)
        values |= _ONE_THREAD
    return environment(values)


def require_memory() -> None:
    """Raises MemoryError without memory for the BLAS of SciPy, and NumPy, which are not loaded yet."""
    system.require(_SCIPY + _BUFFER + (0 if "numpy" in sys.modules else _NUMPY))


def _take_buffers(package: Any, count: int) -> None:
    """Lets the OpenBLAS of a package take memory for a number of concurrent calls, as far as there is some.

    Raises MemoryError without memory for the first one.
    """
    for library in libraries(package):
        take, give = (getattr(library, f"blas_memory_{name}", None) for name in ("alloc", "free"))
        if not take or not give:
            continue
        take.restype, give.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
        taken: list[int] = []
        while len(taken) < count and system.fits(_BUFFER):
            taken.append(take(0))
        for buffer in taken:
            give(buffer)
        if not taken:
            raise MemoryError(system.NO_MEMORY)


@lru_cache(1)
def take_buffers() -> None:
    """Lets the BLAS of SciPy take its memory: for all cores, where later allocations may fail."""
    import scipy

    _take_buffers(scipy, core_count() if system.is_limited() else 1)


def libraries(package: Any) -> list[ctypes.CDLL]:
    """The OpenBLAS in the wheel of a package as a list of one; [] without one."""
    folder = glob.escape(os.path.dirname(package.__path__[0]))
    pattern = os.path.join(folder, f"{package.__name__}.libs", "libscipy_openblas*.so")
    return [ctypes.CDLL(path) for path in glob.glob(pattern)]


def _wheel(package: Any) -> list[tuple[Any, Any]]:
    """Functions that set and get the threads of the OpenBLAS in the wheel of a package; [] without one."""
    found = []
    for library in libraries(package):
        for prefix, suffix in product(("scipy_", ""), ("", "64_")):
            names = (f"{prefix}openblas_{action}_num_threads{suffix}" for action in ("set", "get"))
            functions = [getattr(library, name, None) for name in names]
            if all(functions):
                found.append((functions[0], functions[1]))
    return found


def _any_blas() -> list[tuple[Any, Any]]:
    """The same functions of all BLAS libraries that are loaded."""
    from threadpoolctl import ThreadpoolController

    libraries = ThreadpoolController().select(user_api="blas").lib_controllers
    return [(library.set_num_threads, library.get_num_threads) for library in libraries]


def use_one() -> None:
    """Sets the BLAS that is loaded to one thread, also where another program loaded it."""
    import scipy

    for set_threads, _ in _wheel(scipy) or _any_blas():
        set_threads(1)


@lru_cache(1)
def _numpy_blas() -> list[tuple[Any, Any]]:
    import numpy as np

    _take_buffers(np, 1)
    return _wheel(np) or _any_blas()


@contextmanager
def numpy_on_one() -> Iterator[None]:
    """NumPy's matrix products use one thread in the block."""
    before = [get_threads() for _, get_threads in _numpy_blas()]
    try:
        for set_threads, _ in _numpy_blas():
            set_threads(1)
        yield
    finally:
        for (set_threads, _), count in zip(_numpy_blas(), before, strict=True):
            set_threads(count)
