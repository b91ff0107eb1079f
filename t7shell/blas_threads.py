"""SciPy's BLAS uses one thread, and the threads of NumPy's do not wait busily.

How BLAS divides a product among threads of its own depends on the machine, and on whether another thread uses
it at the time: the last digits of the result do too. So products are cut by sizes alone
(`lua/torch/worker/share.lua`), and BLAS computes each part on one thread.

NumPy has an OpenBLAS of its own, whose products of matrices the shell does not use: its threads are for
Python code. They would wait busily for 0.1 s after their start, while a program's first loops are compiled.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import product
from pathlib import Path

# What BLAS libraries read when they are loaded.
_ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "OMP_NUM_THREADS"), "1"
)
# The logarithm of the number of cycles that an idle thread waits before it sleeps; 4 is the least.
_ASLEEP = {"OPENBLAS_THREAD_TIMEOUT": "4"}


def loading() -> AbstractContextManager[None]:
    """A BLAS that is loaded meanwhile starts no threads."""
    return _environment(_ONE_THREAD)


def sleeping() -> AbstractContextManager[None]:
    """The threads of an OpenBLAS that is loaded meanwhile sleep until they are needed."""
    return _environment({name: value for name, value in _ASLEEP.items() if name not in os.environ})


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _wheel() -> bool:
    """Sets the OpenBLAS of SciPy's wheels to one thread; false where SciPy comes with none of its own."""
    import scipy

    folder = Path(scipy.__path__[0]).parent / "scipy.libs"
    for path in folder.glob("libscipy_openblas*.so"):
        library = ctypes.CDLL(str(path))
        for prefix, suffix in product(("scipy_", ""), ("", "64_")):
            function = getattr(library, f"{prefix}openblas_set_num_threads{suffix}", None)
            if function is not None:
                function(1)
                return True
    return False


def use_one() -> None:
    """Sets the BLAS that is loaded to one thread, also where another program loaded it."""
    if _wheel():
        return
    from threadpoolctl import ThreadpoolController

    for library in ThreadpoolController().select(user_api="blas").lib_controllers:
        library.set_num_threads(1)
