"""SciPy's BLAS uses one thread.

How BLAS divides a product among threads of its own depends on the machine, and on whether another thread uses
it at the time: the last digits of the result do too. So products are cut by sizes alone
(`lua/torch/worker/share.lua`), and BLAS computes each part on one thread.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

# What BLAS libraries read when they are loaded.
_VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "OMP_NUM_THREADS")


@contextmanager
def loading() -> Iterator[None]:
    """A BLAS that is loaded meanwhile starts no threads."""
    before = {name: os.environ.get(name) for name in _VARIABLES}
    os.environ.update(dict.fromkeys(_VARIABLES, "1"))
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
