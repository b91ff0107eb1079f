"""C pointers to SciPy's BLAS and LAPACK.

``scipy.linalg.cython_blas`` and ``cython_lapack`` publish PyCapsules for use from other compiled code.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.machinery import ExtensionFileLoader, PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType

from t7shell.host import blas_threads

_LOADING = threading.RLock()


@cache
def extension(library: str) -> ModuleType:
    """``scipy.linalg.cython_blas`` or ``cython_lapack``, where possible without the package around it.

    ``scipy.linalg`` imports most of SciPy and of NumPy's tools: 0.2 s before the first product of a program.
    The module keeps its name, so that the package finds it when it is imported later.
    """
    name = f"scipy.linalg.cython_{library}"
    # Another thread must not find a partially initialized module.
    with _LOADING:
        if name not in sys.modules:
            blas_threads.require_memory()
        with blas_threads.loading_numpy():
            import scipy

        if name not in sys.modules and "scipy.linalg" not in sys.modules:
            spec = PathFinder.find_spec(name, [str(Path(folder) / "linalg") for folder in scipy.__path__])
            if spec is not None and isinstance(spec.loader, ExtensionFileLoader):
                # If it cannot be loaded alone, the package loads it.
                with suppress(ImportError), blas_threads.loading():
                    module = module_from_spec(spec)
                    spec.loader.exec_module(module)
                    sys.modules[name] = module
        with blas_threads.loading():
            module = import_module(name)
        blas_threads.use_one()
        blas_threads.take_buffers()
        return module


def routine(library: str, name: str) -> int | None:
    """Address of a routine of ``cython_blas`` or ``cython_lapack``; None if SciPy lacks it."""
    capsule = extension(library).__pyx_capi__.get(name)
    if capsule is None:
        return None
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    address: int = api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))
    return address
